// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/sdp/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/require.hpp"
#include "problem/sdp/definite.hpp"

namespace maxmargin {

namespace {

void check_multipliers(const SdpProblem& problem, std::span<const double> y, const char* who) {
  require(y.size() == problem.constraints(),
          std::string(who) + ": there are " + std::to_string(y.size()) + " multipliers for " +
              std::to_string(problem.constraints()) + " constraints");
  for (const double value : y) {
    require_field(std::isfinite(value), std::string(who) + ": a multiplier", value, "finite");
  }
}

/// <A, X>, where X is read as (X + X') / 2.
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

double least_eigenvalue(const SdpProblem& problem, const BlockMatrix& x) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (x[k].cols() == 0) continue;
    if (problem.blocks()[k].cone == SdpCone::nonnegative) {
      least = std::min(least, *std::ranges::min_element(x[k].values()));
    } else {
      least = std::min(least, eigenvalues_symmetric(x[k].view()).front());
    }
  }
  return least;
}

/// Subtracts factor times a data matrix from the lower triangles of `z`.
void subtract(std::span<const SdpEntry> entries,
              double factor,
              const SdpProblem& problem,
              BlockMatrix& z) {
  for (const SdpEntry& entry : entries) {
    const bool vector = problem.blocks()[entry.block].cone == SdpCone::nonnegative;
    z[entry.block](vector ? 0 : entry.row, entry.column) -= factor * entry.value;
  }
}

/// |.|_F of symmetric blocks given by their lower triangles. Squares in long double: entries of
/// 1e200 and of 1e-200 neither overflow nor vanish.
double frobenius_of_lower(const SdpProblem& problem, const BlockMatrix& z) {
  long double sum = 0;
  for (std::size_t k = 0; k < z.size(); ++k) {
    const bool vector = problem.blocks()[k].cone == SdpCone::nonnegative;
    for (std::size_t i = 0; i < z[k].rows(); ++i) {
      const std::size_t end = vector ? z[k].cols() : i + 1;
      for (std::size_t j = 0; j < end; ++j) {
        const long double value = z[k](i, j);
        sum += (vector || i == j ? 1 : 2) * value * value;
      }
    }
  }
  return static_cast<double>(std::sqrt(sum));
}

double inner(const BlockMatrix& x, const BlockMatrix& z) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    for (std::size_t i = 0; i < x[k].values().size(); ++i) {
      sum += x[k].values()[i] * z[k].values()[i];
    }
  }
  return sum;
}

/// Adds the multiple of the identity that brings a matrix into the cone, beyond rounding.
void lift_into_cone(DenseMatrix& x) {
  const std::vector<double> values = eigenvalues_symmetric(x.view());
  const double size = std::max(std::abs(values.front()), std::abs(values.back()));
  const double rounding =
      2 * static_cast<double>(values.size()) * std::numeric_limits<double>::epsilon() * size;
  if (values.front() < rounding) {
    for (std::size_t i = 0; i < x.rows(); ++i) x(i, i) += rounding - values.front();
  }
}

/// Whether a symmetric matrix is semidefinite beyond rounding: rows of zeros aside, the rest is
/// shown to be definite.
bool is_proven_semidefinite(const DenseMatrix& x) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (std::ranges::any_of(x.row(i), [](double v) { return v != 0; })) rows.push_back(i);
  }
  DenseMatrix part(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) part(i, j) = x(rows[i], rows[j]);
  }
  return rows.empty() || is_proven_above(part, 0.0);
}

void symmetrise(DenseMatrix& x) {
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (x(i, j) != x(j, i)) x(i, j) = x(j, i) = 0.5 * x(i, j) + 0.5 * x(j, i);
    }
  }
}

