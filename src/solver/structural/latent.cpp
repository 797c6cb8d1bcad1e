// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/latent.md
#include "maxmargin/solver/structural/latent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/problem/structural/latent_risk.hpp"
#include "solver/structural/latent_bound.hpp"
#include "solver/structural/latent_state.hpp"
#include "solver/structural/moved_state.hpp"
#include "solver/structural/oracle_portion.hpp"
#include "solver/structural/oracle_range.hpp"
#include "solver/structural/watch.hpp"

namespace maxmargin {

namespace {

/// Relative gap of the first convex step.
constexpr double first_gap = 0.1;
/// A convex step is solved to this share of what the one before it gained.
constexpr double share_of_decrease = 0.1;
/// ... and of the tolerance at the end: a step that proves no stationary point gains the rest.
constexpr double share_of_tolerance = 0.5;
/// After a refused step.
constexpr double tighter = 0.1;
/// Planes of every example that one slack remembers: they serve in later convex steps, too.
constexpr std::size_t planes_across_steps = 20;
/// Turns that cuts and planes may have no weight: what one completion idles, the next may use.
constexpr std::size_t turns_across_steps = 100;
/// Parts or examples between two questions to the callback.
constexpr std::size_t at_once = 1024;

/// The answer that ended a solver with this status.
Continue answer_of(Status status) {
  return status == Status::time_limit ? Continue::time_is_up : Continue::stop;
}

double relative(double difference, double objective) {
  return objective > 0 ? difference / objective : 0.0;
}

class Search {
 public:
  Search(LatentRisk& risk, const LatentOptions& options)
      : risk_(risk),
        options_(options),
        solving_(options.solving),
        threads_(thread_count(solving_.context.threads)),
        floor_(share_of_tolerance * solving_.tolerance) {
    const StructuralRisk& convex = risk.convex();
    for (std::size_t i = 0; i < convex.examples(); ++i) {
      if (risk.is_unique(i)) unique_.push_back(i);
    }
    is_convex_ = unique_.size() == convex.examples();
    // Without a choice the first step is the last.
    if (is_convex_) floor_ = solving_.tolerance;
  }

  LatentSolution solve(const StructuralState* start) {
    require(options_.start != LatentStart::weights ||
                options_.start_weights.size() == risk_.convex().dimension(),
            "solve_latent: start_weights must have one number for every weight");
    require(std::ranges::all_of(options_.start_weights, [](double w) { return std::isfinite(w); }),
            "solve_latent: start_weights must be finite");
    require(risk_.has_random_start() ||
                (options_.restarts == 1 && options_.start != LatentStart::random),
            "--restarts and --start random: this learner has no random start");
    if (start != nullptr) {
      memory_ = memory_of(start->outer, risk_.convex().dimension(), options_.restarts);
    }
    const auto is_proven = [&] {
      return !memory_.runs.empty() && memory_.runs.back().status == Status::solved;
    };
    while (memory_.runs.size() < options_.restarts && !is_proven()) {
      run(std::exchange(start, nullptr));
      if (was_stopped(memory_.runs.back().status)) break;
    }
    return finish();
  }

 private:
  LatentPoint& point() { return memory_.point; }
  [[nodiscard]] bool is_stopped() const { return answer_ != Continue::yes; }

  /// Step 1.
  void begin(bool resumes) {
    const std::uint64_t number = memory_.runs.size();
    const bool is_random = number > 0 || options_.start == LatentStart::random;
    Rng rng(solving_.context.seed, "latent start", number);
    answer_ = risk_.begin(is_random ? &rng : nullptr);
    state_.reset();
    stationary_gap_.reset();
    status_ = Status::local_optimum;
    if (!resumes) {
      memory_.point = {};
      // Without a choice there is one convex problem, and with no gap nothing to wait for.
      point().inner_gap = is_convex_                  ? solving_.tolerance
                          : !has_gap(options_.method) ? floor_
                                                      : std::max(first_gap, floor_);
      if (number > 0 || options_.start != LatentStart::weights) return;
      point().w = options_.start_weights;
    }
    if (point().w.empty()) return;
    if (!propose(point().w)) return;
    risk_.accept();
    if (!resumes) point().objective = objective(point().w);
    // Of a sum that was stopped nothing is known; the weights are there all the same.
    if (is_stopped()) point().objective.reset();
  }

  /// One run, of `resumed` the rest.
  void run(const StructuralState* resumed) {
    begin(resumed != nullptr);
    if (resumed != nullptr) {
      state_ = *resumed;
      state_->outer.clear();
    }
    while (!is_stopped() && step()) {
    }
    if (is_stopped()) status_ = status_of(answer_);
    end();
  }

