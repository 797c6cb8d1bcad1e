// SPDX-License-Identifier: Apache-2.0
//
// Programs that need no solver, the scaled program of those that do, and the measured report.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/linalg/eigen_symmetric.hpp"
#include "maxmargin/problem/sdp_residuals.hpp"
#include "solver/sdp_scaled.hpp"

namespace maxmargin::detail {

namespace {

/// A ray counts as proof, beyond what is proven outright, when the feasible points it does not
/// exclude are larger than one over this.
constexpr double ray_tolerance = 1e-8;

double norm(std::span<const SdpEntry> entries) {
  double squares = 0;
  for (const SdpEntry& entry : entries) {
    squares += (entry.row == entry.column ? 1 : 2) * entry.value * entry.value;
  }
  return std::sqrt(squares);
}

/// Rows of unit length of the constraints named in `kept`.
std::vector<SdpBlockRows> block_rows(const SdpProblem& problem,
                                     std::span<const std::size_t> kept,
                                     std::span<const double> norms) {
  std::vector<SdpBlockRows> blocks(problem.blocks().size());
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    blocks[k].cone = problem.blocks()[k].cone;
    blocks[k].size = problem.blocks()[k].size;
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto number = narrow<std::uint32_t>(i);
    for (const SdpEntry& entry : problem.constraint(kept[i])) {
      SdpBlockRows& block = blocks[entry.block];
      if (block.constraint.empty() || block.constraint.back() != number) {
        block.constraint.push_back(number);
        block.offsets.push_back(block.terms.size());
      }
      block.terms.push_back({entry.row, entry.column, entry.value / norms[i]});
      block.offsets.back() = block.terms.size();
    }
  }
  return blocks;
}

ScaledSdp scale(const SdpProblem& problem, std::vector<std::size_t> kept) {
  ScaledSdp scaled{.problem = &problem};
  for (const std::size_t i : kept) {
    scaled.norms.push_back(norm(problem.constraint(i)));
    scaled.rhs.push_back(problem.rhs()[i] / scaled.norms.back());
  }
  scaled.kept = std::move(kept);
  scaled.blocks = block_rows(problem, scaled.kept, scaled.norms);
  double squares = 0;
  for (const double b : scaled.rhs) squares += b * b;
  if (squares > 0) scaled.rhs_scale = std::sqrt(squares);
  for (double& b : scaled.rhs) b /= scaled.rhs_scale;
  const double cost_norm = norm(problem.cost());
  if (cost_norm > 0) scaled.cost_scale = cost_norm;
  for (const SdpEntry& entry : problem.cost()) {
    scaled.blocks[entry.block].cost.push_back(
        {entry.row, entry.column, entry.value / scaled.cost_scale});
  }
  return scaled;
}

/// A start for the answers found here: X = 0, y = 0, and Z = C where that is in the cone.
SdpSolution zero_solution(const SdpProblem& problem) {
  SdpSolution solution;
  solution.x = problem.zero_point();
  solution.z = problem.zero_point();
  solution.y.assign(problem.constraints(), 0.0);
  return solution;
}

/// No constraint is left: min <C, X> over the cone is 0, or there is no least value.
SdpSolution solve_without_constraints(const SdpProblem& problem) {
  SdpSolution solution = zero_solution(problem);
  const ScaledSdp scaled = scale(problem, {});
  const BlockMatrix c = scaled.original_z(scaled.cost());
  BlockMatrix ray = problem.zero_point();
  for (std::size_t k = 0; k < c.size(); ++k) {
    if (scaled.blocks[k].is_vector()) {
      for (std::size_t j = 0; j < c[k].cols(); ++j) ray[k](0, j) = c[k](0, j) < 0 ? 1 : 0;
    } else if (c[k].rows() > 0) {
      const EigenPairs pairs = eigen_symmetric(c[k].view());
      if (pairs.values.front() >= 0) continue;
      const std::span<const double> v = pairs.vectors.row(0);
      for (std::size_t i = 0; i < v.size(); ++i) {
        for (std::size_t j = 0; j < v.size(); ++j) ray[k](i, j) = v[i] * v[j];
      }
    }
  }
  // Far below rounding of C: a matrix that is semidefinite may look a little otherwise.
  if (inner_product(c, ray) < -1e-13 * frobenius(c) && accept_primal_ray(problem, ray, solution)) {
    return solution;
  }
  for (std::size_t k = 0; k < c.size(); ++k) {
    solution.z[k] = c[k];
    if (scaled.blocks[k].is_vector()) {
      for (double& value : solution.z[k].values()) value = std::max(value, 0.0);
    } else {
      solution.z[k] = project_psd(c[k].view());
    }
  }
  measure(problem, solution);
  return solution;
}

/// Drops rows that depend on others; a contradiction among them is an answer.
std::vector<std::size_t> independent_rows(const ScaledSdp& program, SdpPresolve& result) {
  const ConstraintGram gram(program);
  std::vector<std::size_t> kept = program.kept;
  for (const ConstraintGram::Dependence& dependence : gram.dependences()) {
    double miss = 0;
    double magnitude = 0;
    for (const auto& [row, factor] : dependence.combination) {
      miss += factor * program.rhs[row];
      magnitude += std::abs(factor * program.rhs[row]);
    }
    if (std::abs(miss) > 1e-9 * magnitude) {
      std::vector<double> ray(program.constraints(), 0.0);
      for (const auto& [row, factor] : dependence.combination) {
        ray[row] = miss > 0 ? factor : -factor;
      }
      SdpSolution solution = zero_solution(*program.problem);
      if (accept_dual_ray(*program.problem, program.original_y(ray), solution)) {
        result.answer = std::move(solution);
        return kept;
      }
      result.warnings.push_back("constraint " + std::to_string(program.kept[dependence.row]) +
                                " all but depends on others and was left out");
    }
    kept[dependence.row] = program.problem->constraints();
  }
  std::erase(kept, program.problem->constraints());
  return kept;
}

}  // namespace

