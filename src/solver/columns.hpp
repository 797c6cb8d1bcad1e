// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "maxmargin/core/buffer.hpp"
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

[[nodiscard]] Columns signed_columns(const LinearRisk& problem);

}  // namespace maxmargin::linear