  /// Steps 2 to 5. False when the run has ended.
  bool step() {
    if (point().steps >= options_.outer_iterations) {
      status_ = Status::iteration_limit;
      return false;
    }
    StructuralSolution found = solve_convex();
    if (found.report.status == Status::numerical_failure) {
      status_ = Status::numerical_failure;
      if (!point().objective) point().w = std::move(found.w);
      return false;
    }
    if (was_stopped(found.report.status)) {
      answer_ = answer_of(found.report.status);
    }
    if (is_stationary(found)) return false;
    return judge(std::move(found));
  }

  /// Step 2.
  StructuralSolution solve_convex() {
    StructuralOptions inner = solving_;
    inner.tolerance = point().inner_gap;
    inner.context = solving_.context.with_seed(step_seed());
    // A single step has no other to remember for.
    const bool is_remembered = !options_.cold_start && !is_convex_;
    if (is_remembered) {
      inner.cached_planes = std::max(inner.cached_planes, planes_across_steps);
      inner.idle_turns = std::max(inner.idle_turns, turns_across_steps);
    }
    inner.keep_state = is_remembered && has_checkpoints(options_.method);
    if (solving_.on_checkpoint) {
      inner.on_checkpoint = [this](const std::function<StructuralState()>& of_step) {
        solving_.on_checkpoint([&] {
          StructuralState state = of_step();
          state.outer = numbers_of(memory_);
          return state;
        });
      };
    }
    StructuralSolution found =
        solve_structural(risk_.convex(), options_.method, inner, state_ ? &*state_ : nullptr);
    point().oracle_calls += found.oracle_calls;
    for (const auto& [phase, seconds] : found.report.seconds) add_seconds(phase, seconds);
    if (!has_objective(options_.method)) {
      found.report.primal_objective.reset();
      if (!was_stopped(found.report.status)) {
        const double at_w = objective(found.w);
        // Of a sum that was stopped nothing is known.
        if (!is_stopped()) found.report.primal_objective = at_w;
      }
    }
    return found;
  }

  /// The seed of the first step is that of the run: with nothing hidden it is the usual machine.
  [[nodiscard]] std::uint64_t step_seed() const {
    const std::uint64_t seed = solving_.context.seed;
    if (memory_.runs.empty() && memory_.point.steps == 0) return seed;
    return derive_seed(
        derive_seed(seed, "latent run", memory_.runs.size()), "convex step", memory_.point.steps);
  }

  /// Step 3: no convex step gains enough from here.
  bool is_stationary(const StructuralSolution& found) {
    const std::optional<double> bound = found.report.dual_objective;
    if (!point().objective || !bound || !has_gap(options_.method)) return false;
    return ends_with_gap(*point().objective - *bound);
  }
  bool ends_with_gap(double gap) {
    const double left = std::max(0.0, gap);
    if (!(left <= solving_.tolerance * *point().objective)) return false;
    stationary_gap_ = left;
    // Nothing hidden: the bound proves the optimum.
    if (is_convex_ && risk_.convex().is_exact()) status_ = Status::solved;
    return true;
  }

  /// Steps 4 and 5: completions at the new point, and what becomes of it.
  bool judge(StructuralSolution found) {
    const std::optional<double> primal = found.report.primal_objective;
    if (!primal) {
      // Stopped before there was an objective.
      if (!point().objective) point().w = std::move(found.w);
      return false;
    }
    const bool late = is_stopped();
    if (!propose(found.w, late)) {
      // Weights whose completions are not known are better than none.
      if (!point().objective) point().w = std::move(found.w);
      return false;
    }
    double next = *primal;
    for (const CompletionChange& change : changes_) {
      next -= solving_.c * risk_.convex().weight(change.example) * change.gain;
    }
    if (!std::isfinite(next)) {
      if (!point().objective) point().w = std::move(found.w);
      status_ = Status::numerical_failure;
      return false;
    }
    if (point().objective && !(next < *point().objective)) return refuse(found, late);
    return take(std::move(found), next, late);
  }

  /// Step 4: F would rise or stay. The convex problem is solved better, from the old point.
  bool refuse(StructuralSolution& found, bool late) {
    if (late) return false;
    if (point().inner_gap <= floor_ || found.report.status != Status::solved) {
      if (found.report.status != Status::solved && has_gap(options_.method)) {
        status_ = found.report.status;
      }
      return false;
    }
    ++point().refused;
    point().inner_gap = std::max(floor_, tighter * point().inner_gap);
    continue_from(std::move(found.state), {});
    return true;
  }

