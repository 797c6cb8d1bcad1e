// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/bcfw.md
#include "solver/structural/methods.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/structural/dual_blocks.hpp"
#include "solver/structural/oracle_portion.hpp"
#include "solver/structural/watch.hpp"

namespace maxmargin {

namespace {

/// Examples whose planes are found at one w. Small beside n, or w is old for the last of them.
constexpr std::size_t largest_batch = 64;
constexpr std::size_t batches_a_pass = 32;
/// Examples between two questions to the callback where w does not change.
constexpr std::size_t at_once = 1024;
/// Steps of an example end at this share of the wanted gap, spread over the examples.
constexpr double least_gap_share = 0.02;
/// Turns that a plane may have no weight.
constexpr std::uint64_t idle_turns = 5;
/// Passes between two looks at the gap, at most.
constexpr double most_passes_unseen = 5;
/// The run ends when neither D nor the gap changed by more than rounding before so many looks in a
/// row. (A large C moves D in small steps: they are progress.)
constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
constexpr std::size_t most_idle_looks = 30;
/// Part of the draws that does not follow the gaps, which grow old.
constexpr double blind_share = 0.1;
/// Sweeps without the oracle go on while they gain this share of what the pass gained, and so
/// often.
constexpr double sweep_share = 0.5;
constexpr std::size_t most_sweeps = 10;

class Run {
 public:
  Run(const StructuralRisk& risk, const StructuralOptions& options)
      : options_(options),
        watch_(risk, options, "block-frank-wolfe"),
        blocks_(risk, options, bytes_for_planes(risk, options, 2)),
        gaps_(risk.examples(), 0.0),
        batch_(std::clamp<std::size_t>(risk.examples() / batches_a_pass, 1, largest_batch)),
        portion_(thread_count(options.context.threads), at_once) {}

  StructuralSolution solve(const StructuralState* start) {
    if (start != nullptr) restore(*start);
    Status status = Status::solved;
    while (!watch_.is_closed() && !watch_.has_failed()) {
      if (watch_.passes >= options_.passes()) {
        // This look comes behind the checkpoint: a run that resumes does not have it.
        if (last_.passes < watch_.passes) look();
        status = watch_.is_closed() ? Status::solved : Status::iteration_limit;
        break;
      }
      ++watch_.passes;
      go_through();
      if (watch_.was_stopped()) break;
      sweep();
      if (watch_.was_stopped()) break;
      if (wants_look()) look();
      if (watch_.was_stopped()) break;
      if (idle_looks_ >= most_idle_looks) {
        status = Status::no_progress;
        break;
      }
      if (options_.on_checkpoint) options_.on_checkpoint([&] { return state(); });
    }
    blocks_.refresh();
    watch_.proved(blocks_.dual());
    watch_.see_late(blocks_.w());
    std::optional<StructuralState> last;
    if (options_.keep_state) last = state();
    StructuralSolution solution = watch_.finish(status, blocks_.w());
    solution.state = std::move(last);
    if (solution.report.status == Status::no_progress) {
      solution.report.message = "rounding, or an oracle that misses, lets the bound rise no more";
    }
    return solution;
  }

 private:
  [[nodiscard]] double least_gap() const {
    return least_gap_share * watch_.wanted_gap() /
           static_cast<double>(std::max<std::size_t>(1, blocks_.size()));
  }

  /// bcfw.md step 1: whose turn it is. All in the first pass, then by gap.
  [[nodiscard]] std::vector<std::size_t> order() const {
    Rng rng(options_.context.seed, "block Frank-Wolfe", watch_.passes);
    const std::size_t n = blocks_.size();
    std::vector<double> sums(n);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sums[i] = sum += std::max(0.0, gaps_[i]);
    if (watch_.passes == 1 || !(sum > 0)) return rng.permutation(n);
    std::vector<std::size_t> drawn(n);
    for (std::size_t& example : drawn) {
      if (rng.bernoulli(blind_share)) {
        example = rng.index(n);
      } else {
        const auto at = std::ranges::upper_bound(sums, rng.uniform(0, sum));
        example = std::min(n - 1, static_cast<std::size_t>(at - sums.begin()));
      }
    }
    return drawn;
  }

  void go_through() {
    watch_.enter("passes");
    gain_ = 0;
    const std::vector<std::size_t> drawn = order();
    std::vector<std::size_t> last_batch(blocks_.size(), 0);
    std::vector<std::size_t> examples;
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < drawn.size(); begin += batch_) {
      if (!watch_.goes_on()) return;
      ++number;
      examples.clear();
      // An example has one turn in a batch.
      for (std::size_t k = begin; k < std::min(drawn.size(), begin + batch_); ++k) {
        if (std::exchange(last_batch[drawn[k]], number) != number) examples.push_back(drawn[k]);
      }
      visit(examples);
    }
  }

  /// bcfw.md steps 1 and 2 for a batch.
  void visit(std::span<const std::size_t> examples) {
    std::vector<DualBlocks::Found> found = blocks_.find(examples, false);
    watch_.oracle_calls += examples.size();
    const double least = least_gap();
    for (std::size_t k = 0; k < examples.size(); ++k) {
      blocks_.take(examples[k], std::move(found[k]));
      gain_ += blocks_.ascend(examples[k], least, gaps_[examples[k]]);
      blocks_.drop_idle(examples[k], idle_turns);
    }
  }

  /// bcfw.md step 3: steps among the planes there are, while they gain enough.
  void sweep() {
    watch_.enter("sweeps");
    double own_gap = 0;
    for (std::size_t number = 0; number < most_sweeps; ++number) {
      double gain = 0;
      for (std::size_t i = 0; i < blocks_.size(); ++i) {
        if (i % at_once == 0 && !watch_.goes_on()) return;
        gain += blocks_.ascend(i, least_gap(), own_gap);
      }
      if (gain <= sweep_share * gain_) return;
    }
  }

