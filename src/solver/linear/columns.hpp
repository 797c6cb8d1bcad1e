// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "maxmargin/core/buffer.hpp"
#include "maxmargin/linalg/row.hpp"
#include "maxmargin/problem/linear_risk.hpp"

namespace maxmargin::linear {

/// The examples column by column, each row times its target: entry (i, j) is y_i x_ij. With a bias
/// the constant feature is the last column. Zeros and rows of weight 0 are left out.
struct Columns {
  struct Column {
    std::span<const std::uint32_t> rows;
    std::span<const double> values;
  };
  [[nodiscard]] Column column(std::size_t j) const {
    const std::size_t begin = offsets[j];
    const std::size_t count = offsets[j + 1] - begin;
    return {rows.span().subspan(begin, count), values.span().subspan(begin, count)};
  }

  Buffer<std::size_t> offsets = {};
  Buffer<std::uint32_t> rows = {};
  Buffer<double> values = {};
};

/// Calls visit(column, value) for the entries of row i, the bias feature included.
template <class Visit>
void for_each_feature(const LinearRisk& problem, std::size_t i, const Visit& visit) {
  const auto* sparse = std::get_if<SparseView>(&problem.examples);
  const Row row = sparse != nullptr ? Row(sparse->row(i))
                                    : Row(std::get_if<DenseView>(&problem.examples)->row(i));
  row.for_each(visit);
  if (problem.bias != 0) visit(problem.cols(), problem.bias);
}

[[nodiscard]] Columns signed_columns(const LinearRisk& problem);

}  // namespace maxmargin::linear