  /// Step 5.
  bool take(StructuralSolution found, double next, bool late) {
    // Of the first step: what the completions gained.
    const double before = point().objective.value_or(*found.report.primal_objective);
    const std::optional<double> bound = found.report.dual_objective;
    const double solved_to = point().inner_gap;
    point().w = std::move(found.w);
    point().objective = next;
    ++point().steps;
    point().trace.push_back({.objective = next,
                             .inner_gap = found.report.relative_gap().value_or(solved_to),
                             .changed = changes_.size(),
                             .oracle_calls = point().oracle_calls,
                             .refused = std::exchange(point().refused, 0)});
    if (late) return false;
    risk_.accept();
    const bool is_same = changes_.empty();
    if (is_same && bound && has_gap(options_.method) && ends_with_gap(next - *bound)) return false;
    const double decrease = relative(before - next, next);
    const bool is_at_floor = point().inner_gap <= floor_;
    if (!has_gap(options_.method) && (is_same || decrease <= solving_.tolerance)) return false;
    // The same problem could not be solved to its gap: it will not be.
    if (is_same && is_at_floor) {
      if (found.report.status != Status::solved) status_ = found.report.status;
      return false;
    }
    point().inner_gap =
        is_same ? floor_
                : std::clamp(share_of_decrease * decrease, floor_, std::max(floor_, solved_to));
    continue_from(std::move(found.state), changes_);
    return true;
  }

  /// Step 6: what the next convex step begins with.
  void continue_from(std::optional<StructuralState> state,
                     std::span<const CompletionChange> changes) {
    state_.reset();
    if (options_.cold_start || !state) return;
    state_ = moved_state(std::move(*state), changes, risk_.convex(), point().w, *point().objective);
    state_->seed = step_seed();
    state_->passes = 0;
    state_->oracle_calls = 0;
  }

  /// All completions at w, and what they change, in the order of the parts. False when stopped; a
  /// late look at what a stopped run has is not.
  bool propose(std::span<const double> w, bool late = false) {
    timer_.enter("completions");
    changes_.clear();
    OraclePortion portion(threads_, at_once);
    const std::size_t parts = risk_.parts();
    std::vector<std::vector<CompletionChange>> found;
    for (std::size_t begin = 0; begin < parts;) {
      if (!late && !goes_on()) break;
      const Stopwatch taken;
      const std::size_t count = std::min(portion.size(), parts - begin);
      found.assign(count, {});
      parallel_chunks(threads_, count, 1, [&](std::size_t k, std::size_t, std::size_t) {
        risk_.propose(begin + k, w, found[k]);
      });
      for (std::vector<CompletionChange>& own : found) {
        std::ranges::move(own, std::back_inserter(changes_));
      }
      portion.took(taken.seconds());
      begin += count;
    }
    timer_.leave();
    return late || !is_stopped();
  }

  bool goes_on() {
    if (is_stopped()) return false;
    answer_ = solving_.context.ask({.phase = "latent",
                                    .iteration = memory_.point.steps,
                                    .max_iterations = options_.outer_iterations,
                                    .primal_objective = memory_.point.objective});
    return !is_stopped();
  }

  /// P(w) at the present completions.
  double objective(std::span<const double> w) {
    timer_.enter("objective");
    const StructuralRisk& convex = risk_.convex();
    OraclePortion portion(threads_, at_once);
    PlaneSum sum{std::span<double>()};
    for (std::size_t begin = 0; begin < convex.examples() && goes_on();) {
      const Stopwatch taken;
      const std::size_t count = std::min(portion.size(), convex.examples() - begin);
      std::vector<CompactPlane> planes(count);
      sum = sum_of_largest_planes(convex, begin, w, threads_, planes, sum);
      portion.took(taken.seconds());
      begin += count;
      point().oracle_calls += count;
    }
    timer_.leave();
    return 0.5 * squared_norm(w) + solving_.c * sum.value;
  }

  /// Step 7: the run is over, and perhaps the best.
  void end() {
    LatentRun run{.status = status_,
                  .objective = point().objective,
                  .stationary_gap = stationary_gap_,
                  .steps = point().steps,
                  .oracle_calls = point().oracle_calls};
    // Stopped before the first weights, a run has those that say nothing.
    point().w.resize(risk_.convex().dimension(), 0.0);
    if (options_.measure) run.measure = options_.measure(point().w);
    const auto value = [](const LatentRun& each) {
      return each.objective.value_or(std::numeric_limits<double>::infinity());
    };
    const bool is_best = memory_.runs.empty() || value(run) < value(memory_.runs[memory_.best]);
    if (is_best) {
      memory_.best = memory_.runs.size();
      memory_.best_w = std::move(point().w);
      memory_.best_trace = std::move(point().trace);
    }
    memory_.runs.push_back(run);
    memory_.point = {};
  }

