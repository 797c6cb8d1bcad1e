// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/sdp/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/require.hpp"
#include "problem/sdp/scale.hpp"

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

}  // namespace maxmargin
