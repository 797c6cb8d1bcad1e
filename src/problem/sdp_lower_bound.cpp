// SPDX-License-Identifier: Apache-2.0
//
// Bounds that hold beyond rounding: of the primal value for any multipliers, and of infeasibility.
#include <algorithm>
#include <cmath>
#include <string>

#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/linalg/cholesky.hpp"
#include "maxmargin/linalg/eigen_symmetric.hpp"
#include "maxmargin/problem/sdp_residuals.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr auto long_epsilon = static_cast<double>(std::numeric_limits<long double>::epsilon());

/// A block of C - sum y_i A_i (lower triangle) and how far it is from the exact one: in Frobenius
/// norm for a semidefinite block (one number), entry by entry for a nonnegative one.
struct RoundedBlock {
  DenseMatrix matrix = {};
  std::vector<double> errors = {};
};

/// Sums in long double and rounds once: each entry is off by half an ulp of itself and, unless it
/// is a single term, by a long ulp for every addition, of the sum of its terms' magnitudes.
class DualMatrix {
 public:
  explicit DualMatrix(const SdpProblem& problem) : problem_(&problem) {
    for (const SdpBlock& block : problem.blocks()) {
      const bool vector = block.cone == SdpCone::nonnegative;
      sums_.emplace_back(checked_multiply(vector ? 1 : block.size, block.size), 0.0L);
      magnitudes_.emplace_back(vector ? block.size : 1);
    }
  }
  void subtract(std::span<const SdpEntry> entries, double factor) {
    if (factor == 0) return;
    for (const SdpEntry& entry : entries) {
      const SdpBlock& block = problem_->blocks()[entry.block];
      const bool vector = block.cone == SdpCone::nonnegative;
      const long double term = static_cast<long double>(factor) * entry.value;
      sums_[entry.block][(vector ? 0 : entry.row * block.size) + entry.column] -= term;
      Magnitude& magnitude = magnitudes_[entry.block][vector ? entry.row : 0];
      magnitude.sum += (entry.row == entry.column ? 1 : 2) * std::abs(static_cast<double>(term));
      magnitude.terms += 1;
    }
  }
  [[nodiscard]] RoundedBlock round(std::size_t k) const {
    const SdpBlock& block = problem_->blocks()[k];
    const bool vector = block.cone == SdpCone::nonnegative;
    RoundedBlock result{.matrix = DenseMatrix(vector ? 1 : block.size, block.size)};
    double squares = 0;
    for (std::size_t i = 0; i < sums_[k].size(); ++i) {
      const auto value = static_cast<double>(sums_[k][i]);
      result.matrix.values()[i] = value;
      squares += 2 * value * value;
    }
    for (std::size_t j = 0; j < magnitudes_[k].size(); ++j) {
      const Magnitude& magnitude = magnitudes_[k][j];
      const double size = vector ? std::abs(result.matrix(0, j)) : std::sqrt(squares);
      // An entry of a semidefinite block has at most one term of C and of every A_i.
      const double terms = vector ? magnitude.terms : static_cast<double>(problem_->constraints());
      const double additions = vector ? std::max(0.0, terms - 1) : terms;
      result.errors.push_back(epsilon * size + 2 * additions * long_epsilon * magnitude.sum);
    }
    return result;
  }

 private:
  struct Magnitude {
    double sum = 0;
    double terms = 0;
  };
  const SdpProblem* problem_;
  std::vector<std::vector<long double>> sums_ = {};
  std::vector<std::vector<Magnitude>> magnitudes_ = {};
};

/// Whether matrix - shift I is positive semidefinite, proven: the Cholesky factorisation in
/// floating point of B - c I succeeds only for a positive semidefinite B when c is at least
/// (n+1) u / (1 - (n+1) u) tr B, u the unit roundoff (S. M. Rump, 2006). epsilon = 2u pays for the
/// rounding of the diagonal as well.
bool is_proven_above(const DenseMatrix& matrix, double shift) {
  const std::size_t n = matrix.rows();
  DenseMatrix shifted = matrix;
  double trace = 0;
  double largest = std::abs(shift);
  for (std::size_t i = 0; i < n; ++i) {
    trace += std::abs(matrix(i, i) - shift);
    largest = std::max(largest, std::abs(matrix(i, i)));
  }
  const double c = static_cast<double>(n + 3) * epsilon * trace + 2 * epsilon * largest;
  if (!std::isfinite(c)) return false;
  for (std::size_t i = 0; i < n; ++i) shifted(i, i) = (matrix(i, i) - shift) - c;
  return Cholesky::factor(shifted.view(), 0.0).has_value();
}

/// A number that is proven to be no more than the least eigenvalue of the exact block, and near it.
double proven_least_eigenvalue(const RoundedBlock& block) {
  const DenseMatrix& z = block.matrix;
  const double error = block.errors.front();
  if (std::ranges::all_of(z.values(), [](double v) { return v == 0; })) return -error;
  if (z.rows() == 1) return z(0, 0) - error;
  const std::vector<double> values = eigenvalues_symmetric(z.view());
  const double size = std::max(std::abs(values.front()), std::abs(values.back()));
  double spread = 0;
  for (const double value : values) spread += value - values.front();
  double margin = 2 * static_cast<double>(z.rows() + 3) * epsilon * (spread + size);
  // The first try holds unless the eigenvalues are worse than LAPACK promises.
  for (int attempt = 0; attempt < 20; ++attempt, margin *= 4) {
    const double claim = values.front() - margin;
    if (is_proven_above(z, claim)) return claim - error;
  }
  return -infinity;
}