SdpPresolve presolve(const SdpProblem& problem) {
  SdpPresolve result;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    if (!problem.constraint(i).empty()) {
      kept.push_back(i);
    } else if (problem.rhs()[i] != 0) {
      SdpSolution solution = zero_solution(problem);
      std::vector<double> ray(problem.constraints(), 0.0);
      ray[i] = problem.rhs()[i] > 0 ? 1 : -1;
      if (accept_dual_ray(problem, ray, solution)) {
        result.answer = std::move(solution);
        return result;
      }
    }
  }
  if (kept.empty()) {
    result.answer = solve_without_constraints(problem);
    return result;
  }
  result.program = scale(problem, std::move(kept));
  std::vector<std::size_t> independent = independent_rows(result.program, result);
  if (independent.size() < result.program.constraints()) {
    result.program = scale(problem, std::move(independent));
  }
  return result;
}

void require_working_memory(const SdpProblem& problem) {
  // X, Z, their directions and their factors.
  constexpr std::size_t bytes = 12 * sizeof(double);
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  const std::size_t numbers = problem.point_numbers();
  require_memory(numbers > most / bytes ? most : numbers * bytes,
                 "the matrices of the semidefinite program");
}

void check_start(const SdpProblem& problem, const SdpStart* start) {
  if (start == nullptr) return;
  if (!start->x.empty()) problem.check_point(start->x, "SdpStart.x");
  if (!start->z.empty()) problem.check_point(start->z, "SdpStart.z");
  if (start->y.empty()) return;
  require_field(start->y.size() == problem.constraints(),
                "SdpStart.y: its size",
                static_cast<double>(start->y.size()),
                "the number of constraints, " + std::to_string(problem.constraints()));
  for (const double value : start->y) {
    require_field(std::isfinite(value), "SdpStart.y: an entry", value, "finite");
  }
}

void measure(const SdpProblem& problem, SdpSolution& solution) {
  const SdpResiduals found = residuals(problem, solution.x, solution.y, solution.z);
  SolveReport& report = solution.report;
  report.primal_objective = found.primal;
  report.dual_objective = found.dual;
  double largest_cost = 0;
  for (const SdpEntry& entry : problem.cost()) {
    largest_cost = std::max(largest_cost, std::abs(entry.value));
  }
  report.primal_residual = found.primal_infeasibility;
  report.dual_residual = std::max(found.dual_infeasibility,
                                  std::max(0.0, -found.least_eigenvalue_z) / (1 + largest_cost));
  const double bound = certified_lower_bound(problem, solution.y, found.primal).value;
  report.lower_bound = std::isfinite(bound) ? std::optional(bound) : std::nullopt;
}

bool accept_dual_ray(const SdpProblem& problem, std::span<const double> y, SdpSolution& solution) {
  if (!std::ranges::all_of(y, [](double v) { return std::isfinite(v); })) return false;
  const SdpRayProof proof = infeasibility_proof(problem, y);
  if (!(proof.value > 0) || !(proof.proven || proof.violation <= ray_tolerance)) return false;
  double slope = 0;
  for (std::size_t i = 0; i < y.size(); ++i) slope += y[i] * problem.rhs()[i];
  solution.dual_ray.assign(y.begin(), y.end());
  for (double& value : solution.dual_ray) value /= slope;
  solution.report.status = Status::primal_infeasible;
  solution.report.message = proof.proven
                                ? "no point is feasible (proof in dual_ray)"
                                : "no point of moderate size is feasible (evidence in dual_ray)";
  return true;
}

bool accept_primal_ray(const SdpProblem& problem, const BlockMatrix& x, SdpSolution& solution) {
  for (const DenseMatrix& block : x) {
    if (!std::ranges::all_of(block.values(), [](double v) { return std::isfinite(v); })) {
      return false;
    }
  }
  const SdpRayProof proof = unboundedness_proof(problem, x);
  if (!(proof.value > 0) || !(proof.proven || proof.violation <= ray_tolerance)) return false;
  double slope = 0;
  for (const SdpEntry& entry : problem.cost()) {
    const bool vector = problem.blocks()[entry.block].cone == SdpCone::nonnegative;
    slope += (entry.row == entry.column ? 1 : 2) * entry.value *
             x[entry.block](vector ? 0 : entry.row, entry.column);
  }
  if (!(slope < 0)) return false;
  solution.primal_ray = x;
  for (DenseMatrix& block : solution.primal_ray) {
    for (double& value : block.values()) value /= -slope;
  }
  solution.report.status = Status::dual_infeasible;
  solution.report.message =
      proof.proven ? "the dual has no feasible point (proof in primal_ray)"
                   : "the dual has no feasible point of moderate size (evidence in primal_ray)";
  return true;
}

}  // namespace maxmargin::detail
