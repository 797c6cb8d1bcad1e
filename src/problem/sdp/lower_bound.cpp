// SPDX-License-Identifier: Apache-2.0
//
// Bounds that hold beyond rounding: of the primal value for any multipliers, and of infeasibility.
#include <algorithm>
#include <cmath>
#include <string>

#include "linalg/cholesky.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "problem/sdp/definite.hpp"

namespace maxmargin {

/// The Cholesky factorisation in floating point of B - c I succeeds only for a positive
/// semidefinite B when c is at least (n+1) u / (1 - (n+1) u) tr B, u the unit roundoff (S. M. Rump,
/// 2006). epsilon = 2u pays for the rounding of the diagonal as well.
bool is_proven_above(const DenseMatrix& matrix, double shift) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
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

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr auto long_epsilon = static_cast<double>(std::numeric_limits<long double>::epsilon());

/// A block of C - sum y_i A_i (lower triangle) and how far it is from the exact one: in Frobenius
/// norm for a semidefinite block (one number), entry by entry for a nonnegative one.
struct RoundedBlock {
  DenseMatrix matrix = {};
  std::vector<double> errors = {};
  /// Of a semidefinite block the rows with a term: only these are in the matrix, the rest of the
  /// block is 0 exactly.
  std::vector<std::size_t> rows = {};
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
      touched_.emplace_back(block.size, false);
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
      touched_[entry.block][entry.row] = touched_[entry.block][entry.column] = true;
    }
  }
  [[nodiscard]] RoundedBlock round(std::size_t k) const {
    const SdpBlock& block = problem_->blocks()[k];
    const bool vector = block.cone == SdpCone::nonnegative;
    RoundedBlock result;
    for (std::size_t i = 0; i < block.size; ++i) {
      if (vector || touched_[k][i]) result.rows.push_back(i);
    }
    const std::size_t n = result.rows.size();
    result.matrix = DenseMatrix(vector ? 1 : n, n);
    double squares = 0;
    for (std::size_t i = 0; i < result.matrix.rows(); ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t row = vector ? 0 : result.rows[i] * block.size;
        const auto value = static_cast<double>(sums_[k][row + result.rows[j]]);
        result.matrix(i, j) = value;
        squares += 2 * value * value;
      }
    }
    for (std::size_t j = 0; j < magnitudes_[k].size(); ++j) {
      const Magnitude& magnitude = magnitudes_[k][j];
      const double size = vector ? std::abs(result.matrix(0, j)) : std::sqrt(squares);
      // An entry of a semidefinite block has at most one term of C and of every A_i.
      const double terms = vector ? magnitude.terms : static_cast<double>(problem_->constraints());
      const double additions = vector ? std::max(0.0, terms - 1) : terms;
      // Half an ulp each of the entries and of the least eigenvalue less this error.
      result.errors.push_back(2 * epsilon * size + 2 * additions * long_epsilon * magnitude.sum);
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
  std::vector<std::vector<bool>> touched_ = {};
};

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

/// C - sum y_i A_i as far as a bound needs it, and b'y rounded down.
struct DualPoint {
  struct Block {
    /// Proven to be no more than the least eigenvalue; +inf without rows.
    double least_eigenvalue = infinity;
    /// Of a nonnegative block: no more than each entry.
    std::vector<double> entries = {};
  };
  std::vector<Block> blocks = {};
  double value = 0;
  bool is_finite = true;
};

DualPoint::Block lower_block(const RoundedBlock& block, const SdpBlock& shape) {
  DualPoint::Block result;
  if (shape.size == 0) return result;
  if (shape.cone == SdpCone::semidefinite) {
    if (!block.rows.empty()) result.least_eigenvalue = proven_least_eigenvalue(block);
    if (block.rows.size() < shape.size) {
      result.least_eigenvalue = std::min(result.least_eigenvalue, 0.0);
    }
    return result;
  }
  for (std::size_t j = 0; j < shape.size; ++j) {
    result.entries.push_back(block.matrix(0, j) - block.errors[j]);
    result.least_eigenvalue = std::min(result.least_eigenvalue, result.entries.back());
  }
  return result;
}

