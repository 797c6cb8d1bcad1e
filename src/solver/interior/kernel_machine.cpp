// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/interior-point.md
#include "solver/interior/kernel_machine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "core/stoppable.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/interior/held_triangle.hpp"
#include "solver/interior/interior.hpp"
#include "solver/interior/loop_rules.hpp"
#include "solver/smo/state.hpp"
#include "solver/smo/working_set.hpp"
#include "solver/takeover.hpp"

namespace maxmargin::interior {

namespace {

/// Objectives that are wrong by more than this share, or the tolerance, are none.
constexpr double worst_rounding = 1e-3;
/// Where values of rows that matter are wrong by more than this share of their margin, rounding is
/// what tells the rows apart.
constexpr double worst_of_margins = 0.1;

/// What the rounding of K does to a solution, as one expects of independent errors.
struct Rounding {
  /// How far the objectives move. The dual meets the values f with b, the primal with the bound of
  /// every row that pays a loss. (The sums themselves are formed in more digits.)
  double of_objectives = 0;
  /// How far the values of rows that matter move, in units of their margin.
  double of_margins = 0;
};

Rounding rounding_of(const SvmDual& problem,
                     const HeldTriangle& matrix,
                     const InteriorSolution& found) {
  std::vector<double> by_row(matrix.size(), 0.0);
  for (std::size_t v = 0; v < problem.variables(); ++v) {
    by_row[problem.row_of(v)] += found.coefficients[v];
  }
  std::vector<double> errors(matrix.size());
  matrix.multiply_errors(by_row, errors);
  double of_b = 0;
  double of_losses = 0;
  double of_margins = 0;
  double mass = 0;
  double largest_linear = 0;
  for (std::size_t v = 0; v < problem.variables(); ++v) {
    const double error = errors[problem.row_of(v)];
    const double b = found.coefficients[v];
    of_b += (b * error) * (b * error);
    of_margins += std::abs(b) * error;
    mass += std::abs(b);
    largest_linear = std::max(largest_linear, std::abs(problem.linear[v]));
    const double offset = problem.group.empty() ? 0.0 : found.offsets[problem.group[v]];
    const double slope = -found.values[problem.row_of(v)] - problem.linear[v] - offset;
    const double bound = slope > 0 ? problem.upper[v] : problem.lower[v];
    const double weight = std::isfinite(bound) ? bound : b;
    of_losses += (weight * error) * (weight * error);
  }
  const double margins = mass * largest_linear;
  return {std::sqrt(std::max(of_b, of_losses)), margins > 0 ? of_margins / margins : 0.0};
}

std::size_t batch_of(const SvmDual& problem) {
  return std::clamp<std::size_t>(problem.matrix->rows_held() / 2, 8, smo_working_set);
}

/// What SMO would say of the point.
double violation_of(const SvmDual& problem, const InteriorSolution& found, std::size_t threads) {
  SmoState state(problem, found.coefficients, threads);
  state.take_values(found.values);
  return SmoWorkingSet(problem.variables(), batch_of(problem)).violation(state).largest;
}

/// Where no point had finite numbers, or there was no time for any: the one that SMO begins at, and
/// what can be said of that.
SmoSolution first_point(const SvmDual& problem, const Context& context, std::size_t threads) {
  SmoState state(problem, {}, threads);
  const Continue answer = state.sum_up(batch_of(problem), context);
  SmoSolution solution;
  solution.coefficients.assign(state.coefficients().begin(), state.coefficients().end());
  solution.values.assign(state.values().begin(), state.values().end());
  SmoObjectives objectives = state.objectives();
  solution.offsets = std::move(objectives.offsets);
  solution.kkt_violation =
      SmoWorkingSet(problem.variables(), batch_of(problem)).violation(state).largest;
  if (answer == Continue::yes) {
    solution.report.primal_objective = objectives.primal;
    solution.report.dual_objective = objectives.dual;
  }
  return solution;
}

constexpr const char* beyond_digits =
    "kernel values are beyond the digits of doubles: scale the features";

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
  const auto n = static_cast<double>(rows);
  return usual_steps * n * n * (n / 3 + 20);
}

SmoSolution solve_kernel(const SvmDual& problem, const SmoOptions& options) {
  const Stopwatch watch;
  const std::size_t threads = thread_count(options.context.threads);
  InteriorSolution found;
  Rounding rounding;
  try {
    HeldTriangle matrix(problem.matrix->size(),
                        rows_of(*problem.matrix),
                        threads,
                        holds_float(*problem.matrix),
                        options.context.on_progress);
    found = solve_interior(problem,
                           matrix,
                           {.tolerance = options.tolerance,
                            .max_steps = options.max_iterations,
                            .context = options.context});
    if (!found.values.empty()) rounding = rounding_of(problem, matrix, found);
  } catch (const Stopped& stopped) {
    found.status = status_of(stopped.answer());
  }
  if (found.values.empty()) {
    SmoSolution nothing = first_point(problem, options.context, threads);
    const bool ended = was_stopped(found.status);
    nothing.report.status = ended ? found.status : Status::numerical_failure;
    nothing.report.message = ended ? "ended before there was a point" : beyond_digits;
    nothing.report.iterations = found.steps;
    nothing.report.seconds = {{"solve", watch.seconds()}};
    return nothing;
  }
  SmoSolution solution;
  solution.coefficients = found.coefficients;
  solution.offsets = found.offsets;
  solution.values = found.values;
  solution.kkt_violation = violation_of(problem, found, threads);
  SolveReport& report = solution.report;
  report.status = found.status;
  report.iterations = found.steps;
  report.primal_objective = found.primal;
  report.dual_objective = found.dual;
  report.seconds = {{"solve", watch.seconds()}};
  if (report.status == Status::solved || report.status == Status::no_progress) {
    const double size = std::max(std::abs(found.primal), std::abs(found.dual));
    const double allowed = std::max(options.tolerance, worst_rounding);
    if (!(rounding.of_objectives <= allowed * size && rounding.of_margins <= worst_of_margins)) {
      report.status = Status::numerical_failure;
    } else if (report.status == Status::solved &&
               !(rounding.of_objectives <= options.tolerance * size)) {
      report.status = Status::solved_inaccurate;
      report.message =
          "the gap is within the tolerance, but the rounding of kernel values, about " +
          format_number(rounding.of_objectives / size, 2) + " of the objective, is not";
    }
  }
  if (report.status == Status::no_progress) {
    report.message = "interior point steps no longer lower the gap";
  } else if (report.status == Status::numerical_failure) {
    report.message = beyond_digits;
  }
  return solution;
}

}  // namespace maxmargin::interior