  LatentSolution finish() {
    LatentSolution solution;
    const LatentRun& best = memory_.runs[memory_.best];
    solution.w = std::move(memory_.best_w);
    solution.trace = std::move(memory_.best_trace);
    solution.stationary_gap = best.stationary_gap;
    solution.best = memory_.best;
    SolveReport& report = solution.report;
    report.status = best.status;
    report.iterations = best.steps;
    report.primal_objective = best.objective;
    for (const LatentRun& run : memory_.runs) solution.oracle_calls += run.oracle_calls;
    if (best.objective) report.lower_bound = bound(best, solution.oracle_calls);
    if (is_stopped()) report.status = status_of(answer_);
    warn(solution);
    for (auto& [phase, seconds] : timer_.finish()) add_seconds(phase, seconds);
    report.seconds = std::move(seconds_);
    solution.runs = std::move(memory_.runs);
    return solution;
  }

  /// What is convex bounds the rest; no sum of losses and squares is below 0. Nothing when stopped:
  /// how far it came is a matter of the clock.
  std::optional<double> bound(const LatentRun& best, std::uint64_t& oracle_calls) {
    if (is_stopped()) return std::nullopt;
    if (is_convex_) {
      return best.stationary_gap ? std::max(0.0, *best.objective - *best.stationary_gap) : 0.0;
    }
    timer_.enter("bound");
    const ConvexPart part(risk_.convex(), unique_);
    const ConvexPartBound found = convex_part_bound(part, options_);
    oracle_calls += found.oracle_calls;
    if (!was_stopped(found.status)) return found.bound;
    answer_ = answer_of(found.status);
    return std::nullopt;
  }

  void warn(LatentSolution& solution) const {
    std::vector<std::string>& warnings = solution.report.warnings;
    if (!risk_.convex().is_exact()) {
      warnings.emplace_back("the oracle is inexact: objective and stationary gap are estimates");
    }
    const bool is_zero = std::ranges::all_of(solution.w, [](double x) { return x == 0; });
    if (is_zero && !was_stopped(solution.report.status) && !is_convex_) {
      warnings.emplace_back(
          "all weights are 0, where every completion is as good: use a larger C or other starts");
    }
  }

  void add_seconds(const std::string& phase, double seconds) {
    for (auto& [name, sum] : seconds_) {
      if (name != phase) continue;
      sum += seconds;
      return;
    }
    seconds_.emplace_back(phase, seconds);
  }

  LatentRisk& risk_;
  const LatentOptions& options_;
  const StructuralOptions& solving_;
  std::size_t threads_;
  double floor_;
  std::vector<std::size_t> unique_ = {};  ///< examples without a choice
  bool is_convex_ = false;                ///< all of them
  LatentMemory memory_ = {};
  /// What the next convex step begins with.
  std::optional<StructuralState> state_ = std::nullopt;
  std::vector<CompletionChange> changes_ = {};
  std::optional<double> stationary_gap_ = std::nullopt;
  Status status_ = Status::local_optimum;
  Continue answer_ = Continue::yes;
  PhaseTimer timer_;
  std::vector<std::pair<std::string, double>> seconds_ = {};
};

}  // namespace

void LatentOptions::describe(OptionVisitor& visit, const std::vector<LatentStart>& starts) {
  describe_method(visit, method);
  solving.describe(visit, "1000 a convex step, of mira 10");
  if (!starts.empty()) {
    visit.name({.name = "start",
                .help = "what the first run begins with; restarts begin with random completions"},
               start,
               starts);
  }
  describe_runs(visit);
  visit.rule(!cold_start || has_checkpoints(method),
             "--cold-start: --solver " + std::string(to_string(method)) + " keeps no planes");
}

void LatentOptions::describe_runs(OptionVisitor& visit, std::string_view condition) {
  const auto help = [&](std::string_view text) { return std::string(text).append(condition); };
  visit.whole({.name = "restarts",
               .help = help("runs, the best of which is the answer: more find better optima")},
              restarts,
              {.least = 1, .most = 1000000});
  visit.whole({.name = "outer-iterations", .help = help("upper limit on convex steps of a run")},
              outer_iterations,
              {.least = 1});
  visit.yes_no({.name = "cold-start",
                .help = help("convex steps forget the planes of the ones before: slower")},
               cold_start);
}

LatentSolution solve_latent(LatentRisk& risk,
                            const LatentOptions& options,
                            const StructuralState* start) {
  require(options.restarts >= 1 && options.outer_iterations >= 1,
          "solve_latent: there must be at least one run of one step");
  require(start == nullptr || has_checkpoints(options.method),
          "solve_latent: runs of " + std::string(to_string(options.method)) + " cannot be resumed");
  validate(options.solving);
  return Search(risk, options).solve(start);
}

}  // namespace maxmargin