DualPoint dual_point(const SdpProblem& problem, std::span<const double> y, bool with_cost) {
  require(y.size() == problem.constraints(),
          "certified_lower_bound: there are " + std::to_string(y.size()) + " multipliers for " +
              std::to_string(problem.constraints()) + " constraints");
  DualPoint point;
  DualMatrix sums(problem);
  if (with_cost) sums.subtract(problem.cost(), -1.0);
  long double dual = 0;
  double magnitude = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(y[i])) return {.is_finite = false};
    sums.subtract(problem.constraint(i), y[i]);
    const long double term = static_cast<long double>(y[i]) * problem.rhs()[i];
    dual += term;
    magnitude += std::abs(static_cast<double>(term));
  }
  for (std::size_t k = 0; k < problem.blocks().size(); ++k) {
    const RoundedBlock block = sums.round(k);
    const bool finite =
        std::ranges::all_of(block.errors, [](double v) { return std::isfinite(v); }) &&
        std::ranges::all_of(block.matrix.values(), [](double v) { return std::isfinite(v); });
    if (!finite) return {.is_finite = false};
    point.blocks.push_back(lower_block(block, problem.blocks()[k]));
  }
  // Two subtractions and the rounding of b'y to a double.
  const double terms = static_cast<double>(y.size()) + 4;
  point.value = static_cast<double>(dual) - 2 * terms * long_epsilon * magnitude -
                4 * epsilon * std::abs(static_cast<double>(dual));
  return point;
}

/// What <Z, X> loses at most in a block: <Z, X> >= -loss for all X within the bounds.
double loss_of(const DualPoint::Block& block,
               std::span<const double> diagonal_bounds,
               double trace_bound) {
  if (!(block.least_eigenvalue < 0)) return 0;
  double loss = -block.least_eigenvalue * trace_bound;
  // 0 x infinity cannot prove anything.
  if (std::isnan(loss)) loss = infinity;
  if (block.entries.empty()) return loss;
  double sum = 0;
  for (std::size_t j = 0; j < block.entries.size(); ++j) {
    if (block.entries[j] < 0) sum += -block.entries[j] * diagonal_bounds[j];
  }
  return sum < loss ? sum : loss;
}

SdpLowerBound bound_of(const SdpProblem& problem, const DualPoint& point, const SdpBounds& bounds) {
  if (!point.is_finite) return {.least_eigenvalue = -infinity};
  SdpLowerBound found;
  double loss = 0;
  for (std::size_t k = 0; k < point.blocks.size(); ++k) {
    const double part = loss_of(point.blocks[k], bounds.diagonal[k], bounds.trace[k]);
    loss += part;
    found.least_eigenvalue = std::min(found.least_eigenvalue, point.blocks[k].least_eigenvalue);
    found.uses_bounds = found.uses_bounds || part > 0;
  }
  // A product and at most order + blocks additions, half an ulp each.
  const auto operations = static_cast<double>(problem.order() + point.blocks.size() + 8);
  found.value = point.value - loss * (1 + operations * epsilon);
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
  return bound_of(problem, dual_point(problem, y, true), bounds);
}

SdpLowerBound certified_lower_bound(const SdpProblem& problem,
                                    std::span<const double> y,
                                    double near) {
  const DualPoint point = dual_point(problem, y, true);
  const SdpLowerBound plain = bound_of(problem, point, implied_bounds(problem));
  if (!std::isfinite(near) || !plain.uses_bounds) return plain;
  const double guess = near + 0.01 * std::abs(near) + 1e-6;
  SdpLowerBound guessed = bound_of(problem, point, implied_bounds(problem, guess));
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
  const SdpLowerBound bound =
      bound_of(problem, dual_point(problem, scaled, false), implied_bounds(problem));
  proof.value = 1;
  proof.violation = std::max(0.0, -bound.least_eigenvalue);
  proof.proven = bound.value > 0;
  return proof;
}

}  // namespace maxmargin
