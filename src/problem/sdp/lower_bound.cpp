// SPDX-License-Identifier: Apache-2.0
//
// Bounds that hold beyond rounding: of the primal value for any multipliers, and of infeasibility.
#include <algorithm>
#include <cmath>
#include <string>

#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "problem/sdp/definite.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr auto long_epsilon = static_cast<double>(std::numeric_limits<long double>::epsilon());

/// A principal submatrix of C - sum y_i A_i (lower triangle), or a single number of it, and how far
/// it is from the exact one in Frobenius norm.
struct RoundedPart {
  DenseMatrix matrix = {};
  double error = 0;
};

/// The rows of an n x n matrix (lower triangle) by connected components of the places in use: up to
/// the order of the rows it is block diagonal. Rows ascend, and the components by their first.
std::vector<std::vector<std::size_t>> components(const std::vector<bool>& in_use, std::size_t n) {
  std::vector<std::vector<std::size_t>> found;
  std::vector<bool> seen(n, false);
  for (std::size_t first = 0; first < n; ++first) {
    if (seen[first]) continue;
    std::vector<std::size_t> rows = {first};
    seen[first] = true;
    for (std::size_t at = 0; at < rows.size(); ++at) {
      const std::size_t i = rows[at];
      for (std::size_t j = 0; j < n; ++j) {
        if (seen[j] || !in_use[std::max(i, j) * n + std::min(i, j)]) continue;
        seen[j] = true;
        rows.push_back(j);
      }
    }
    std::ranges::sort(rows);
    found.push_back(std::move(rows));
  }
  return found;
}

/// Sums in long double and rounds once: each entry is off by half an ulp of itself and, unless it
/// is a single term, by a long ulp for every addition, of the sum of its terms' magnitudes.
class DualMatrix {
 public:
  explicit DualMatrix(const SdpProblem& problem) : problem_(&problem) {
    for (const SdpBlock& block : problem.blocks()) {
      const bool vector = block.cone == SdpCone::nonnegative;
      sums_.emplace_back(checked_multiply(vector ? 1 : block.size, block.size), 0.0L);
      in_use_.emplace_back(vector ? 0 : block.size * block.size, false);
      magnitudes_.emplace_back(block.size);
    }
  }
  void subtract(std::span<const SdpEntry> entries, double factor) {
    if (factor == 0) return;
    for (const SdpEntry& entry : entries) {
      const SdpBlock& block = problem_->blocks()[entry.block];
      const bool vector = block.cone == SdpCone::nonnegative;
      const long double term = static_cast<long double>(factor) * entry.value;
      const std::size_t place = (vector ? 0 : entry.row * block.size) + entry.column;
      sums_[entry.block][place] -= term;
      if (!vector) in_use_[entry.block][place] = true;
      // An entry off the diagonal counts for both of its rows, and so twice.
      add(static_cast<double>(term), magnitudes_[entry.block][entry.row]);
      if (entry.row != entry.column) {
        add(static_cast<double>(term), magnitudes_[entry.block][entry.column]);
      }
    }
  }
  /// The numbers of a nonnegative block, and the components of a semidefinite one. Places without a
  /// term are 0 exactly, so each row without one is a component, 0 without an error.
  [[nodiscard]] std::vector<RoundedPart> round(std::size_t k) const {
    const SdpBlock& block = problem_->blocks()[k];
    std::vector<RoundedPart> parts;
    if (block.cone == SdpCone::nonnegative) {
      for (std::size_t j = 0; j < block.size; ++j) parts.push_back(part(k, DenseMatrix(1, 1), {j}));
      return parts;
    }
    for (const std::vector<std::size_t>& rows : components(in_use_[k], block.size)) {
      parts.push_back(part(k, DenseMatrix(rows.size(), rows.size()), rows));
    }
    return parts;
  }

 private:
  /// What went into the entries of a row: their terms' magnitudes, and how many there were.
  struct Magnitude {
    double sum = 0;
    double terms = 0;
  };
  static void add(double term, Magnitude& magnitude) {
    magnitude.sum += std::abs(term);
    magnitude.terms += 1;
  }
  [[nodiscard]] double entry(std::size_t k, std::size_t row, std::size_t column) const {
    const SdpBlock& block = problem_->blocks()[k];
    const bool vector = block.cone == SdpCone::nonnegative;
    return static_cast<double>(sums_[k][(vector ? 0 : row * block.size) + column]);
  }
  [[nodiscard]] RoundedPart part(std::size_t k,
                                 DenseMatrix matrix,
                                 const std::vector<std::size_t>& rows) const {
    long double squares = 0;  // whose exponents hold those of 1e-300
    double sum = 0;
    double terms = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const double value = entry(k, rows[i], rows[j]);
        matrix(i, j) = matrix(j, i) = value;
        squares += (i == j ? 1 : 2) * static_cast<long double>(value) * value;
      }
      sum += magnitudes_[k][rows[i]].sum;
      terms = std::max(terms, magnitudes_[k][rows[i]].terms);
    }
    const double additions = std::max(0.0, terms - 1);
    const auto size = static_cast<double>(std::sqrt(squares));
    // Half an ulp each of the entries and of the least eigenvalue less this error.
    const double error = 2 * epsilon * size + 2 * additions * long_epsilon * sum;
    return {.matrix = std::move(matrix), .error = error};
  }

  const SdpProblem* problem_;
  std::vector<std::vector<long double>> sums_ = {};
  /// Of semidefinite blocks: the places with a term.
  std::vector<std::vector<bool>> in_use_ = {};
  std::vector<std::vector<Magnitude>> magnitudes_ = {};
};

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

bool is_finite(const RoundedPart& part) {
  return std::isfinite(part.error) &&
         std::ranges::all_of(part.matrix.values(), [](double v) { return std::isfinite(v); });
}

DualPoint::Block lower_block(const std::vector<RoundedPart>& parts, const SdpBlock& shape) {
  DualPoint::Block result;
  for (const RoundedPart& part : parts) {
    const double least = proven_least_eigenvalue(part.matrix) - part.error;
    result.least_eigenvalue = std::min(result.least_eigenvalue, least);
    if (shape.cone == SdpCone::nonnegative) result.entries.push_back(least);
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
    const std::vector<RoundedPart> parts = sums.round(k);
    if (!std::ranges::all_of(parts, is_finite)) return {.is_finite = false};
    point.blocks.push_back(lower_block(parts, problem.blocks()[k]));
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
