// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/weights.hpp"
#include "maxmargin/model/calibration/calibration.hpp"
#include "model/calibration/input.hpp"

namespace maxmargin {

namespace {

/// Scores moved and scaled to mean 0 and variance 1, so that one set of Newton steps serves scores
/// of any size.
struct StandardScores {
  std::vector<double> values = {};
  double centre = 0;
  double scale = 0;  ///< 0: all scores (of positive weight) are equal
};

StandardScores standardise(std::span<const double> scores,
                           std::span<const double> weights,
                           double total) {
  StandardScores standard;
  double largest = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (weight_of(weights, i) > 0) largest = std::max(largest, std::abs(scores[i]));
  }
  if (largest == 0) return standard;
  // Relative to the largest score nothing can overflow.
  double mean = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (weight_of(weights, i) > 0) mean += weight_of(weights, i) / total * (scores[i] / largest);
  }
  double variance = 0;
  bool differ = false;
  double first = 0;
  for (std::size_t i = 0, seen = 0; i < scores.size(); ++i) {
    if (!(weight_of(weights, i) > 0)) continue;
    const double value = scores[i] / largest;
    if (seen++ == 0) first = value;
    differ = differ || value != first;
    variance += weight_of(weights, i) / total * (value - mean) * (value - mean);
  }
  const double deviation = std::sqrt(variance);
  if (!differ || !(deviation > 0)) return standard;
  standard.centre = mean * largest;
  standard.scale = deviation * largest;
  if (!(standard.scale > 0)) return standard;
  standard.values.resize(scores.size(), 0.0);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (weight_of(weights, i) > 0) standard.values[i] = (scores[i] / largest - mean) / deviation;
  }
  return standard;
}

/// Negative log-likelihood of a curve over standard scores; everything is divided by the total
/// weight.
class Likelihood {
 public:
  struct Derivatives {
    double gradient_slope = 0, gradient_intercept = 0;
    double curvature_slope = 0, curvature_mixed = 0, curvature_intercept = 0;
  };

  Likelihood(std::span<const double> scores,
             std::span<const std::int8_t> signs,
             std::span<const double> weights,
             const SideWeights& sides)
      : scores_(scores),
        signs_(signs),
        weights_(weights),
        total_(sides.positive + sides.negative),
        positive_target_((sides.positive + 1) / (sides.positive + 2)),
        negative_target_(1 / (sides.negative + 2)) {}

  [[nodiscard]] double value(PlattCurve at) const {
    double sum = 0;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      const double z = at.slope * scores_[i] + at.intercept;
      // -t log p - (1-t) log(1-p) with p = 1/(1+e^z), without large exponentials.
      const double loss = z >= 0 ? target(i) * z + std::log1p(std::exp(-z))
                                 : (target(i) - 1) * z + std::log1p(std::exp(z));
      sum += share(i) * loss;
    }
    return sum;
  }

  [[nodiscard]] Derivatives derivatives(PlattCurve at) const {
    Derivatives d;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      const double s = scores_[i];
      const double e = std::exp(-std::abs(at.slope * s + at.intercept));
      const double small = e / (1 + e);  // the lesser of p and 1-p
      const double p = at.slope * s + at.intercept >= 0 ? small : 1 - small;
      const double pull = share(i) * (target(i) - p);
      const double curvature = share(i) * small * (1 - small);
      d.gradient_slope += pull * s;
      d.gradient_intercept += pull;
      d.curvature_slope += curvature * s * s;
      d.curvature_mixed += curvature * s;
      d.curvature_intercept += curvature;
    }
    return d;
  }

  /// The best curve of slope 0: its probability is the mean target.
  [[nodiscard]] PlattCurve best_constant() const {
    double mean = 0;
    for (std::size_t i = 0; i < signs_.size(); ++i) mean += share(i) * target(i);
    return {.slope = 0, .intercept = std::log((1 - mean) / mean)};
  }

 private:
  [[nodiscard]] double target(std::size_t i) const {
    return signs_[i] > 0 ? positive_target_ : negative_target_;
  }
  [[nodiscard]] double share(std::size_t i) const { return weight_of(weights_, i) / total_; }

  std::span<const double> scores_;
  std::span<const std::int8_t> signs_;
  std::span<const double> weights_;
  double total_;
  double positive_target_;
  double negative_target_;
};

/// Damped Newton steps from the best constant curve (calibration.md step 2). The loss is strictly
/// convex and grows in every direction, so the minimum exists and is one.
PlattCurve minimise(const Likelihood& likelihood) {
  constexpr int most_steps = 200;
  // Half the squared Newton decrement estimates what is left to gain. Once it is this small the
  // value no longer shows progress, and full steps converge quadratically.
  constexpr double nearly_there = 1e-10;
  constexpr double done = 1e-28;
  PlattCurve at = likelihood.best_constant();
  double value = likelihood.value(at);
  for (int step = 0; step < most_steps; ++step) {
    const auto d = likelihood.derivatives(at);
    // A ridge far below rounding keeps the determinant positive when all p are near 0 or 1.
    const double ridge = 1e-300 + 1e-16 * (d.curvature_slope + d.curvature_intercept);
    const double a = d.curvature_slope + ridge;
    const double c = d.curvature_intercept + ridge;
    const double determinant = a * c - d.curvature_mixed * d.curvature_mixed;
    const double move_slope =
        -(c * d.gradient_slope - d.curvature_mixed * d.gradient_intercept) / determinant;
    const double move_intercept =
        -(a * d.gradient_intercept - d.curvature_mixed * d.gradient_slope) / determinant;
    const double decrement =
        -(d.gradient_slope * move_slope + d.gradient_intercept * move_intercept);
    if (!(decrement > done)) break;
    double length = 1;
    for (; decrement > nearly_there && length > 1e-10; length /= 2) {
      const double trial = likelihood.value(
          {at.slope + length * move_slope, at.intercept + length * move_intercept});
      if (trial <= value - 1e-4 * length * decrement) break;
    }
    at = {at.slope + length * move_slope, at.intercept + length * move_intercept};
    value = likelihood.value(at);
  }
  return at;
}

}  // namespace

PlattCurve fit_platt(std::span<const double> scores,
                     std::span<const std::int8_t> signs,
                     std::span<const double> weights) {
  const SideWeights sides = check_scores(scores, signs, weights);
  const double total = sides.positive + sides.negative;
  if (!(total > 0)) return {.slope = 0, .intercept = 0};
  const StandardScores standard = standardise(scores, weights, total);
  const bool constant = standard.scale == 0 || sides.positive == 0 || sides.negative == 0;
  const Likelihood likelihood(standard.values, signs, weights, sides);
  if (constant) return likelihood.best_constant();
  const PlattCurve best = minimise(likelihood);
  const double slope = best.slope / standard.scale;
  return {.slope = slope,
          .intercept = best.intercept - best.slope * (standard.centre / standard.scale)};
}

}  // namespace maxmargin
