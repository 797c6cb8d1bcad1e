// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/johnson-sb.md
#include "maxmargin/metric/significance/johnson_sb.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "metric/significance/special_functions.hpp"

namespace maxmargin {

namespace {

/// P(Z >= z) for the standard normal, exact far in the tail.
double upper_tail(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }

/// The z with P(Z <= z) = p for the standard normal, 0 < p < 1, from the nearer tail.
double standard_normal_quantile(double p) {
  const double z = normal_tail_quantile(2 * std::min(p, 1 - p));
  return p < 0.5 ? -z : z;
}

}  // namespace

void JohnsonSb::describe(OptionVisitor& visit) {
  visit.number({.name = "gamma", .help = "shape; larger moves the mass to the lower end"},
               gamma,
               rules::finite);
  visit.number({.name = "delta", .help = "shape; larger is narrower"}, delta, rules::positive);
  visit.number({.name = "xi", .help = "lower end"}, xi, rules::finite);
  visit.number({.name = "lambda", .help = "width"}, lambda, rules::positive);
}

double JohnsonSb::log_density(double x) const {
  const double below = x - xi;
  const double above = xi + lambda - x;
  if (!(below > 0 && above > 0)) return -std::numeric_limits<double>::infinity();
  const double y = gamma + delta * (std::log(below) - std::log(above));
  // lambda z (1 - z) = below above / lambda
  return std::log(delta) + std::log(lambda) - std::log(below) - std::log(above) -
         0.5 * std::log(2 * std::numbers::pi) - 0.5 * y * y;
}

double JohnsonSb::density(double x) const { return std::exp(log_density(x)); }

double JohnsonSb::cdf(double x) const {
  const double below = x - xi;
  const double above = xi + lambda - x;
  if (!(below > 0)) return 0;
  if (!(above > 0)) return 1;
  const double y = gamma + delta * (std::log(below) - std::log(above));
  return upper_tail(-y);
}

double JohnsonSb::quantile(double p) const {
  require_field(p >= 0 && p <= 1, "JohnsonSb.quantile: p", p, "in [0, 1]");
  if (p == 0) return xi;
  if (p == 1) return xi + lambda;
  const double y = (standard_normal_quantile(p) - gamma) / delta;
  return xi + lambda / (1 + std::exp(-y));
}

double JohnsonSb::sample(Rng& rng) const {
  const double y = (rng.normal() - gamma) / delta;
  return xi + lambda / (1 + std::exp(-y));
}

std::vector<std::pair<double, double>> quantile_pairs(const JohnsonSb& law,
                                                      std::span<const double> values) {
  validate(law);
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  std::vector<std::pair<double, double>> pairs;
  pairs.reserve(sorted.size());
  const auto n = static_cast<double>(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    pairs.emplace_back(law.quantile((static_cast<double>(i) + 0.5) / n), sorted[i]);
  }
  return pairs;
}

}  // namespace maxmargin
