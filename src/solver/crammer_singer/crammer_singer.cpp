// SPDX-License-Identifier: Apache-2.0
#include "solver/crammer_singer/crammer_singer.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/crammer_singer/interior.hpp"
#include "solver/crammer_singer/run.hpp"
#include "solver/default_steps.hpp"
#include "solver/takeover.hpp"

namespace maxmargin {

namespace {

/// A copy of the starting point, checked; 0 without one.
DenseMatrix starting_point(const CrammerSinger& problem, DenseView start) {
  const std::size_t n = problem.size();
  const std::size_t k = problem.class_count;
  DenseMatrix coefficients(n, k, 0.0);
  if (start.rows == 0) return coefficients;
  require(start.rows == n && start.cols == k,
          "solve_crammer_singer: the start must be empty or examples x classes");
  for (std::size_t i = 0; i < n; ++i) {
    // What a solution read from a file may be off by.
    const double rounding = 1e-9 * problem.costs[i];
    double sum = 0;
    for (std::size_t r = 0; r < k; ++r) {
      const double value = start(i, r);
      require(value <= problem.upper(i, r) + rounding,
              "solve_crammer_singer: the start breaks the bound of example " + std::to_string(i) +
                  ", class " + std::to_string(r) + " (from 0)");
      coefficients(i, r) = std::min(value, problem.upper(i, r));
      sum += value;
    }
    require(std::abs(sum) <= rounding * static_cast<double>(k),
            "solve_crammer_singer: the coefficients of example " + std::to_string(i) +
                " (from 0) of the start do not sum to 0");
  }
  return coefficients;
}

/// Of a step on one example: two looks at its features, or its share of a working set.
double operations_of_step(const CrammerSinger& problem) {
  const auto n = static_cast<double>(std::max<std::size_t>(problem.size(), 1));
  constexpr double working_set = 512;
  double entries = working_set + n;
  if (const auto* points = std::get_if<PointRows>(&problem.points)) {
    std::size_t stored = 0;
    for (std::size_t i = 0; i < problem.size(); ++i) {
      points->row(i).for_each([&](std::size_t, double) { ++stored; });
    }
    entries = 2 * (static_cast<double>(stored) / n + 1);
  }
  return entries * static_cast<double>(problem.class_count);
}

/// Work of coordinates that is never too much, and how often they may do the work of the interior
/// point method: as linear machines of two classes.
constexpr double least_work = 0x1p25;
constexpr double worth_of_others = 4;

/// Coordinates, as long as their work is below that of the interior point method, then that one.
void solve_by_features(const CrammerSinger& problem,
                       const CrammerSingerOptions& options,
                       CrammerSingerSolution& solution) {
  std::optional<double> operations;
  if (crammer_singer::interior_takes(problem, options.context)) {
    operations = least_work + worth_of_others * crammer_singer::interior_operations(problem);
  }
  if (!solve_linear(problem, options, operations, solution)) return;
  CrammerSingerOptions rest = options;
  if (rest.max_iterations) {
    *rest.max_iterations -= std::min(*rest.max_iterations, solution.report.iterations);
  }
  crammer_singer::InteriorCoefficients found = crammer_singer::solve_interior(problem, rest);
  CrammerSingerSolution second;
  second.coefficients = std::move(found.coefficients);
  measure_linear(problem, options, second);
  SolveReport& report = second.report;
  const double gap = gap_size(*report.primal_objective, *report.dual_objective);
  report.status = gap <= options.tolerance         ? Status::solved
                  : found.status == Status::solved ? Status::no_progress
                                                   : found.status;
  if (report.status == Status::no_progress) report.message = "steps no longer close the gap";
  report.iterations = found.steps;
  const TakenOver coordinates{
      .method = "dual coordinate descent",
      .warning =
          "dual coordinate descent was slow: after its work exceeded that of the interior "
          "point method, that one took over (--scale makes coordinates quick)"};
  if (take_second(coordinates, solution.report, report)) solution = std::move(second);
}

}  // namespace

void CrammerSingerOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "tolerance", .help = "relative duality gap at which it stops"},
               tolerance,
               rules::share_inside);
  visit.whole({.name = "max-iterations",
               .help = "steps on single examples at most",
               .fallback = "10 minutes of work"},
              max_iterations);
  visit.yes_no(
      {.name = "shrinking", .help = "leave out examples that stay at a corner (linear machines)"},
      shrinking);
  visit.threads(context.threads);
}

bool CrammerSingerStop::should_stop(const Objectives& objectives) {
  const Continue answer =
      options_.context.ask({.phase = "solve",
                            .iteration = report_.iterations,
                            .max_iterations = options_.max_iterations,
                            .primal_objective = objectives.primal,
                            .dual_objective = objectives.dual,
                            .gap = relative_gap(objectives.primal, objectives.dual),
                            .target = options_.tolerance});
  if (answer != Continue::yes) {
    finish(status_of(answer), objectives);
    return true;
  }
  if (!out_of_steps()) return false;
  finish(Status::iteration_limit, objectives);
  return true;
}

bool CrammerSingerStop::is_stuck(const Objectives& objectives) {
  constexpr std::size_t most_idle_rounds = 30;
  const double gap = objectives.primal - objectives.dual;
  const bool grew = objectives.dual > best_dual_ + 1e-15 * std::abs(best_dual_);
  const bool fell = gap < 0.99 * least_gap_;
  best_dual_ = std::max(best_dual_, objectives.dual);
  least_gap_ = std::min(least_gap_, gap);
  idle_rounds_ = grew || fell ? 0 : idle_rounds_ + 1;
  return idle_rounds_ >= most_idle_rounds;
}

void CrammerSingerStop::finish(Status status, const Objectives& objectives, const char* message) {
  report_.status = status;
  report_.message = message;
  report_.primal_objective = objectives.primal;
  report_.dual_objective = objectives.dual;
}

CrammerSingerSolution solve_crammer_singer(const CrammerSinger& problem,
                                           const CrammerSingerOptions& options,
                                           DenseView start) {
  validate(problem);
  validate(options);
  CrammerSingerOptions limited = options;
  if (!limited.max_iterations) limited.max_iterations = default_steps(operations_of_step(problem));
  CrammerSingerSolution solution;
  solution.coefficients = starting_point(problem, start);
  PhaseTimer timer;
  timer.enter("solve");
  if (std::holds_alternative<PointRows>(problem.points)) {
    solve_by_features(problem, limited, solution);
  } else {
    solve_kernel(problem, limited, solution);
  }
  solution.report.seconds = timer.finish();
  solution.offsets.assign(problem.class_count, 0.0);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    for (std::size_t r = 0; r < problem.class_count; ++r) {
      solution.offsets[r] += solution.coefficients(i, r);
    }
  }
  for (double& offset : solution.offsets) offset *= problem.bias * problem.bias;
  return solution;
}

}  // namespace maxmargin
