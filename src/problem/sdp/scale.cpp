// SPDX-License-Identifier: Apache-2.0
#include "problem/sdp/scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/problem/sdp/residuals.hpp"

namespace maxmargin {

/// Squares in long double, whose exponents hold those of 1e200 and of 1e-200.
double length_of(std::span<const SdpEntry> entries) {
  long double squares = 0;
  for (const SdpEntry& entry : entries) {
    const long double value = entry.value;
    squares += (entry.row == entry.column ? 1 : 2) * value * value;
  }
  return static_cast<double>(std::sqrt(squares));
}

double inner(std::span<const SdpEntry> entries, const BlockMatrix& x, const SdpProblem& problem) {
  long double sum = 0;
  for (const SdpEntry& entry : entries) {
    const DenseMatrix& block = x[entry.block];
    if (problem.blocks()[entry.block].cone == SdpCone::nonnegative) {
      sum += static_cast<long double>(entry.value) * block(0, entry.row);
    } else if (entry.row == entry.column) {
      sum += static_cast<long double>(entry.value) * block(entry.row, entry.row);
    } else {
      sum += static_cast<long double>(entry.value) * block(entry.row, entry.column);
      sum += static_cast<long double>(entry.value) * block(entry.column, entry.row);
    }
  }
  return static_cast<double>(sum);
}

double norm(std::span<const double> numbers) {
  long double squares = 0;
  for (const long double value : numbers) squares += value * value;
  return static_cast<double>(std::sqrt(squares));
}

namespace {

/// Share of |C| |b| below which a value counts as 0.
constexpr double share_of_zero = 0.01;

/// What a gap is measured by where the values are smaller.
double gap_floor(const SdpProblem& problem) {
  std::vector<double> rhs;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    const double length = length_of(problem.constraint(i));
    if (length > 0) rhs.push_back(problem.rhs()[i] / length);
  }
  const double cost = length_of(problem.cost());
  const double right = norm(rhs);
  // A value is 0 exactly where one of them is.
  const double scale = (cost > 0 ? cost : 1.0) * (right > 0 ? right : 1.0);
  return share_of_zero * std::min(1.0, scale);
}

}  // namespace

double proven_gap(const SdpProblem& problem, double value, std::optional<double> lower_bound) {
  if (!lower_bound || !std::isfinite(*lower_bound)) return std::numeric_limits<double>::infinity();
  if (value == *lower_bound) return 0;
  return std::abs(value - *lower_bound) /
         std::max({gap_floor(problem), std::abs(value), std::abs(*lower_bound)});
}

}  // namespace maxmargin
