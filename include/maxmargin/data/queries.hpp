// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"

/// Rows in groups that are ranked by themselves: docs/algorithms/ranking.md.
namespace maxmargin {

/// Where runs of equal groups begin, and the number of rows at the end: {0} without rows. Throws
/// InvalidArgument naming the row and the group when a group comes back after another one.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<std::size_t> group_begins(
    std::span<const std::int64_t> groups);
/// The same of groups that are called bags: the message says so, and counts rows from 1.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<std::size_t> bag_begins(
    std::span<const std::int64_t> groups);

/// Queries as runs of rows, with the grade of each row.
struct Queries {
  /// Rows of query q are begins[q] to begins[q + 1]; one element more than queries.
  std::vector<std::size_t> begins = {0};
  /// One a row; larger comes first.
  std::vector<double> grades = {};

  [[nodiscard]] std::size_t size() const { return begins.size() - 1; }
  [[nodiscard]] std::size_t rows() const { return begins.back(); }
  [[nodiscard]] std::span<const double> grades_of(std::size_t query) const {
    return std::span(grades).subspan(begins[query], begins[query + 1] - begins[query]);
  }
};

/// The queries of a data set: its groups, or one query when it has none; grades are the labels.
/// Throws InvalidArgument for labels that are missing or no numbers, and as group_begins does.
[[nodiscard]] MAXMARGIN_EXPORT Queries queries_of(const Dataset& data);

/// Throws InvalidArgument, its message beginning with `who`, unless begins rise from 0 to `rows`
/// and there is a finite grade for every row.
MAXMARGIN_EXPORT void require_queries(const char* who, const Queries& queries, std::size_t rows);

}  // namespace maxmargin
