// SPDX-License-Identifier: Apache-2.0
#include "eval/gap_statistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"

namespace maxmargin {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

ReferenceBox::ReferenceBox(const Examples& examples, std::size_t threads)
    : pca_(train_pca(examples, {.context = {.threads = threads}})), rows_(examples.rows()) {
  const DenseMatrix scores = pca_.transform(examples, threads);
  low_.assign(scores.cols(), std::numeric_limits<double>::infinity());
  high_.assign(scores.cols(), -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    for (std::size_t j = 0; j < scores.cols(); ++j) {
      low_[j] = std::min(low_[j], scores(i, j));
      high_[j] = std::max(high_[j], scores(i, j));
    }
  }
}

Dataset ReferenceBox::draw(std::uint64_t seed, std::size_t index) const {
  Rng rng(seed, "gap reference", index);
  DenseMatrix scores(rows_, low_.size());
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t j = 0; j < low_.size(); ++j) scores(i, j) = rng.uniform(low_[j], high_[j]);
  }
  return {.examples = pca_.inverse_transform(scores.view()), .source = "a reference set"};
}

double log_within(const Examples& examples, std::span<const std::int32_t> clusters) {
  const double within = sum_of_squares(examples, clusters).total;
  return within > 0 ? std::log(within) : nan;
}

GapValue gap_value(double log_w, std::span<const double> log_w_of_references) {
  const auto count = static_cast<double>(log_w_of_references.size());
  double sum = 0;
  for (const double value : log_w_of_references) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : log_w_of_references) squares += (value - mean) * (value - mean);
  // Tibshirani, Walther and Hastie's s_k: the deviation, widened as the mean itself is uncertain.
  return {.gap = mean - log_w, .error = std::sqrt(squares / count * (1 + 1 / count))};
}

}  // namespace maxmargin
