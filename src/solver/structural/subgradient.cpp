// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/structural-online.md, "Subgradient"
#include "solver/structural/methods.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/structural/oracle_portion.hpp"
#include "solver/structural/oracle_range.hpp"
#include "solver/structural/watch.hpp"

namespace maxmargin {

namespace {

/// Examples of a step: their planes are found at one w.
constexpr std::size_t largest_batch = 64;
constexpr std::size_t batches_a_pass = 32;
/// Passes between two looks at P.
constexpr std::size_t passes_between_looks = 5;
constexpr std::size_t at_once = 1024;
/// Numbers of a vector that one thread handles at a time.
constexpr std::size_t numbers_at_once = std::size_t{1} << 16;
/// Whole numbers up to here are doubles.
constexpr double most_steps = 9007199254740992.0;

class Run {
 public:
  /// Needs room for five vectors.
  Run(const StructuralRisk& risk, const StructuralOptions& options)
      : risk_(risk),
        options_(options),
        threads_(thread_count(options.context.threads)),
        watch_(risk, options, "structural-subgradient"),
        batch_(std::clamp<std::size_t>(risk.examples() / batches_a_pass, 1, largest_batch)),
        portion_(threads_, at_once),
        w_(risk.dimension(), 0.0),
        sum_(risk.dimension(), 0.0),
        late_sum_(risk.dimension(), 0.0) {}

  StructuralSolution solve(const StructuralState* start) {
    if (start != nullptr) restore(*start);
    Status status = Status::iteration_limit;
    while (watch_.passes < options_.passes() && !watch_.has_failed()) {
      if (is_still()) {
        status = Status::solved_inaccurate;
        break;
      }
      ++watch_.passes;
      go_through();
      if (watch_.was_stopped()) break;
      if (watch_.passes % passes_between_looks == 0 || watch_.passes == options_.passes()) look();
      if (watch_.was_stopped()) break;
      if (options_.on_checkpoint) options_.on_checkpoint([&] { return state(); });
    }
    const std::vector<double> last = average();
    watch_.see_late(last);
    std::optional<StructuralState> end;
    if (options_.keep_state) end = state();
    StructuralSolution solution = watch_.finish(status, last);
    solution.state = std::move(end);
    solution.report.dual_objective = std::nullopt;
    if (solution.report.status == Status::solved_inaccurate) {
      solution.report.message = "the objective no longer falls; no bound of the gap is known";
    }
    return solution;
  }

 private:
  /// Whether the last two looks say that nothing more is won.
  [[nodiscard]] bool is_still() const {
    return before_last_look_ && last_look_ &&
           *before_last_look_ - *last_look_ <= options_.tolerance * std::abs(*last_look_);
  }

  std::vector<StructuralPlane> find(std::span<const std::size_t> examples,
                                    std::span<const double> w) {
    std::vector<StructuralPlane> found(examples.size());
    ask_oracle(risk_, examples, w, threads_, [&](std::size_t k, StructuralPlane& plane) {
      found[k] = std::move(plane);
    });
    watch_.oracle_calls += examples.size();
    return found;
  }

  void go_through() {
    watch_.enter("passes");
    Rng rng(options_.context.seed, "structural subgradient", watch_.passes);
    const std::vector<std::size_t> order = rng.permutation(risk_.examples());
    for (std::size_t begin = 0; begin < order.size(); begin += batch_) {
      if (!watch_.goes_on()) return;
      step(std::span(order).subspan(begin, std::min(batch_, order.size() - begin)));
    }
  }

  /// Step t of the page: sum += g_t, w = sum / t.
  void step(std::span<const std::size_t> examples) {
    const std::vector<StructuralPlane> found = find(examples, w_);
    const double factor =
        options_.c * static_cast<double>(risk_.examples()) / static_cast<double>(examples.size());
    for (std::size_t k = 0; k < examples.size(); ++k) {
      const double scaled = factor * risk_.weight(examples[k]);
      found[k].slope.add_to(scaled, sum_);
      found[k].slope.add_to(scaled * static_cast<double>(steps_), late_sum_);
    }
    ++steps_;
    const double share = 1 / static_cast<double>(steps_);
    parallel_chunks(
        threads_, w_.size(), numbers_at_once, [&](std::size_t, std::size_t begin, std::size_t end) {
          for (std::size_t j = begin; j < end; ++j) w_[j] = share * sum_[j];
        });
  }