  /// At the pass that was planned, or when the gaps that the examples last saw, of different w,
  /// promise the end.
  [[nodiscard]] bool wants_look() const {
    return watch_.passes >= next_look_ ||
           std::accumulate(gaps_.begin(), gaps_.end(), 0.0) <= watch_.wanted_gap();
  }

  /// bcfw.md step 5: the pass in which the gap will be small enough if it goes on falling by the
  /// same factor; and whether D still rises.
  void plan_look() {
    const double gap = watch_.gap();
    const double fall =
        std::log(last_.gap / gap) / static_cast<double>(watch_.passes - last_.passes);
    double ahead = most_passes_unseen;
    if (fall > 0 && gap > 0) ahead = std::ceil(std::log(gap / watch_.wanted_gap()) / fall);
    next_look_ =
        watch_.passes + static_cast<std::uint64_t>(std::clamp(ahead, 1.0, most_passes_unseen));
    const double dual = watch_.dual();
    const double primal = watch_.best_primal().value_or(0.0);
    const bool rises = dual - last_.dual > rounding * std::abs(dual);
    const bool narrows = last_.gap - gap > rounding * std::abs(primal);
    idle_looks_ = rises || narrows ? 0 : idle_looks_ + 1;
    last_ = {.passes = watch_.passes, .gap = gap, .dual = dual};
  }

  /// bcfw.md step 4: all largest planes at one w, hence P; then steps with what was found.
  void look() {
    watch_.enter("looks");
    blocks_.refresh();
    double primal = 0.5 * squared_norm(blocks_.w());
    std::vector<std::size_t> examples(blocks_.size());
    std::iota(examples.begin(), examples.end(), std::size_t{0});
    for (std::size_t begin = 0; begin < examples.size();) {
      if (begin > 0 && !watch_.goes_on()) return;
      const Stopwatch taken;
      const std::size_t count = std::min(portion_.size(), examples.size() - begin);
      std::vector<DualBlocks::Found> found =
          blocks_.find(std::span(examples).subspan(begin, count), true);
      watch_.oracle_calls += found.size();
      portion_.took(taken.seconds());
      for (std::size_t k = 0; k < found.size(); ++k) {
        primal += blocks_[begin + k].total() * found[k].value;
        gaps_[begin + k] = found[k].gap;
        if (blocks_.has_room()) blocks_.take(begin + k, std::move(found[k]));
      }
      begin += count;
    }
    watch_.saw(primal, blocks_.w());
    watch_.proved(blocks_.dual());
    if (watch_.is_closed() || watch_.has_failed()) return;
    plan_look();
    double own_gap = 0;
    for (const std::size_t example : examples) {
      if (example % at_once == at_once - 1 && !watch_.goes_on()) return;
      blocks_.ascend(example, least_gap(), own_gap);
    }
  }

  [[nodiscard]] StructuralState state() const {
    StructuralState state = watch_.state();
    blocks_.save(state);
    state.numbers.insert(state.numbers.end(), gaps_.begin(), gaps_.end());
    state.numbers.insert(state.numbers.end(),
                         {static_cast<double>(last_.passes),
                          last_.gap,
                          last_.dual,
                          static_cast<double>(next_look_),
                          static_cast<double>(idle_looks_)});
    return state;
  }
  void restore(const StructuralState& state) {
    watch_.restore(state);
    const std::size_t n = blocks_.size();
    require_field(state.numbers.size() == 2 * n + 5,
                  "the checkpoint's numbers",
                  static_cast<double>(state.numbers.size()),
                  "two for every example, and five");
    blocks_.restore(state);
    if (state.is_moved) {
      // What is known goes first. The gaps are old: all examples have a turn, and a look follows.
      last_ = {.passes = state.passes, .gap = watch_.gap(), .dual = 0};
      next_look_ = state.passes + 1;
      sweep();
      return;
    }
    std::copy_n(state.numbers.begin() + static_cast<std::ptrdiff_t>(n), n, gaps_.begin());
    const std::span looks = std::span(state.numbers).last(5);
    const auto is_count = [](double x) { return x >= 0 && x <= 1e15 && x == std::floor(x); };
    const auto passes = static_cast<double>(state.passes);
    require(is_count(looks[0]) && looks[0] <= passes && is_count(looks[3]) &&
                looks[3] <= passes + most_passes_unseen && is_count(looks[4]) &&
                looks[4] < static_cast<double>(most_idle_looks),
            "the checkpoint's numbers: the last five are not those of looks");
    last_ = {.passes = static_cast<std::uint64_t>(looks[0]), .gap = looks[1], .dual = looks[2]};
    next_look_ = static_cast<std::uint64_t>(looks[3]);
    idle_looks_ = static_cast<std::size_t>(looks[4]);
  }

  /// What a look saw.
  struct Look {
    std::uint64_t passes = 0;
    double gap = 0;
    double dual = 0;
  };

  const StructuralOptions& options_;
  StructuralWatch watch_;
  DualBlocks blocks_;
  std::vector<double> gaps_;  ///< of every example, as last seen
  std::size_t batch_;
  OraclePortion portion_;
  double gain_ = 0;  ///< of the last pass
  Look last_;
  std::uint64_t next_look_ = 1;  ///< pass that ends with it
  std::size_t idle_looks_ = 0;   ///< in a row
};

}  // namespace

StructuralSolution solve_block_frank_wolfe(const StructuralRisk& risk,
                                           const StructuralOptions& options,
                                           const StructuralState* start) {
  validate(options);
  require_small_dimension(risk);
  return Run(risk, options).solve(start);
}

}  // namespace maxmargin
