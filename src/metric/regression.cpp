// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/regression.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "metric/check.hpp"
#include "metric/ratio.hpp"

namespace maxmargin {

namespace {

/// Checked targets and predictions; `sum` runs over the rows that have a target and a weight.
class TargetRows {
 public:
  TargetRows(std::string_view function,
             std::span<const double> target,
             std::span<const double> prediction,
             std::span<const double> weights)
      : target_(target), prediction_(prediction), weights_(weights) {
    check_same_length(function, "predictions", prediction.size(), target.size());
    check_weights(function, weights, target.size());
    for (std::size_t i = 0; i < prediction.size(); ++i) {
      const double value = prediction[i];
      check_row(!std::isnan(value), function, "prediction", i, value, "a number");
    }
  }

  /// Sum of weight * term(target, prediction).
  template <class Term>
  [[nodiscard]] double sum(const Term& term) const {
    double total = 0;
    for (std::size_t i = 0; i < target_.size(); ++i) {
      const double weight = weight_of(weights_, i);
      if (std::isnan(target_[i]) || weight == 0) continue;
      total += weight * term(target_[i], prediction_[i]);
    }
    return total;
  }
  template <class Term>
  [[nodiscard]] double mean(const Term& term) const {
    return ratio(sum(term), sum([](double, double) { return 1.0; }));
  }
  /// The mean of values picked by `pick`, summed as differences to the first of them: the mean of
  /// equal values is then exactly that value, and their spread exactly 0.
  template <class Pick>
  [[nodiscard]] double exact_mean(const Pick& pick) const {
    for (std::size_t i = 0; i < target_.size(); ++i) {
      if (std::isnan(target_[i]) || weight_of(weights_, i) == 0) continue;
      const double first = pick(target_[i], prediction_[i]);
      return first + mean([&](double t, double p) { return pick(t, p) - first; });
    }
    return undefined;
  }

 private:
  std::span<const double> target_;
  std::span<const double> prediction_;
  std::span<const double> weights_;
};

double square(double value) { return value * value; }

}  // namespace

double mean_squared_error(std::span<const double> target,
                          std::span<const double> prediction,
                          std::span<const double> weights) {
  return TargetRows("mean_squared_error", target, prediction, weights).mean([](double t, double p) {
    return square(t - p);
  });
}

double mean_absolute_error(std::span<const double> target,
                           std::span<const double> prediction,
                           std::span<const double> weights) {
  return TargetRows("mean_absolute_error", target, prediction, weights)
      .mean([](double t, double p) { return std::abs(t - p); });
}

double r_squared(std::span<const double> target,
                 std::span<const double> prediction,
                 std::span<const double> weights) {
  const TargetRows rows("r_squared", target, prediction, weights);
  const double mean = rows.exact_mean([](double t, double) { return t; });
  const double around_mean = rows.sum([&](double t, double) { return square(t - mean); });
  const double errors = rows.sum([](double t, double p) { return square(t - p); });
  return around_mean == 0 ? undefined : 1 - errors / around_mean;
}

double squared_correlation(std::span<const double> target,
                           std::span<const double> prediction,
                           std::span<const double> weights) {
  const TargetRows rows("squared_correlation", target, prediction, weights);
  const double target_mean = rows.exact_mean([](double t, double) { return t; });
  const double prediction_mean = rows.exact_mean([](double, double p) { return p; });
  const double target_spread = rows.sum([&](double t, double) { return square(t - target_mean); });
  const double prediction_spread =
      rows.sum([&](double, double p) { return square(p - prediction_mean); });
  const double together =
      rows.sum([&](double t, double p) { return (t - target_mean) * (p - prediction_mean); });
  // Divided one after the other: the product of the spreads may leave the range of double.
  if (target_spread == 0 || prediction_spread == 0) return undefined;
  return std::min(1.0, (together / target_spread) * (together / prediction_spread));
}

}  // namespace maxmargin
