// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/interior-point.md
#include "solver/interior/kernel_machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/interior/held_triangle.hpp"
#include "solver/interior/interior.hpp"
#include "solver/smo/state.hpp"
#include "solver/smo/working_set.hpp"

namespace maxmargin::interior {

namespace {

/// How far rounding may move the objectives at most: a value f_i is a sum with an error of epsilon
/// sum_j |b_j K_ij|, and K_ij^2 <= K_ii K_jj. The dual meets it with b, the primal with the bound
/// of every row that pays a loss.
double rounding_of(const SvmDual& problem, const SmoState& state, const SmoObjectives& at) {
  const std::span<const double> diagonal = problem.matrix->diagonal();
  double by_b = 0;
  double by_losses = 0;
  for (std::size_t v = 0; v < problem.variables(); ++v) {
    const double length = std::sqrt(std::max(diagonal[problem.row_of(v)], 0.0));
    const double b = state.coefficients()[v];
    by_b += std::abs(b) * length;
    const double offset = problem.group.empty() ? 0.0 : at.offsets[problem.group[v]];
    const double slope = -state.values()[problem.row_of(v)] - problem.linear[v] - offset;
    const double bound = slope > 0 ? problem.upper[v] : problem.lower[v];
    by_losses += std::abs(std::isfinite(bound) ? bound : b) * length;
  }
  return std::numeric_limits<double>::epsilon() * by_b * std::max(by_b, by_losses);
}

}  // namespace

bool takes(const SvmDual& problem, std::size_t bytes) {
  for (std::size_t v = 0; v < problem.variables(); ++v) {
    const bool ridge = !problem.ridge.empty() && problem.ridge[v] > 0;
    const bool low = std::isfinite(problem.lower[v]);
    const bool high = std::isfinite(problem.upper[v]);
    if ((!low && !high) || (!ridge && !(low && high))) return false;
  }
  return HeldTriangle::bytes(problem.matrix->size()) <= static_cast<double>(bytes);
}

double kernel_operations(std::size_t rows) {
  constexpr double steps = 30;
  const auto n = static_cast<double>(rows);
  return steps * n * n * (n / 3 + 20);
}

SmoSolution solve_kernel(const SvmDual& problem, const SmoOptions& options) {
  const Stopwatch watch;
  const std::size_t threads = thread_count(options.context.threads);
  InteriorSolution found;
  {
    HeldTriangle matrix(problem.matrix->size(), rows_of(*problem.matrix), threads);
    found = solve_interior(problem,
                           matrix,
                           {.tolerance = options.tolerance,
                            .max_steps = options.max_iterations,
                            .context = options.context});
  }
  // What SMO would say of the point.
  const std::size_t batch =
      std::clamp<std::size_t>(problem.matrix->rows_held() / 2, 8, smo_working_set);
  SmoState state(problem, found.coefficients, threads);
  (void)state.sum_up(batch, {});
  const SmoObjectives objectives = state.objectives();
  SmoWorkingSet working_set(problem.variables(), batch);
  SmoSolution solution;
  solution.coefficients = std::move(found.coefficients);
  solution.offsets = objectives.offsets;
  solution.values.assign(state.values().begin(), state.values().end());
  solution.kkt_violation = working_set.violation(state).largest;
  SolveReport& report = solution.report;
  report.status = found.status;
  report.iterations = found.steps;
  report.primal_objective = objectives.primal;
  report.dual_objective = objectives.dual;
  report.seconds = {{"solve", watch.seconds()}};
  const double size = std::max(std::abs(objectives.primal), std::abs(objectives.dual));
  const double gap = relative_gap(objectives.primal, objectives.dual);
  if (report.status == Status::solved && !(gap <= options.tolerance)) {
    report.status = Status::no_progress;
  }
  // Errors of n sums that all point one way are the bound; as they fall they add up like sqrt(n).
  const double aligned = std::sqrt(static_cast<double>(problem.matrix->size()));
  const double lost = rounding_of(problem, state, objectives);
  if (!(lost <= aligned * options.tolerance * size)) report.status = Status::numerical_failure;
  if (report.status == Status::no_progress) {
    report.message = "interior point steps no longer lower the gap";
  } else if (report.status == Status::numerical_failure) {
    report.message = "kernel values are beyond the digits of doubles: scale the features";
  }
  return solution;
}

}  // namespace maxmargin::interior

namespace maxmargin {

namespace {

/// Shares of the memory that the square matrix may take: several machines may be trained at a time.
constexpr std::size_t share_when_chosen = 2;
constexpr std::size_t share_when_taking_over = 8;

double gap_of(const SmoSolution& solution) {
  const auto gap = solution.report.relative_gap();
  return gap ? *gap : std::numeric_limits<double>::infinity();
}

}  // namespace

SmoSolution solve_machine(const SvmDual& problem,
                          ConvexMethod method,
                          const SmoOptions& options,
                          std::span<const double> start) {
  const std::size_t memory = options.context.memory_bytes();
  if (method == ConvexMethod::interior_point) {
    validate(options);
    validate(problem);
    require(interior::takes(problem, memory / share_when_chosen),
            "--solver interior-point needs a finite C, and half of the memory limit for a square "
            "matrix of the rows");
    return interior::solve_kernel(problem, options);
  }
  SmoOptions smo = options;
  if (method == ConvexMethod::automatic && !options.kkt_tolerance && problem.matrix != nullptr &&
      interior::takes(problem, memory / share_when_taking_over)) {
    smo.other_operations = interior::kernel_operations(problem.matrix->size());
  }
  SmoSolution first = solve_smo(problem, smo, start);
  if (!first.gave_up) return first;
  SmoOptions rest = options;
  if (rest.max_iterations) {
    *rest.max_iterations -= std::min(*rest.max_iterations, first.report.iterations);
  }
  SmoSolution second = interior::solve_kernel(problem, rest);
  if (second.report.status != Status::solved && gap_of(first) < gap_of(second)) {
    first.report.status = second.report.status;
    first.report.message = second.report.message;
    std::swap(first, second);
  }
  second.report.iterations += first.report.iterations;
  second.report.seconds.front().second += first.report.seconds.front().second;
  second.report.warnings.push_back(
      "SMO was slow: after its work exceeded a share of that of the interior point method, that "
      "one "
      "took over (--scale makes SMO quick, --solver chooses)");
  return second;
}

}  // namespace maxmargin
