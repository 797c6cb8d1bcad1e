// SPDX-License-Identifier: Apache-2.0
//
// Programs that need no solver, the scaled program of those that do, and the measured report.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "problem/sdp/scale.hpp"
#include "solver/sdp/rays.hpp"
#include "solver/sdp/scaled.hpp"

namespace maxmargin {

namespace {

/// A constraint that is no further than this from a combination of others is one, as far as
/// rounding tells (rows of length 1, per unit of the combination).
constexpr double dependence_tolerance = 1e-12;

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
    scaled.norms.push_back(length_of(problem.constraint(i)));
    scaled.rhs.push_back(problem.rhs()[i] / scaled.norms.back());
  }
  scaled.kept = std::move(kept);
  scaled.blocks = block_rows(problem, scaled.kept, scaled.norms);
  const double rhs_norm = norm(scaled.rhs);
  if (rhs_norm > 0) scaled.rhs_scale = rhs_norm;
  for (double& b : scaled.rhs) b /= scaled.rhs_scale;
  const double cost_norm = length_of(problem.cost());
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
      const double least = pairs.values.front();
      if (least >= 0) continue;
      double trace = 0;
      for (const double value : pairs.values) trace += value;
      // vv' and as much of the identity as leaves half the slope: definite beyond rounding.
      const double lift = 0.5 * -least / std::max(-least, std::abs(trace));
      const std::span<const double> v = pairs.vectors.row(0);
      for (std::size_t i = 0; i < v.size(); ++i) {
        for (std::size_t j = 0; j < v.size(); ++j) {
          ray[k](i, j) = v[i] * v[j] + (i == j ? lift : 0.0);
        }
      }
    }
  }
  // Far below rounding of C: a matrix that is semidefinite may look a little otherwise.
  if (inner_product(c, ray) < -1e-13 * frobenius(c) && accept_primal_ray(scaled, ray, solution)) {
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

/// Whether a combination of rows vanishes to rounding. The Gram matrix alone cannot tell: its
/// pivots are squares of distances, so it sees none below 1e-8.
bool vanishes(const ScaledSdp& program, const ConstraintGram::Dependence& dependence) {
  std::vector<double> y(program.constraints(), 0.0);
  double size = 0;
  for (const auto& [row, factor] : dependence.combination) {
    y[row] = factor;
    size += std::abs(factor);
  }
  BlockMatrix sum = program.problem->zero_point();
  program.add_adjoint(1.0, y, sum);
  return frobenius(sum) <= dependence_tolerance * size;
}

/// Residuals and gaps up to this may still be called an answer.
constexpr double inaccurate = 1e-2;

/// The multiple whose largest number is 1, in 64ths: rows written by hand depend on each other by
/// simple factors, which the Gram matrix knows to rounding only.
std::vector<double> simplest(std::vector<double> y) {
  double largest = 0;
  for (const double value : y) largest = std::max(largest, std::abs(value));
  for (double& value : y) value = std::nearbyint(64 * value / largest) / 64;
  return y;
}

/// Drops rows that depend on others; a contradiction among them is an answer.
std::vector<std::size_t> independent_rows(const ScaledSdp& program, SdpPresolve& result) {
  const ConstraintGram gram(program);
  std::vector<std::size_t> kept = program.kept;
  std::size_t dropped = 0;
  std::size_t first = 0;
  for (const ConstraintGram::Dependence& dependence : gram.dependences()) {
    if (!vanishes(program, dependence)) continue;
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
      const std::vector<double> exact = program.original_y(ray);
      for (const std::vector<double>& y : {exact, simplest(exact)}) {
        if (accept_dual_ray(program, y, solution)) {
          result.answer = std::move(solution);
          return kept;
        }
      }
      result.warnings.push_back("constraint " + std::to_string(program.kept[dependence.row]) +
                                " depends on others to rounding, and contradicts them");
    }
    if (dropped++ == 0) first = program.kept[dependence.row];
    kept[dependence.row] = program.problem->constraints();
  }
  if (dropped > 0) {
    result.warnings.push_back(std::to_string(dropped) +
                              " constraints depend on others and were left out, the first is " +
                              std::to_string(first) + " (from 0)");
  }
  std::erase(kept, program.problem->constraints());
  return kept;
}

}  // namespace

