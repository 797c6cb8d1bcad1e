// SPDX-License-Identifier: Apache-2.0
#include "solver/linear/linear.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "maxmargin/core/require.hpp"
#include "solver/interior/linear_machine.hpp"
#include "solver/linear/default_passes.hpp"
#include "solver/linear/dual_coordinate_trial.hpp"
#include "solver/linear/finish.hpp"
#include "solver/takeover.hpp"

namespace maxmargin {

namespace {

/// Passes of dual coordinate descent after which Newton's method is the better way for squared
/// losses: it takes 20 to 60 passes over the rows that pay a loss.
constexpr std::uint64_t patience = 25;
/// Work of coordinates that is never too much, and how often they may do the work of the interior
/// point method: most problems that they end are ended well before.
constexpr double least_work = 0x1p25;
constexpr double worth_of_others = 4;
constexpr const char* beyond_interior =
    "--solver interior-point needs the penalty l2, a loss other than logistic, and memory for a "
    "square "
    "matrix of the features or of the rows";

LinearOptions with_iterations_used(LinearOptions options, std::uint64_t used) {
  if (options.max_iterations) *options.max_iterations -= std::min(*options.max_iterations, used);
  return options;
}

/// Counts and times of two methods that worked on the same problem one after the other.
void add_first(const LinearSolution& first, LinearSolution& second) {
  second.report.iterations += first.report.iterations;
  for (std::size_t k = 0; k < second.report.seconds.size(); ++k) {
    second.report.seconds[k].second += first.report.seconds[k].second;
  }
}

bool gave_up(const LinearSolution& solution) {
  return solution.report.status == Status::no_progress &&
         !solution.report.primal_objective.has_value();
}

LinearSolution solve_squared(const LinearRisk& problem,
                             const LinearOptions& options,
                             std::span<const double> start) {
  LinearSolution first = linear::dual_coordinate(problem, options, start, {.passes = patience});
  if (!gave_up(first)) return first;
  LinearSolution second =
      solve_primal_newton(problem, with_iterations_used(options, first.report.iterations), first.w);
  add_first(first, second);
  return second;
}

/// Losses with corners: coordinates, as long as their work is below that of the other method.
LinearSolution solve_cornered(const LinearRisk& problem,
                              const LinearOptions& options,
                              std::span<const double> start) {
  linear::require_solvable(problem, options, start, problem.rows());
  linear::Trial trial;
  if (options.method == ConvexMethod::automatic && !options.kkt_tolerance &&
      interior::takes(problem, options.context)) {
    trial.operations = least_work + worth_of_others * interior::linear_operations(problem);
  }
  LinearSolution first = linear::dual_coordinate(problem, options, start, trial);
  if (!trial.operations || first.report.status != Status::no_progress) return first;
  LinearSolution second =
      interior::solve_linear(problem, with_iterations_used(options, first.report.iterations));
  constexpr TakenOver coordinates{
      .method = "dual coordinate descent",
      .warning =
          "dual coordinate descent was slow: after its work exceeded that of the interior "
          "point method, that one took over (--scale makes coordinates quick, --solver "
          "chooses)"};
  return take_second(coordinates, first.report, second.report) ? second : first;
}

/// The coefficients of a neighbouring C times the r that makes the dual largest: along r b the dual
/// is r linear - r^2/2 quadratic.
std::vector<double> scaled_start(const LinearRisk& problem, const LinearSolution& neighbour) {
  const bool squared = is_smooth(problem.loss);
  double linear_part = 0;
  double quadratic_part = 2 * linear::half_squared_norm(neighbour.w);
  double ratio = 0;  // largest |b_i| / C_i
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const double b = neighbour.coefficients[i];
    if (b == 0) continue;
    linear_part += b * problem.targets[i];
    if (!is_classification(problem.loss)) linear_part -= problem.epsilon * std::abs(b);
    if (squared) quadratic_part += b * b / (2 * problem.upper(i));
    ratio = std::max(ratio, std::abs(b) / problem.upper(i));
  }
  double scale = quadratic_part > 0 ? linear_part / quadratic_part : 1.0;
  if (!squared && ratio > 0) scale = std::min(scale, 1 / ratio);
  std::vector<double> start = neighbour.coefficients;
  for (double& b : start) b *= scale;
  return start;
}

LinearSolution solve_limited(const LinearRisk& problem,
                             const LinearOptions& options,
                             const LinearSolution* start) {
  if (options.method == ConvexMethod::interior_point) {
    linear::require_solvable(problem, options, {}, problem.rows());
    require(interior::takes(problem, options.context), beyond_interior);
    return interior::solve_linear(problem, options);
  }
  const auto w = start != nullptr ? std::span<const double>(start->w) : std::span<const double>{};
  if (problem.penalty == LinearPenalty::l1) return solve_l1_coordinate(problem, options, w);
  if (problem.loss == LinearLoss::logistic) return solve_primal_newton(problem, options, w);
  const auto b =
      start != nullptr ? std::span<const double>(start->coefficients) : std::span<const double>{};
  if (!is_smooth(problem.loss)) return solve_cornered(problem, options, b);
  linear::require_solvable(problem, options, b, problem.rows());
  if (options.kkt_tolerance) return solve_dual_coordinate(problem, options, b);
  if (!w.empty()) {
    // A solution of Newton's method is certified by its w, not by the combination of its b.
    LinearOptions look = options;
    look.max_iterations = 0;
    LinearSolution as_is = solve_primal_newton(problem, look, w);
    if (as_is.report.status == Status::solved) return as_is;
  }
  return solve_squared(problem, options, b);
}

}  // namespace

LinearSolution solve_linear(const LinearRisk& problem,
                            const LinearOptions& options,
                            const LinearSolution* start) {
  return solve_limited(problem, linear::with_default_passes(options, problem.examples), start);
}

std::vector<LinearSolution> solve_linear_path(const LinearRisk& problem,
                                              std::span<const double> cs,
                                              const LinearOptions& options) {
  std::vector<LinearSolution> path;
  for (const double c : cs) {
    LinearRisk step = problem;
    step.c = c;
    if (path.empty()) {
      path.push_back(solve_linear(step, options));
    } else {
      require_field(std::isfinite(c) && c > 0, "C of a path", c, "finite and > 0");
      LinearSolution start = path.back();
      if (step.penalty == LinearPenalty::l2) start.coefficients = scaled_start(step, start);
      path.push_back(solve_linear(step, options, &start));
    }
    const Status status = path.back().report.status;
    if (status == Status::stopped_by_callback || status == Status::time_limit) break;
  }
  return path;
}

}  // namespace maxmargin
