// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/data/examples.hpp"

namespace maxmargin {

/// How the width gamma of a kernel is found from data.
///
///   number      the value itself
///   scale       1 / (d Var), Var the population variance of all n d entries (zeros included)
///   automatic   1 / d
///   quantile    1 / the q-quantile of |x-z|^2 over pairs (`value` holds q)
///   median      quantile with q = 1/2
///   neighbour   1 / (median distance to the 5th nearest other example)^2
struct GammaRule {
  enum class Kind { number, scale, automatic, median, quantile, neighbour };
  Kind kind = Kind::scale;
  /// The number, finite and > 0, or the q of a quantile in [0, 1]; unused otherwise.
  double value = 0;

  [[nodiscard]] static GammaRule number(double gamma) { return {Kind::number, gamma}; }
  [[nodiscard]] static GammaRule scale() { return {Kind::scale, 0}; }
  [[nodiscard]] static GammaRule automatic() { return {Kind::automatic, 0}; }
  [[nodiscard]] static GammaRule median() { return {Kind::median, 0}; }
  [[nodiscard]] static GammaRule quantile(double q) { return {Kind::quantile, q}; }
  [[nodiscard]] static GammaRule neighbour() { return {Kind::neighbour, 0}; }

  bool operator==(const GammaRule&) const = default;
};

struct GammaOptions {
  /// Seed: draws the pairs when there are more than 2,000 examples.
  Context context = {};
};

/// The gamma the rule gives for these examples. Quantiles interpolate linearly between order
/// statistics. Up to 2,000 examples all pairs count; beyond, 10^6 pairs drawn with the seed
/// (quantiles) or 2,000 drawn examples against all others (neighbour). With fewer than 6 examples
/// `neighbour` takes the farthest one there is.
///
/// Where the data says nothing (no examples, no columns, constant entries, the quantile or the
/// neighbour distance 0, or values so large that it overflows), the answer is 1.
[[nodiscard]] MAXMARGIN_EXPORT double resolve_gamma(const GammaRule& rule,
                                                    const Examples& examples,
                                                    const GammaOptions& options = {});

}  // namespace maxmargin