  /// sum_t 2 t w_t / (T (T + 1)), with t w_t the sum after step t.
  [[nodiscard]] std::vector<double> average() const {
    std::vector<double> mean(w_.size(), 0.0);
    if (steps_ == 0) return mean;
    const auto t = static_cast<double>(steps_);
    for (std::size_t j = 0; j < mean.size(); ++j) {
      mean[j] = 2 / (t * (t + 1)) * (t * sum_[j] - late_sum_[j]);
    }
    return mean;
  }

  /// P of the average.
  void look() {
    watch_.enter("looks");
    const std::vector<double> mean = average();
    double primal = 0.5 * squared_norm(mean);
    std::vector<std::size_t> examples;
    for (std::size_t begin = 0; begin < risk_.examples(); begin += examples.size()) {
      if (begin > 0 && !watch_.goes_on()) return;
      const Stopwatch stopwatch;
      examples.resize(std::min(risk_.examples() - begin, portion_.size()));
      std::iota(examples.begin(), examples.end(), begin);
      const std::vector<StructuralPlane> found = find(examples, mean);
      portion_.took(stopwatch.seconds());
      for (std::size_t k = 0; k < found.size(); ++k) {
        const double value = found[k].offset - found[k].slope.dot(mean);
        // What is not a number goes on, to be seen in P.
        if (!(value <= 0)) primal += options_.c * risk_.weight(examples[k]) * value;
      }
    }
    watch_.saw(primal, mean);
    before_last_look_ = std::exchange(last_look_, primal);
  }

  [[nodiscard]] StructuralState state() const {
    StructuralState state = watch_.state();
    state.w = w_;
    state.numbers = {
        static_cast<double>(steps_), last_look_.value_or(-1), before_last_look_.value_or(-1)};
    state.numbers.insert(state.numbers.end(), sum_.begin(), sum_.end());
    state.numbers.insert(state.numbers.end(), late_sum_.begin(), late_sum_.end());
    return state;
  }
  void restore(const StructuralState& state) {
    watch_.restore(state);
    const std::size_t d = w_.size();
    require_field(state.numbers.size() == 3 + 2 * d,
                  "the checkpoint's numbers",
                  static_cast<double>(state.numbers.size()),
                  "two for every weight and 3 more");
    require_field(state.numbers[0] >= 0 && state.numbers[0] <= most_steps &&
                      std::floor(state.numbers[0]) == state.numbers[0],
                  "the checkpoint's numbers[0]",
                  state.numbers[0],
                  "a number of steps");
    w_ = state.w;
    // Its sums are of gradients of another problem.
    if (state.is_moved) return;
    steps_ = static_cast<std::uint64_t>(state.numbers[0]);
    // Objectives are not negative.
    if (state.numbers[1] >= 0) last_look_ = state.numbers[1];
    if (state.numbers[2] >= 0) before_last_look_ = state.numbers[2];
    const auto sums = std::span(state.numbers).subspan(3);
    std::ranges::copy(sums.first(d), sum_.begin());
    std::ranges::copy(sums.subspan(d), late_sum_.begin());
  }

  const StructuralRisk& risk_;
  const StructuralOptions& options_;
  std::size_t threads_;
  StructuralWatch watch_;
  std::size_t batch_;
  OraclePortion portion_;
  std::vector<double> w_;
  std::vector<double> sum_;       ///< of the g_t: t w_t
  std::vector<double> late_sum_;  ///< sum_t (t - 1) g_t
  std::uint64_t steps_ = 0;
  std::optional<double> last_look_;
  std::optional<double> before_last_look_;
};

}  // namespace

StructuralSolution solve_structural_subgradient(const StructuralRisk& risk,
                                                const StructuralOptions& options,
                                                const StructuralState* start) {
  validate(options);
  // Before they are there: the system ends programs that take too much.
  require_memory(risk, options, 5, calls_at_once(risk, options));
  return Run(risk, options).solve(start);
}

}  // namespace maxmargin
