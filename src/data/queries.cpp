// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/queries.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// `name` is what one is called, `first` the number of the first row in messages.
std::vector<std::size_t> begins_of(std::span<const std::int64_t> groups,
                                   const std::string& name,
                                   std::size_t first) {
  std::vector<std::size_t> begins;
  std::unordered_set<std::int64_t> seen;
  for (std::size_t row = 0; row < groups.size(); ++row) {
    if (row > 0 && groups[row] == groups[row - 1]) continue;
    if (!seen.insert(groups[row]).second) {
      std::string message = "row " + std::to_string(row + first);
      message += " (from " + std::to_string(first) + "): the ";
      message += name + " " + std::to_string(groups[row]);
      message += " comes back after another one; expected the rows of a " + name + " together";
      throw InvalidArgument(message);
    }
    begins.push_back(row);
  }
  begins.push_back(groups.size());
  return begins;
}

}  // namespace

std::vector<std::size_t> group_begins(std::span<const std::int64_t> groups) {
  return begins_of(groups, "group", 0);
}

std::vector<std::size_t> bag_begins(std::span<const std::int64_t> groups) {
  return begins_of(groups, "bag", 1);
}

Queries queries_of(const Dataset& data) {
  const std::string source = data.source.empty() ? "the data" : data.source;
  if (data.labels.size() != data.size()) {
    throw InvalidArgument(source + " has no grades: ranking needs a number as label of every row");
  }
  Queries queries;
  for (std::size_t row = 0; row < data.size(); ++row) {
    const auto label = data.labels.at(row);
    if (label && label->is_number()) {
      queries.grades.push_back(label->number());
      continue;
    }
    throw InvalidArgument(
        source + ", row " + std::to_string(row) + " (from 0): " +
        (label ? "the label \"" + label->text() + "\" is no number" : std::string("no label")) +
        "; ranking needs a grade for every row");
  }
  if (!data.groups.empty()) {
    queries.begins = group_begins(data.groups);
  } else if (data.size() > 0) {
    queries.begins = {0, data.size()};
  }
  return queries;
}

void require_queries(const char* who, const Queries& queries, std::size_t rows) {
  const std::string name = who;
  require(!queries.begins.empty() && queries.begins.front() == 0 && queries.begins.back() == rows,
          name + ": the queries must begin at row 0 and end at the number of rows");
  require(std::ranges::is_sorted(queries.begins), name + ": the begins of queries must not fall");
  require(queries.grades.size() == rows, name + ": there must be one grade for every row");
  for (std::size_t row = 0; row < rows; ++row) {
    if (std::isfinite(queries.grades[row])) continue;
    require_field(
        false, name + ": grades[" + std::to_string(row) + "]", queries.grades[row], "finite");
  }
}

}  // namespace maxmargin