/// What <Z, X> loses at most in a block: value >= -loss for all X within the bounds.
struct Loss {
  double value = 0;
  double least_eigenvalue = infinity;
};

Loss loss_of(const RoundedBlock& block,
             SdpCone cone,
             std::span<const double> diagonal_bounds,
             double trace_bound) {
  Loss loss;
  if (diagonal_bounds.empty()) return loss;
  if (cone == SdpCone::semidefinite) {
    loss.least_eigenvalue = proven_least_eigenvalue(block);
    if (loss.least_eigenvalue < 0) loss.value = -loss.least_eigenvalue * trace_bound;
    // 0 x infinity cannot prove anything.
    if (std::isnan(loss.value)) loss.value = infinity;
    return loss;
  }
  for (std::size_t j = 0; j < diagonal_bounds.size(); ++j) {
    const double least = block.matrix(0, j) - block.errors[j];
    loss.least_eigenvalue = std::min(loss.least_eigenvalue, least);
    if (least < 0) loss.value += -least * diagonal_bounds[j];
  }
  if (loss.least_eigenvalue < 0) {
    loss.value = std::min(loss.value, -loss.least_eigenvalue * trace_bound);
  }
  if (std::isnan(loss.value)) loss.value = infinity;
  return loss;
}

SdpLowerBound bound_of(const SdpProblem& problem,
                       std::span<const double> y,
                       const SdpBounds& bounds,
                       bool with_cost) {
  require(y.size() == problem.constraints(),
          "certified_lower_bound: there are " + std::to_string(y.size()) + " multipliers for " +
              std::to_string(problem.constraints()) + " constraints");
  SdpLowerBound found;
  DualMatrix sums(problem);
  if (with_cost) sums.subtract(problem.cost(), -1.0);
  long double dual = 0;
  double magnitude = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(y[i])) return {.least_eigenvalue = -infinity};
    sums.subtract(problem.constraint(i), y[i]);
    const long double term = static_cast<long double>(y[i]) * problem.rhs()[i];
    dual += term;
    magnitude += std::abs(static_cast<double>(term));
  }
  double loss = 0;
  for (std::size_t k = 0; k < problem.blocks().size(); ++k) {
    const RoundedBlock block = sums.round(k);
    const bool finite =
        std::ranges::all_of(block.errors, [](double v) { return std::isfinite(v); }) &&
        std::ranges::all_of(block.matrix.values(), [](double v) { return std::isfinite(v); });
    if (!finite) return {.least_eigenvalue = -infinity};
    const Loss part = loss_of(block, problem.blocks()[k].cone, bounds.diagonal[k], bounds.trace[k]);
    loss += part.value * (1 + 4 * epsilon);
    found.least_eigenvalue = std::min(found.least_eigenvalue, part.least_eigenvalue);
    found.uses_bounds = found.uses_bounds || part.value > 0;
  }
  const double terms = static_cast<double>(y.size()) + 4;
  found.value = static_cast<double>(dual) - terms * long_epsilon * magnitude -
                epsilon * std::abs(static_cast<double>(dual)) - loss;
  found.value -= epsilon * std::abs(found.value);
  if (std::isnan(found.value)) found.value = -infinity;
  return found;
}

}  // namespace

SdpLowerBound certified_lower_bound(const SdpProblem& problem, std::span<const double> y) {
  return certified_lower_bound(problem, y, implied_bounds(problem));
}

SdpLowerBound certified_lower_bound(const SdpProblem& problem,
                                    std::span<const double> y,
                                    const SdpBounds& bounds) {
  return bound_of(problem, y, bounds, true);
}

SdpLowerBound certified_lower_bound(const SdpProblem& problem,
                                    std::span<const double> y,
                                    double near) {
  const SdpLowerBound plain = certified_lower_bound(problem, y);
  if (!std::isfinite(near)) return plain;
  const double guess = near + 0.01 * std::abs(near) + 1e-6;
  SdpLowerBound guessed = certified_lower_bound(problem, y, implied_bounds(problem, guess));
  guessed.value = std::min(guessed.value, guess);
  return guessed.value > plain.value ? guessed : plain;
}

SdpRayProof infeasibility_proof(const SdpProblem& problem, std::span<const double> y) {
  require(y.size() == problem.constraints(),
          "infeasibility_proof: there are " + std::to_string(y.size()) + " multipliers for " +
              std::to_string(problem.constraints()) + " constraints");
  SdpRayProof proof;
  double slope = 0;
  for (std::size_t i = 0; i < y.size(); ++i) slope += y[i] * problem.rhs()[i];
  if (!(slope > 0) || !std::isfinite(slope)) return proof;
  std::vector<double> scaled(y.begin(), y.end());
  for (double& value : scaled) value /= slope;
  // With C = 0 the value of any feasible X is 0; a bound above that leaves none.
  const SdpLowerBound bound = bound_of(problem, scaled, implied_bounds(problem), false);
  proof.value = 1;
  proof.violation = std::max(0.0, -bound.least_eigenvalue);
  proof.proven = bound.value > 0;
  return proof;
}

}  // namespace maxmargin
