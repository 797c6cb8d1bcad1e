// SPDX-License-Identifier: Apache-2.0
#include "solver/linear_program.hpp"

#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <string>

#include "linalg/blas.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"

namespace maxmargin {

namespace {

/// Beyond this CLP takes numbers for infinite, or ends the process by an assertion.
constexpr double largest_number = 1e20;

void require_size_of(const char* what, std::span<const double> values) {
  for (const double value : values) {
    require_field(std::abs(value) <= largest_number || std::isinf(value),
                  std::string("solve_linear_program: ") + what,
                  value,
                  "at most 1e20 in magnitude, or infinite");
  }
}

void check_sizes(const LinearProgram& problem) {
  validate(problem);
  require_size_of("a cost", problem.cost);
  require_size_of("an entry of the matrix", problem.matrix.view().values);
  require_size_of("a bound of a column", problem.column_lower);
  require_size_of("a bound of a column", problem.column_upper);
  require_size_of("a bound of a row", problem.row_lower);
  require_size_of("a bound of a row", problem.row_upper);
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max() / 2);
  require(
      problem.rows() <= most && problem.columns() <= most && problem.matrix.entries() <= 2 * most,
      "the linear program: CLP counts in 32 bits; rows and columns must be below 2^30 and "
      "entries below 2^31");
}

/// CLP calls this at every pivot. An exception of the callback waits here until CLP has returned:
/// CLP was not written to be left by one.
class Watcher final : public ClpEventHandler {
 public:
  struct State {
    const LinearProgramOptions* options = nullptr;
    /// Pivots from one question to the next.
    int interval = 1;
    Continue answer = Continue::yes;
    std::exception_ptr error = nullptr;
  };

  explicit Watcher(State* state) : state_(state) {}
  int event(Event which) override {
    constexpr int carry_on = -1;
    constexpr int stop = 0;
    if (which != endOfIteration) return carry_on;
    if (state_->answer != Continue::yes || state_->error) return stop;
    const int iteration = model_->numberIterations();
    if (iteration % state_->interval != 0) return carry_on;
    try {
      state_->answer =
          state_->options->context.ask({.phase = "simplex",
                                        .iteration = static_cast<std::uint64_t>(iteration),
                                        .max_iterations = state_->options->max_iterations,
                                        .primal_objective = model_->rawObjectiveValue()});
    } catch (...) {
      state_->error = std::current_exception();
    }
    return state_->answer == Continue::yes && !state_->error ? carry_on : stop;
  }
  [[nodiscard]] ClpEventHandler* clone() const override { return new Watcher(*this); }

 private:
  State* state_;
};

/// Few where a pivot, which looks at all entries, takes long.
int pivots_between_questions(std::size_t entries) {
  constexpr std::size_t most = 100;
  constexpr std::size_t entries_a_question = 2'000'000;
  return static_cast<int>(
      std::clamp<std::size_t>(entries_a_question / std::max<std::size_t>(1, entries), 1, most));
}

/// Columns first, as CLP wants it. Taken apart here so that CLP copies it only once.
struct Columns {
  std::vector<CoinBigIndex> starts;
  std::vector<int> rows;
  std::vector<double> values;
};

Columns by_columns(const SparseMatrix& matrix) {
  const SparseView view = matrix.view();
  Columns columns{.starts = std::vector<CoinBigIndex>(view.cols + 1, 0),
                  .rows = std::vector<int>(view.values.size()),
                  .values = std::vector<double>(view.values.size())};
  for (const std::int32_t j : view.columns) ++columns.starts[static_cast<std::size_t>(j) + 1];
  for (std::size_t j = 0; j < view.cols; ++j) columns.starts[j + 1] += columns.starts[j];
  std::vector<CoinBigIndex> next = columns.starts;
  for (std::size_t i = 0; i < view.rows(); ++i) {
    const SparseRow row = view.row(i);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(row.columns[k])]++);
      columns.rows[at] = static_cast<int>(i);
      columns.values[at] = row.values[k];
    }
  }
  return columns;
}

/// Infinite bounds in CLP's way.
std::vector<double> clp_bounds(std::span<const double> bounds) {
  std::vector<double> answer(bounds.begin(), bounds.end());
  for (double& bound : answer) {
    if (std::isinf(bound)) bound = bound > 0 ? COIN_DBL_MAX : -COIN_DBL_MAX;
  }
  return answer;
}

