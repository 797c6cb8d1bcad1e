// SPDX-License-Identifier: Apache-2.0
#include "solver/crammer_singer/run.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace maxmargin {

namespace {

double upper(const CrammerSingerExample& example, std::size_t r) {
  return r == example.own ? example.cost : 0.0;
}

std::size_t largest(std::span<const double> values) {
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

}  // namespace

double example_gap(const CrammerSingerExample& example,
                   std::span<const double> gradient,
                   std::span<const double> coefficients) {
  // Coefficients sum to 0, so all G may be taken relative to the own class's: no digits are lost
  // when they are large.
  const double own = gradient[example.own];
  double gap = 0;
  double slack = 0;
  for (std::size_t r = 0; r < gradient.size(); ++r) {
    const double difference = gradient[r] - own;
    slack = std::max(slack, difference);
    gap += coefficients[r] * difference;
  }
  return std::max(0.0, gap + example.cost * slack);
}

ExampleState example_state(const CrammerSingerExample& example,
                           std::span<const double> gradient,
                           std::span<const double> coefficients) {
  double least_free = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  double most_bounded = most;
  std::size_t free_count = 0;
  for (std::size_t r = 0; r < gradient.size(); ++r) {
    most = std::max(most, gradient[r]);
    if (coefficients[r] < upper(example, r)) {
      least_free = std::min(least_free, gradient[r]);
      ++free_count;
    } else {
      most_bounded = std::max(most_bounded, gradient[r]);
    }
  }
  if (free_count == 0) return {0.0, true, std::numeric_limits<double>::infinity()};
  return {most - least_free, free_count == 1, least_free - most_bounded};
}

double ExampleStep::solve(const CrammerSingerExample& example,
                          std::span<const double> gradient,
                          std::span<double> coefficients) {
  const std::size_t k = gradient.size();
  const double a = example.curvature;
  std::ranges::copy(coefficients, changes_.begin());  // the old coefficients, for now
  if (a > 0) {
    // crammer-singer.md, the step: sort d, find beta.
    for (std::size_t r = 0; r < k; ++r) {
      sorted_[r] = gradient[r] + a * (upper(example, r) - coefficients[r]);
    }
    const std::size_t free_class = largest(sorted_);
    std::ranges::sort(sorted_, std::greater<>());
    double sum = sorted_[0] - a * example.cost;
    std::size_t m = 1;
    while (m < k && sum < static_cast<double>(m) * sorted_[m]) sum += sorted_[m++];
    const double beta = sum / static_cast<double>(m);
    double total = 0;
    for (std::size_t r = 0; r < k; ++r) {
      const double wanted = coefficients[r] + (beta - gradient[r]) / a;
      coefficients[r] = std::min(upper(example, r), wanted);
      total += coefficients[r];
    }
    // What rounding leaves of the sum goes to the class farthest from its bound.
    coefficients[free_class] =
        std::min(upper(example, free_class), coefficients[free_class] - total);
  } else {
    std::ranges::fill(coefficients, 0.0);
    const std::size_t worst = largest(gradient);
    if (worst != example.own) {
      coefficients[example.own] = example.cost;
      coefficients[worst] = -example.cost;
    }
  }
  double slope = 0;
  double squares = 0;
  for (std::size_t r = 0; r < k; ++r) {
    changes_[r] = coefficients[r] - changes_[r];
    slope += gradient[r] * changes_[r];
    squares += changes_[r] * changes_[r];
  }
  return -slope - a / 2 * squares;
}

}  // namespace maxmargin
