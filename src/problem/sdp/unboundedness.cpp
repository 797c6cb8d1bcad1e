// SPDX-License-Identifier: Apache-2.0
//
// Whether a direction of fall proves that the dual has no feasible point:
// docs/algorithms/sdp-interior-point.md, "Proofs of infeasibility".
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "problem/sdp/definite.hpp"
#include "problem/sdp/exact_neighbour.hpp"
#include "problem/sdp/scale.hpp"

namespace maxmargin {

namespace {

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

SdpRayProof unboundedness_proof(const SdpProblem& problem, const BlockMatrix& ray) {
  problem.check_point(ray, "unboundedness_proof");
  // What is not in the cone beyond rounding is lifted into it first.
  BlockMatrix x = ray;
  bool is_in_cone = true;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (x[k].cols() == 0) continue;
    if (problem.blocks()[k].cone == SdpCone::nonnegative) {
      // What is proven of the clipped numbers is nothing about these.
      for (double& value : x[k].values()) {
        is_in_cone = is_in_cone && value >= 0;
        value = std::max(value, 0.0);
      }
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
  if (!is_in_cone || !(slope + rounding < 0)) return proof;
  proof.proven = is_zero || has_exact_neighbour(problem, x, slope + rounding);
  return proof;
}

}  // namespace maxmargin
