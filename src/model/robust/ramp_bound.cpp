// SPDX-License-Identifier: Apache-2.0
#include "model/robust/ramp_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Added to differences of objectives, as a share of the objective: whoever recomputes them with
/// other rounding finds balls no larger than these, and the dual points within their boxes.
constexpr double rounding_room = 1e-6;

/// Between which margins an example of the optimum can lie.
struct MarginLimits {
  std::vector<double> lower;
  std::vector<double> upper;

  explicit MarginLimits(std::size_t n) : lower(n, -infinity), upper(n, infinity) {}
  /// Keeps what lies within `radius` of the function with these values (without offset).
  void intersect(const RampTerms& terms, std::span<const double> values, double radius);
};

void MarginLimits::intersect(const RampTerms& terms,
                             std::span<const double> values,
                             double radius) {
  const std::size_t n = terms.signs.size();
  const auto reach = [&](std::size_t i) {
    return radius * std::sqrt(std::max(0.0, terms.diagonal[i]));
  };
  double least_offset = terms.bias ? -infinity : 0.0;
  double most_offset = -least_offset;
  if (terms.bias) {
    // Not all examples of a class can lie beyond the ramp, if that alone costs too much.
    double of_positives = 0;
    double of_negatives = 0;
    double highest_positive = -infinity;
    double lowest_negative = infinity;
    for (std::size_t i = 0; i < n; ++i) {
      if (!(terms.costs[i] > 0)) continue;
      (terms.signs[i] > 0 ? of_positives : of_negatives) += (1 - terms.s) * terms.costs[i];
      if (terms.signs[i] > 0) {
        highest_positive = std::max(highest_positive, values[i] + reach(i));
      } else {
        lowest_negative = std::min(lowest_negative, values[i] - reach(i));
      }
    }
    if (terms.objective < of_positives) least_offset = terms.s - highest_positive;
    if (terms.objective < of_negatives) most_offset = -terms.s - lowest_negative;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const bool positive = terms.signs[i] > 0;
    const double middle = terms.signs[i] * values[i];
    lower[i] = std::max(lower[i], middle - reach(i) + (positive ? least_offset : -most_offset));
    upper[i] = std::min(upper[i], middle + reach(i) + (positive ? most_offset : -least_offset));
  }
}

/// The largest share of the hinge (and a constant) that stays below the ramp between the limits.
struct Minorant {
  std::vector<double> costs;
  double constant = 0;

  Minorant(const RampTerms& terms, const MarginLimits& limits) : costs(terms.signs.size(), 0.0) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (!(terms.costs[i] > 0)) continue;
      if (limits.upper[i] <= terms.s) {
        constant += terms.costs[i] * (1 - terms.s);
      } else if (limits.lower[i] >= terms.s) {
        costs[i] = terms.costs[i];
      } else {
        costs[i] = terms.costs[i] * (1 - terms.s) / (1 - limits.lower[i]);
      }
    }
  }
};

/// The multiple of the plain machine's dual point that fits the smaller costs and gives most.
HingeMachine scaled(const RampTerms& terms, const HingeMachine& plain, const Minorant& minorant) {
  double sum = 0;
  double norm = 0;
  double most = infinity;
  for (std::size_t i = 0; i < minorant.costs.size(); ++i) {
    const double alpha = terms.signs[i] * plain.coefficients[i];
    sum += alpha;
    norm += plain.coefficients[i] * plain.values[i];
    if (alpha > 0) most = std::min(most, minorant.costs[i] / alpha);
  }
  const double scale = std::isfinite(most) ? (norm > 0 ? std::min(most, sum / norm) : most) : 0.0;
  HingeMachine result{.coefficients = plain.coefficients};
  for (double& b : result.coefficients) b *= scale;
  result.dual = scale * sum - 0.5 * scale * scale * norm;
  return result;
}

}  // namespace

RampBound bound_ramp(const RampTerms& terms,
                     const HingeMachine& plain,
                     const SolveHinge& solve,
                     std::size_t rounds) {
  const std::size_t n = terms.signs.size();
  RampBound bound;
  MarginLimits limits(n);
  // |w|^2 / 2 of the optimum is no more than an objective.
  const double room = rounding_room * terms.objective;
  limits.intersect(terms, std::vector<double>(n, 0.0), std::sqrt(2 * (terms.objective + room)));
  if (rounds == 0) {
    const Minorant minorant(terms, limits);
    HingeMachine machine = scaled(terms, plain, minorant);
    bound.value = std::max(0.0, machine.dual + minorant.constant);
    bound.stages.push_back(std::move(machine.coefficients));
    return bound;
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    const Minorant minorant(terms, limits);
    HingeMachine machine = solve(minorant.costs);
    const double value = machine.dual + minorant.constant;
    bound.value = std::max(bound.value, value);
    bound.stages.push_back(machine.coefficients);
    if (machine.stopped) break;
    // For every f the minorant's objective is at least D(b) + 1/2 |f - f_b|^2, and the ramp's is no
    // less.
    const double radius = std::sqrt(2 * (std::max(0.0, terms.objective - value) + room));
    limits.intersect(terms, machine.values, radius);
  }
  return bound;
}

std::size_t default_bound_rounds(std::size_t rows) noexcept {
  constexpr std::size_t few = 2000;
  constexpr std::size_t rounds = 5;
  return rows <= few ? rounds : 0;
}

}  // namespace maxmargin