void load(const LinearProgram& problem, const LinearProgramOptions& options, ClpSimplex& clp) {
  clp.setLogLevel(0);
  const Columns columns = by_columns(problem.matrix);
  clp.loadProblem(narrow<int>(problem.columns()),
                  narrow<int>(problem.rows()),
                  columns.starts.data(),
                  columns.rows.data(),
                  columns.values.data(),
                  clp_bounds(problem.column_lower).data(),
                  clp_bounds(problem.column_upper).data(),
                  problem.cost.data(),
                  clp_bounds(problem.row_lower).data(),
                  clp_bounds(problem.row_upper).data());
  clp.setOptimizationDirection(1);
  clp.setPrimalTolerance(options.tolerance);
  clp.setDualTolerance(options.tolerance);
  // Costs are always perturbed against ties (CLP takes the perturbation back at the end). Left to
  // itself CLP does so only sometimes: 3763 pivots instead of 826 on an LP-SVM of 4000 examples.
  constexpr int always = 50;
  clp.setPerturbation(always);
  if (options.max_iterations) {
    constexpr std::uint64_t most = std::numeric_limits<int>::max();
    clp.setMaximumIterations(static_cast<int>(std::min(*options.max_iterations, most)));
  }
}

enum ClpStatus { optimal = 0, infeasible = 1, unbounded = 2, limit = 3, event_stop = 5 };

void run(SimplexKind kind, ClpSimplex& clp) {
  if (kind == SimplexKind::dual) {
    clp.dual();
  } else {
    clp.primal();
  }
}

std::vector<double> take_ray(double* ray, std::size_t length) {
  const std::unique_ptr<double[]> owner(ray);
  if (ray == nullptr) return {};
  return {ray, ray + length};
}

/// The ray that proves CLP's claim, in the sign of the contract; empty when there is none.
std::vector<double> proven_ray(const LinearProgram& problem, double tolerance, ClpSimplex& clp) {
  const bool claims_infeasible = clp.status() == infeasible;
  std::vector<double> ray = claims_infeasible ? take_ray(clp.infeasibilityRay(), problem.rows())
                                              : take_ray(clp.unboundedRay(), problem.columns());
  for (int sign = 0; sign < 2 && !ray.empty(); ++sign) {
    const RayProof proof =
        claims_infeasible ? infeasibility_proof(problem, ray) : unboundedness_proof(problem, ray);
    const double value = claims_infeasible ? proof.value : -proof.value;
    if (value > tolerance && proof.violation <= 1e-6 * value) return ray;
    for (double& entry : ray) entry = -entry;
  }
  return {};
}

/// No prices show these; they prove themselves.
bool has_crossed_bounds(const LinearProgram& problem) {
  const auto cross = [](std::span<const double> lower, std::span<const double> upper) {
    for (std::size_t i = 0; i < lower.size(); ++i) {
      if (lower[i] > upper[i]) return true;
    }
    return false;
  };
  return cross(problem.column_lower, problem.column_upper) ||
         cross(problem.row_lower, problem.row_upper);
}