SdpPresolve presolve(const SdpProblem& problem, bool leave_out_dependent) {
  SdpPresolve result;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    if (!problem.constraint(i).empty()) {
      kept.push_back(i);
    } else if (problem.rhs()[i] != 0) {
      SdpSolution solution = zero_solution(problem);
      std::vector<double> ray(problem.constraints(), 0.0);
      ray[i] = problem.rhs()[i] > 0 ? 1 : -1;
      if (accept_dual_ray(scale(problem, {}), ray, solution)) {
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
  if (!leave_out_dependent) return result;
  std::vector<std::size_t> independent = independent_rows(result.program, result);
  if (independent.size() < result.program.constraints()) {
    result.program = scale(problem, std::move(independent));
  }
  return result;
}

void require_working_memory(const SdpProblem& problem, std::size_t points) {
  for (const SdpBlock& block : problem.blocks()) {
    require_field(block.cone == SdpCone::nonnegative || block.size <= 32766,
                  "the size of a semidefinite block",
                  static_cast<double>(block.size),
                  "at most 32766: LAPACK's limit");
  }
  const std::size_t bytes = points * sizeof(double);
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
  const auto is_finite = [](const BlockMatrix& point) {
    return std::ranges::all_of(point, [](const DenseMatrix& block) {
      return std::ranges::all_of(block.values(), [](double v) { return std::isfinite(v); });
    });
  };
  if (!is_finite(solution.x) || !is_finite(solution.z) ||
      !std::ranges::all_of(solution.y, [](double v) { return std::isfinite(v); })) {
    solution.x = problem.zero_point();
    solution.z = problem.zero_point();
    solution.y.assign(problem.constraints(), 0.0);
    solution.report.status = Status::numerical_failure;
    solution.report.message = "the answer is beyond the range of numbers";
  }
  if (problem.cost().empty()) {
    // Every value is 0, and y = 0 proves it to the last digit.
    solution.y.assign(problem.constraints(), 0.0);
    solution.z = problem.zero_point();
  }
  const SdpResiduals found = residuals(problem, solution.x, solution.y, solution.z);
  SolveReport& report = solution.report;
  const auto finite = [](double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  };
  report.primal_objective = finite(found.primal);
  double largest_cost = 0;
  for (const SdpEntry& entry : problem.cost()) {
    largest_cost = std::max(largest_cost, std::abs(entry.value));
  }
  report.primal_residual = finite(found.primal_infeasibility);
  report.dual_residual = finite(std::max(
      found.dual_infeasibility, std::max(0.0, -found.least_eigenvalue_z) / (1 + largest_cost)));
  const SdpLowerBound bound = certified_lower_bound(problem, solution.y, found.primal);
  report.lower_bound = finite(bound.value);
  // b'y of multipliers outside the cone bounds nothing; the gap is then that of lower_bound.
  report.dual_objective = bound.least_eigenvalue >= 0 ? finite(found.dual) : std::nullopt;
}

void settle(const SdpProblem& problem, double tolerance, SdpSolution& solution) {
  SolveReport& report = solution.report;
  if (report.status == Status::primal_infeasible || report.status == Status::dual_infeasible) {
    return;
  }
  if (report.status != Status::solved && report.status != Status::solved_inaccurate) {
    const char* before = report.message.empty() ? "" : "; ";
    if (!solution.dual_ray.empty()) {
      report.message += before;
      report.message += "perhaps no point is feasible: multipliers show it to rounding only";
    } else if (!solution.primal_ray.empty()) {
      report.message += before;
      report.message += "perhaps unbounded below: a direction shows it to rounding only";
    }
    return;
  }
  solution.dual_ray.clear();
  solution.primal_ray.clear();
  if (report.status != Status::solved) return;
  // The solver measured its own iterate, scaled and without the rows that were left out.
  const SdpResiduals found = residuals(problem, solution.x, solution.y, solution.z);
  const double allowed = 2 * tolerance;
  if (found.primal_infeasibility <= allowed && found.dual_infeasibility <= allowed &&
      std::abs(found.relative_gap) <= allowed) {
    const double gap = proven_gap(problem, found.primal, report.lower_bound);
    const std::optional<double> own_gap = report.relative_gap();
    if (gap <= tolerance && own_gap && std::abs(*own_gap) <= tolerance) return;
    report.status = Status::solved_inaccurate;
    if (gap <= tolerance) {
      report.message =
          "the value is near zero beside |C| |b|: the proven bound is within the tolerance of that "
          "scale, not of the value";
      return;
    }
    report.message = "gap and infeasibilities are within the tolerance, but ";
    report.message += report.lower_bound ? "the proven bound is " + format_number(gap, 3) +
                                               " (relative) away from the value"
                                         : "no bound is proven";
    return;
  }
  // What is left out as dependent may contradict the rest: that is no answer.
  const double worst = std::max(
      {found.primal_infeasibility, found.dual_infeasibility, std::abs(found.relative_gap)});
  report.status = worst <= inaccurate ? Status::solved_inaccurate : Status::no_progress;
  report.message = "the answer as measured misses the tolerance: primal infeasibility " +
                   format_number(found.primal_infeasibility, 3) + ", dual infeasibility " +
                   format_number(found.dual_infeasibility, 3) + ", gap " +
                   format_number(found.relative_gap, 3);
}

}  // namespace maxmargin