namespace maxmargin {

namespace {

/// Shares of the memory that the square matrix may take: several machines may be trained at a time.
constexpr std::size_t share_when_chosen = 2;
constexpr std::size_t share_when_taking_over = 8;

constexpr const char* slow_warning =
    "SMO was slow: after its work exceeded a share of that of the interior point method, that one "
    "took over (--scale makes SMO quick, --solver chooses)";
constexpr const char* lost_digits_warning =
    "SMO ended in the rounding of its sums: the interior point method, which keeps more digits, "
    "took "
    "over (--scale makes SMO quick, --solver chooses)";

/// Did SMO end where longer sums may go on? An optimum of zero, the rule without linear terms, is
/// none for either method, and what rows in float have lost is lost to longer sums, too.
bool may_have_lost_digits(const SvmDual& problem, const SmoSolution& solution) {
  const Status status = solution.report.status;
  const bool in_entries =
      status == Status::numerical_failure || status == Status::solved_inaccurate;
  if (in_entries && holds_float(*problem.matrix)) return false;
  return (status == Status::no_progress || in_entries) &&
         std::ranges::any_of(problem.linear, [](double p) { return p != 0; });
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
  const bool lost_digits = smo.other_operations && may_have_lost_digits(problem, first);
  if (!first.gave_up && !lost_digits) return first;
  SmoOptions rest = options;
  if (rest.max_iterations) {
    *rest.max_iterations -= std::min(*rest.max_iterations, first.report.iterations);
  }
  SmoSolution second = interior::solve_kernel(problem, rest);
  const TakenOver smo_run{.method = "SMO",
                          .warning = lost_digits ? lost_digits_warning : slow_warning,
                          .gave_up = first.gave_up};
  SmoSolution& best = take_second(smo_run, first.report, second.report) ? second : first;
  best.gave_up = false;
  return std::move(best);
}

}  // namespace maxmargin
