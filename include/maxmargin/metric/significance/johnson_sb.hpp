// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/rng.hpp"

/// Johnson's bounded system S_B: docs/algorithms/johnson-sb.md.
namespace maxmargin {

/// The law of X = xi + lambda z where gamma + delta ln(z / (1 - z)) is standard normal. X lies
/// between xi and xi + lambda. The names are Johnson's; gamma is no kernel width.
struct MAXMARGIN_EXPORT JohnsonSb {
  double gamma = 0;   ///< shape, finite
  double delta = 1;   ///< shape, > 0
  double xi = 0;      ///< lower end, finite
  double lambda = 1;  ///< width, > 0

  void describe(OptionVisitor& visit);
  /// 0 outside (xi, xi + lambda).
  [[nodiscard]] double density(double x) const;
  [[nodiscard]] double log_density(double x) const;
  /// P(X <= x): exactly 0 for x <= xi and exactly 1 for x >= xi + lambda.
  [[nodiscard]] double cdf(double x) const;
  /// The x with cdf(x) = p; the ends for p = 0 and p = 1. Throws InvalidArgument outside [0, 1].
  [[nodiscard]] double quantile(double p) const;
  [[nodiscard]] double sample(Rng& rng) const;
};

struct MAXMARGIN_EXPORT JohnsonSbFitOptions {
  /// The upper end is not above this. Must exceed the largest value.
  double largest_upper_end = std::numeric_limits<double>::infinity();
  /// Evaluations of the likelihood at most; >= 1.
  std::size_t max_evaluations = 2000;
  void describe(OptionVisitor& visit);
};

struct JohnsonSbFit {
  JohnsonSb law = {};
  double log_likelihood = 0;
  std::size_t evaluations = 0;
  /// False when max_evaluations ended the search.
  bool converged = false;
};

/// Maximum likelihood under xi < least value and largest value < xi + lambda <= largest_upper_end.
/// The likelihood has a spike of no meaning where an end meets an extreme value, so ends stay a
/// thousandth of the sample's standard deviation over its size away from it. Requires at least four
/// values, finite and not all equal; throws InvalidArgument otherwise. O(values) a likelihood.
[[nodiscard]] MAXMARGIN_EXPORT JohnsonSbFit fit_johnson_sb(std::span<const double> values,
                                                           const JohnsonSbFitOptions& options = {});

/// The points of a Q-Q plot: for the i-th smallest of n values the pair (quantile of the law at
/// (i - 1/2) / n, value). On a straight line through the origin of slope 1 when the law fits.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<std::pair<double, double>> quantile_pairs(
    const JohnsonSb& law, std::span<const double> values);

}  // namespace maxmargin
