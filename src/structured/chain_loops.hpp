// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// The two loops in which chains spend their time. Tables have rows of whole registers:
/// padded_labels() numbers, of which the last few mean nothing.
namespace maxmargin::chain {

inline constexpr std::size_t lanes = 8;

[[nodiscard]] constexpr std::size_t padded_labels(std::size_t labels) noexcept {
  return (labels + lanes - 1) / lanes * lanes;
}

/// Runs of `labels` weights, one a feature.
struct FeatureRows {
  std::span<const double> w;
  std::size_t labels = 0;
  std::size_t features = 0;
};

/// sums[q] = sum over entries of value * w[feature * labels + q], in the order of the entries, for
/// q < labels. Features that the rows do not have are ignored. `values` is nullptr when all are 1.
void sum_rows(const FeatureRows& rows,
              std::span<const std::uint32_t> entries,
              const double* values,
              double* sums);

/// A table of scores: row r begins at scores + r * row_stride, its number is before[r * stride].
struct MaxPlus {
  const double* before = nullptr;
  std::size_t stride = 1;
  const double* scores = nullptr;
  std::size_t row_stride = 0;
  std::size_t rows = 0;
};

/// best[q] = max over rows r of before[r] + scores[r][q] for q < padded; -infinity without rows.
void max_plus(const MaxPlus& table, std::size_t padded, double* best);

}  // namespace maxmargin::chain