/// Whether <A, X> = 0 for the numbers as stored: every product and every partial sum is exact. A
/// sum that has to round is not taken for 0.
bool is_exactly_zero(std::span<const SdpEntry> entries,
                     const BlockMatrix& x,
                     const SdpProblem& problem) {
  double sum = 0;
  for (const SdpEntry& entry : entries) {
    const bool vector = problem.blocks()[entry.block].cone == SdpCone::nonnegative;
    const double factor = x[entry.block](vector ? 0 : entry.row, entry.column);
    if (factor == 0) continue;
    const double weight = entry.row == entry.column ? entry.value : 2 * entry.value;
    const double product = weight * factor;
    // Below this the error of a product may vanish itself.
    if (!(std::abs(product) > 1e-280) || std::fma(weight, factor, -product) != 0) return false;
    const double next = sum + product;
    const double part = next - sum;
    if ((sum - (next - part)) + (product - part) != 0) return false;
    sum = next;
  }
  return sum == 0;
}

}  // namespace

SdpResiduals residuals(const SdpProblem& problem,
                       const BlockMatrix& x,
                       std::span<const double> y,
                       const BlockMatrix& z) {
  problem.check_point(x, "residuals: X");
  problem.check_point(z, "residuals: Z");
  check_multipliers(problem, y, "residuals: y");
  SdpResiduals found;
  found.primal = inner(problem.cost(), x, problem);
  long double squares = 0;
  double largest_rhs = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const long double miss = inner(problem.constraint(i), x, problem) - problem.rhs()[i];
    squares += miss * miss;
    largest_rhs = std::max(largest_rhs, std::abs(problem.rhs()[i]));
    found.dual += problem.rhs()[i] * y[i];
  }
  found.primal_infeasibility = static_cast<double>(std::sqrt(squares)) / (1 + largest_rhs);

  BlockMatrix miss = z;
  subtract(problem.cost(), 1.0, problem, miss);
  for (std::size_t i = 0; i < y.size(); ++i) subtract(problem.constraint(i), -y[i], problem, miss);
  double largest_cost = 0;
  for (const SdpEntry& entry : problem.cost()) {
    largest_cost = std::max(largest_cost, std::abs(entry.value));
  }
  found.dual_infeasibility = frobenius_of_lower(problem, miss) / (1 + largest_cost);
  found.least_eigenvalue_x = least_eigenvalue(problem, x);
  found.least_eigenvalue_z = least_eigenvalue(problem, z);
  const double scale = 1 + std::abs(found.primal) + std::abs(found.dual);
  found.relative_gap = (found.primal - found.dual) / scale;
  found.complementarity = inner(x, z) / scale;
  return found;
}

SdpRayProof unboundedness_proof(const SdpProblem& problem, const BlockMatrix& ray) {
  problem.check_point(ray, "unboundedness_proof");
  // What is not in the cone beyond rounding is lifted into it first.
  BlockMatrix x = ray;
  bool is_in_cone = true;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (x[k].cols() == 0) continue;
    if (problem.blocks()[k].cone == SdpCone::nonnegative) {
      for (double& value : x[k].values()) value = std::max(value, 0.0);
      continue;
    }
    symmetrise(x[k]);
    if (is_proven_semidefinite(x[k])) continue;
    is_in_cone = false;
    lift_into_cone(x[k]);
  }
  const double slope = inner(problem.cost(), x, problem);
  SdpRayProof proof;
  if (!(slope < 0)) return proof;
  double magnitude = 0;
  for (const SdpEntry& entry : problem.cost()) {
    const bool vector = problem.blocks()[entry.block].cone == SdpCone::nonnegative;
    magnitude += 2 * std::abs(entry.value * x[entry.block](vector ? 0 : entry.row, entry.column));
  }
  // Products and sums of `inner` round in long double, the result once more.
  const double rounding = std::numeric_limits<double>::epsilon() * std::abs(slope) +
                          4 * static_cast<double>(problem.cost().size() + 1) *
                              static_cast<double>(std::numeric_limits<long double>::epsilon()) *
                              magnitude;
  long double squares = 0;
  bool is_zero = true;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    const long double value = inner(problem.constraint(i), x, problem) / -slope;
    squares += value * value;
    is_zero = is_zero && is_exactly_zero(problem.constraint(i), x, problem);
  }
  proof.value = 1;
  proof.violation = static_cast<double>(std::sqrt(squares));
  proof.proven = is_in_cone && is_zero && slope + rounding < 0;
  return proof;
}

}  // namespace maxmargin