double largest_finite(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

/// Fills the objectives and violations, and says whether they are good enough.
bool measure(const LinearProgram& problem, double accepted, LinearProgramSolution& solution) {
  const LinearProgramResiduals found = residuals(problem, solution.x, solution.prices);
  solution.report.primal_objective = found.primal;
  solution.report.dual_objective = found.dual;
  solution.report.primal_residual = found.primal_violation;
  solution.report.dual_residual = found.dual_violation;
  const double primal_scale =
      1 + std::max(largest_finite(solution.x),
                   std::max(largest_finite(problem.row_lower), largest_finite(problem.row_upper)));
  const double dual_scale =
      1 + std::max(largest_finite(problem.cost), largest_finite(solution.prices));
  // Two values near 0 may differ by rounding alone: their relative gap says nothing then.
  const double gap = std::abs(found.primal - found.dual);
  const bool values_meet = gap <= accepted * std::max(std::abs(found.primal), 1e-6 * primal_scale);
  return values_meet && found.primal_violation <= accepted * primal_scale &&
         found.dual_violation <= accepted * dual_scale;
}

void read_answer(const LinearProgram& problem,
                 const LinearProgramOptions& options,
                 const Watcher::State& watched,
                 ClpSimplex& clp,
                 LinearProgramSolution& solution) {
  SolveReport& report = solution.report;
  solution.x.assign(clp.primalColumnSolution(), clp.primalColumnSolution() + problem.columns());
  solution.prices.assign(clp.dualRowSolution(), clp.dualRowSolution() + problem.rows());
  report.iterations = static_cast<std::uint64_t>(std::max(0, clp.numberIterations()));
  const bool finite =
      std::ranges::all_of(solution.x, [](double v) { return std::isfinite(v); }) &&
      std::ranges::all_of(solution.prices, [](double v) { return std::isfinite(v); });
  if (!finite) {
    report.status = Status::numerical_failure;
    report.message = "CLP returned numbers that are not finite";
    return;
  }
  const bool accurate = measure(problem, options.accepted, solution);
  if (clp.status() == optimal) {
    report.status = accurate ? Status::solved : Status::solved_inaccurate;
    if (!accurate) report.message = "CLP's vertex misses the accepted gap or violations";
  } else if (watched.answer != Continue::yes) {
    report.status = status_of(watched.answer);
  } else if (clp.status() == limit) {
    report.status = Status::iteration_limit;
  } else {
    report.status = Status::numerical_failure;
    report.message = "CLP gave up with status " + std::to_string(clp.status());
  }
}

/// Handles CLP's claims of infeasible and unbounded; false when it makes none.
bool read_ray(const LinearProgram& problem,
              const LinearProgramOptions& options,
              ClpSimplex& clp,
              LinearProgramSolution& solution) {
  if (clp.status() != infeasible && clp.status() != unbounded) return false;
  const bool claims_infeasible = clp.status() == infeasible;
  solution.ray = proven_ray(problem, options.tolerance, clp);
  if (solution.ray.empty()) {
    // The other simplex method keeps the ray of this claim.
    run(claims_infeasible ? SimplexKind::dual : SimplexKind::primal, clp);
    if (clp.status() == (claims_infeasible ? infeasible : unbounded)) {
      solution.ray = proven_ray(problem, options.tolerance, clp);
    } else if (clp.status() == optimal || clp.status() == limit || clp.status() == event_stop) {
      return false;
    }
  }
  solution.report.iterations = static_cast<std::uint64_t>(std::max(0, clp.numberIterations()));
  if (solution.ray.empty()) {
    solution.report.status = Status::numerical_failure;
    solution.report.message = std::string("CLP calls the program ") +
                              (claims_infeasible ? "infeasible" : "unbounded") +
                              " but gives no proof of it";
  } else {
    solution.report.status =
        claims_infeasible ? Status::primal_infeasible : Status::dual_infeasible;
    solution.report.message = claims_infeasible ? "no point is feasible (proof in ray)"
                                                : "the objective falls without end (proof in ray)";
  }
  return true;
}

}  // namespace

void LinearProgramOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "tolerance",
                .help = "largest violation of a bound, in the program as CLP scales it"},
               tolerance,
               NumberRule{"a number from 1e-10 to 0.01",
                          {.least = 1e-10, .most = 1e-2, .has_least = true, .has_most = true}});
  visit.number({.name = "accepted",
                .help = "relative gap and violations up to which an answer counts as solved"},
               accepted,
               rules::positive);
  visit.whole({.name = "max-iterations", .help = "pivots at most", .fallback = "none"},
              max_iterations);
}

LinearProgramSolution solve_linear_program(const LinearProgram& problem,
                                           const LinearProgramOptions& options) {
  validate(options);
  check_sizes(problem);
  LinearProgramSolution solution;
  PhaseTimer timer;
  timer.enter("simplex");
  if (has_crossed_bounds(problem)) {
    solution.report.status = Status::primal_infeasible;
    solution.report.message = "a lower bound is above its upper one";
    solution.report.seconds = timer.finish();
    return solution;
  }
  // CLP factors its dense parts by LAPACK. A first call of ours sets BLAS to one thread.
  (void)dot(problem.cost, problem.cost);
  Watcher::State watched{.options = &options,
                         .interval = pivots_between_questions(problem.matrix.entries())};
  // CLP takes a while to take a large program in, and asks nobody before its first pivots.
  const auto may_go_on = [&] {
    watched.answer = options.context.ask({.phase = "simplex"});
    if (watched.answer == Continue::yes) return true;
    solution.report.status = status_of(watched.answer);
    solution.report.seconds = timer.finish();
    return false;
  };
  if (!may_go_on()) return solution;
  ClpSimplex clp;
  load(problem, options, clp);
  if (!may_go_on()) return solution;
  const Watcher watcher(&watched);
  clp.passInEventHandler(&watcher);
  run(options.simplex, clp);
  if (watched.error) std::rethrow_exception(watched.error);
  const bool has_ray = read_ray(problem, options, clp, solution);
  if (watched.error) std::rethrow_exception(watched.error);
  if (!has_ray) read_answer(problem, options, watched, clp, solution);
  solution.report.seconds = timer.finish();
  return solution;
}

}  // namespace maxmargin
