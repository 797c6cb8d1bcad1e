// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/gram/centring.hpp"

#include <numeric>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

double mean_of(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

FeatureCentring FeatureCentring::fit(DenseView gram) {
  require(gram.rows == gram.cols, "the training Gram matrix must be square");
  FeatureCentring result;
  result.row_means.reserve(gram.rows);
  for (std::size_t i = 0; i < gram.rows; ++i) result.row_means.push_back(mean_of(gram.row(i)));
  result.grand_mean = mean_of(result.row_means);
  return result;
}

void FeatureCentring::apply_to_training(MutableDenseView gram) const {
  require(gram.rows == gram.cols && gram.rows == row_means.size(),
          "this is not the Gram matrix it was fitted on");
  for (std::size_t i = 0; i < gram.rows; ++i) {
    for (std::size_t j = 0; j < gram.cols; ++j) {
      // The sum of the means first: the same rounding for (i, j) and (j, i).
      gram(i, j) = gram(i, j) - (row_means[i] + row_means[j]) + grand_mean;
    }
  }
}

void FeatureCentring::apply_to_new(MutableDenseView cross) const {
  require(cross.cols == row_means.size(), "a column for every training example is needed");
  for (std::size_t i = 0; i < cross.rows; ++i) {
    const double own = mean_of(cross.row(i));
    for (std::size_t j = 0; j < cross.cols; ++j) {
      cross(i, j) = cross(i, j) - (own + row_means[j]) + grand_mean;
    }
  }
}

void FeatureCentring::apply_to_diagonal(std::span<double> diagonal, DenseView cross) const {
  require(cross.cols == row_means.size() && cross.rows == diagonal.size(),
          "the diagonal and the kernel values do not fit together");
  for (std::size_t i = 0; i < cross.rows; ++i) {
    diagonal[i] = diagonal[i] - 2 * mean_of(cross.row(i)) + grand_mean;
  }
}

}  // namespace maxmargin
