// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/memory_limit.hpp"
#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "solver/structural/compact_plane.hpp"
#include "solver/structural/oracle_portion.hpp"
#include "solver/structural/oracle_range.hpp"

namespace maxmargin {

StructuralWatch::StructuralWatch(const StructuralRisk& risk,
                                 const StructuralOptions& options,
                                 std::string_view solver)
    : risk_(risk), options_(options), solver_(solver) {
  for (std::size_t i = 0; i < risk.examples(); ++i) {
    const double weight = risk.weight(i);
    if (weight >= 0 && std::isfinite(weight)) continue;
    require_field(
        false, "StructuralRisk.weight(" + std::to_string(i) + ")", weight, "finite and >= 0");
  }
}

bool StructuralWatch::goes_on() {
  if (answer_ == Continue::yes) {
    answer_ = options_.context.ask(
        {.phase = solver_,
         .iteration = passes,
         .max_iterations = options_.passes(),
         .primal_objective = best_primal_,
         .dual_objective = dual_,
         .gap = best_primal_ ? std::optional(relative_gap(*best_primal_, dual_)) : std::nullopt,
         .target = options_.tolerance});
  }
  return answer_ == Continue::yes;
}

void StructuralWatch::saw(double primal, std::span<const double> w) {
  if (!std::isfinite(primal)) {
    failed_ = true;
    return;
  }
  if (best_primal_ && primal >= *best_primal_ && !is_disproved()) return;
  best_primal_ = primal;
  best_w_.assign(w.begin(), w.end());
}

void StructuralWatch::proved(double dual) {
  if (!std::isfinite(dual)) failed_ = true;
  dual_ = std::max(dual_, dual);
}

void StructuralWatch::see_late(std::span<const double> w) {
  if (!was_stopped() || best_primal_ || failed_) return;
  timer_.enter("late look");
  const double most = std::max(1.0, since_.seconds());
  const Stopwatch late;
  const std::size_t threads = thread_count(options_.context.threads);
  OraclePortion portion(threads, 1024);
  PlaneSum loss{std::span<double>()};
  for (std::size_t begin = 0; begin < risk_.examples();) {
    if (late.seconds() > most) return;
    const Stopwatch taken;
    std::vector<CompactPlane> planes(std::min(portion.size(), risk_.examples() - begin));
    loss = sum_of_largest_planes(risk_, begin, w, threads, planes, loss);
    oracle_calls += planes.size();
    begin += planes.size();
    portion.took(taken.seconds());
  }
  saw(0.5 * squared_norm(w) + options_.c * loss.value, w);
}

bool StructuralWatch::is_disproved() const {
  return best_primal_ && !risk_.is_exact() &&
         relative_gap(*best_primal_, dual_) < -options_.tolerance;
}

bool StructuralWatch::is_closed() const {
  return best_primal_ && !is_disproved() &&
         relative_gap(*best_primal_, dual_) <= options_.tolerance;
}

double StructuralWatch::gap() const {
  return best_primal_ ? *best_primal_ - dual_ : std::numeric_limits<double>::infinity();
}

double StructuralWatch::wanted_gap() const {
  if (!best_primal_) return 0;
  return options_.tolerance * std::max(std::abs(*best_primal_), std::abs(dual_));
}

StructuralState StructuralWatch::state() const {
  StructuralState state;
  state.solver = solver_;
  state.c = options_.c;
  state.seed = options_.context.seed;
  state.examples = risk_.examples();
  state.passes = passes;
  state.oracle_calls = oracle_calls;
  state.best_w = best_w_;
  state.best_primal = best_primal_;
  state.dual = dual_;
  return state;
}

void StructuralWatch::restore(const StructuralState& state) {
  require_field(state.solver == solver_, "the checkpoint's solver", state.solver, solver_);
  require_field(state.c == options_.c, "the checkpoint's c", state.c, format_number(options_.c));
  require_field(state.seed == options_.context.seed,
                "the checkpoint's seed",
                static_cast<double>(state.seed),
                std::to_string(options_.context.seed));
  require_field(state.examples == risk_.examples(),
                "the checkpoint's examples",
                static_cast<double>(state.examples),
                std::to_string(risk_.examples()));
  require_field(state.w.size() == risk_.dimension(),
                "the checkpoint's w",
                std::to_string(state.w.size()) + " numbers",
                std::to_string(risk_.dimension()));
  require(state.best_w.size() == (state.best_primal ? risk_.dimension() : 0),
          "the checkpoint's best_w: there must be one where its objective is known");
  const auto is_finite = [](double x) { return std::isfinite(x); };
  require(is_finite(state.dual) && is_finite(state.best_primal.value_or(0)) &&
              std::ranges::all_of(state.w, is_finite) &&
              std::ranges::all_of(state.best_w, is_finite) &&
              std::ranges::all_of(state.numbers, is_finite),
          "the checkpoint: all its numbers must be finite");
  // A bound above an objective would end the run at once, and prove nothing.
  require(!risk_.is_exact() || !state.best_primal ||
              relative_gap(*state.best_primal, state.dual) >= -1e-6,
          "the checkpoint's dual: it is above best_primal");
  require_table(state.planes, state.examples, risk_.dimension());
  passes = state.passes;
  oracle_calls = state.oracle_calls;
  best_w_ = state.best_w;
  best_primal_ = state.best_primal;
  dual_ = state.dual;
}

StructuralSolution StructuralWatch::finish(Status status, std::span<const double> last_w) {
  StructuralSolution solution;
  solution.oracle_calls = oracle_calls;
  if (is_disproved()) best_primal_.reset();
  SolveReport& report = solution.report;
  report.status = was_stopped() ? status_of(answer_) : status;
  if (failed_) report.status = Status::numerical_failure;
  if (risk_.is_exact() && best_primal_ && relative_gap(*best_primal_, dual_) < -1e-6) {
    report.status = Status::numerical_failure;
    report.message = "the bound is above the objective: the oracle is not exact, as it says";
  }
  report.iterations = passes;
  report.primal_objective = best_primal_;
  if (!failed_) report.dual_objective = dual_;
  if (!risk_.is_exact()) {
    report.warnings.emplace_back("the oracle is inexact: the gap is an estimate");
  }
  solution.w = best_primal_ ? std::move(best_w_) : std::vector(last_w.begin(), last_w.end());
  report.seconds = timer_.finish();
  return solution;
}

namespace {

std::size_t vector_bytes(const StructuralRisk& risk, std::size_t vectors) {
  return checked_multiply(8 * vectors, risk.dimension());
}

std::string machine_of(const StructuralRisk& risk) {
  return "a structural machine of " + std::to_string(risk.dimension()) + " weights";
}

std::string with_argmaxes(const StructuralRisk& risk, std::size_t calls) {
  return machine_of(risk) + " with argmaxes on " + std::to_string(calls) +
         (calls == 1 ? " thread" : " threads");
}

/// What takes less memory for argmaxes, and can be done.
std::string advice_for(const StructuralRisk& risk, std::size_t calls) {
  const std::string cheaper(risk.cheaper_oracle());
  if (cheaper.empty()) {
    return calls > 1 ? "use fewer threads or smaller inputs" : "use smaller inputs";
  }
  return std::string(calls > 1 ? "use fewer threads, " : "use ") + "smaller inputs or " + cheaper;
}

}  // namespace

std::size_t calls_at_once(const StructuralRisk& risk, const StructuralOptions& options) {
  return std::min(thread_count(options.context.threads), risk.examples());
}

void require_memory(const StructuralRisk& risk,
                    const StructuralOptions& options,
                    std::size_t vectors,
                    std::size_t calls) {
  const std::size_t bytes = vector_bytes(risk, vectors);
  require_within_limit(bytes, options.context.memory_limit, machine_of(risk), "use fewer features");
  require_within_limit(checked_add(bytes, risk.oracle_bytes(calls)),
                       options.context.memory_limit,
                       with_argmaxes(risk, calls),
                       advice_for(risk, calls));
}

std::size_t bytes_for_planes(const StructuralRisk& risk,
                             const StructuralOptions& options,
                             std::size_t vectors) {
  const std::size_t bytes = vector_bytes(risk, vectors);
  require_within_limit(bytes, options.context.memory_limit, machine_of(risk), "use fewer features");
  // The room for planes decides about the answer, so that it must not depend on the threads.
  // Argmaxes on up to `few` threads may take all but an eighth of what the weights leave, those on
  // more (nobody has above `many`) half of it; what they cannot take is for planes.
  constexpr std::size_t few = 16;
  constexpr std::size_t many = 1024;
  const std::size_t calls = calls_at_once(risk, options);
  const std::size_t oracle = risk.oracle_bytes(calls);
  const std::size_t share = calls <= few ? oracle / 7 + (oracle % 7 != 0 ? 1 : 0) : oracle;
  require_within_limit(checked_add(bytes, checked_add(oracle, share)),
                       options.context.memory_limit,
                       with_argmaxes(risk, calls) + " and room for planes",
                       advice_for(risk, calls));
  const std::size_t rest = options.context.memory_bytes() - bytes;
  const auto left_by = [&](std::size_t most) {
    return rest - std::min(rest, risk.oracle_bytes(most));
  };
  const std::size_t room = std::max({rest / 8, std::min(rest / 2, left_by(few)), left_by(many)});
  // Beside the solver's own planes there may be the state that it began with and the one it leaves,
  // in which dense planes take half as much again.
  return options.keep_state ? room / 4 : room;
}

double squared_norm(std::span<const double> w) { return dot(w, w); }

}  // namespace maxmargin
