// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/cutting-plane.md, "n slacks"
#include "solver/structural/methods.hpp"

#include <algorithm>
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

/// Examples between two questions to the callback.
constexpr std::size_t at_once = 1024;
/// The reduced dual is solved to this share of the gap.
constexpr double first_share = 0.1;
/// A share so small is below rounding.
constexpr double last_share = 1e-9;
constexpr std::size_t most_sweeps = 1000;
/// Steps of an example end at this share of what the reduced dual may lack, spread over the
/// examples.
constexpr double least_gap_share = 0.1;

class Run {
 public:
  Run(const StructuralRisk& risk, const StructuralOptions& options)
      : options_(options),
        watch_(risk, options, "n-slack"),
        blocks_(risk, options, bytes_for_planes(risk, options, 2)),
        portion_(thread_count(options.context.threads), at_once),
        examples_(risk.examples()) {
    std::iota(examples_.begin(), examples_.end(), std::size_t{0});
    for (std::size_t i = 0; i < blocks_.size(); ++i) total_ += blocks_[i].total();
  }

  StructuralSolution solve(const StructuralState* start) {
    if (start != nullptr) restore(*start);
    Status status = Status::solved;
    while (!watch_.is_closed() && !watch_.has_failed()) {
      if (watch_.passes >= options_.passes() || share_ < last_share) {
        status = share_ < last_share ? Status::no_progress : Status::iteration_limit;
        break;
      }
      ++watch_.passes;
      separate();
      if (watch_.was_stopped()) break;
      if (!watch_.is_closed() && !watch_.has_failed()) ascend();
      if (watch_.was_stopped()) break;
      if (options_.on_checkpoint) options_.on_checkpoint([&] { return state(); });
    }
    watch_.see_late(blocks_.w());
    std::optional<StructuralState> last;
    if (options_.keep_state) last = state();
    StructuralSolution solution = watch_.finish(status, blocks_.w());
    solution.state = std::move(last);
    return solution;
  }

 private:
  /// Step 1: the largest planes at w, hence P; those above their working sets join them.
  void separate() {
    watch_.enter("oracle");
    // Spread over all slacks this is a tenth of the gap that is wanted.
    const double excess = total_ > 0 ? 0.1 * watch_.wanted_gap() / total_ : 0.0;
    double primal = 0.5 * squared_norm(blocks_.w());
    bool has_new = false;
    std::size_t count = 0;
    for (std::size_t begin = 0; begin < blocks_.size(); begin += count) {
      if (!watch_.goes_on()) return;
      const Stopwatch stopwatch;
      count = std::min(blocks_.size() - begin, portion_.size());
      std::vector<DualBlocks::Found> found =
          blocks_.find(std::span(examples_).subspan(begin, count), true);
      portion_.took(stopwatch.seconds());
      watch_.oracle_calls += found.size();
      for (std::size_t k = 0; k < found.size(); ++k) {
        primal += blocks_[begin + k].total() * found[k].value;
        if (!(found[k].value > found[k].set_value + excess) || !found[k].is_new) continue;
        has_new = true;
        blocks_.take(begin + k, std::move(found[k]));
      }
    }
    watch_.saw(primal, blocks_.w());
    // Nothing new and no end: the reduced dual was not solved well enough.
    if (!has_new) share_ *= 0.1;
  }

  /// Step 3: the dual over the working sets, by sweeps of pair steps.
  void ascend() {
    watch_.enter("reduced dual");
    const double target = share_ * std::max(watch_.gap(), watch_.wanted_gap());
    const double least_gap =
        least_gap_share * target / static_cast<double>(std::max<std::size_t>(1, blocks_.size()));
    bool ends = false;
    for (std::size_t sweep = 0; sweep < most_sweeps && !ends; ++sweep) {
      Rng rng(options_.context.seed, "n slacks", watch_.passes * most_sweeps + sweep);
      rng.shuffle(std::span(examples_));
      double gap = 0;
      double gain = 0;
      for (std::size_t k = 0; k < examples_.size(); ++k) {
        if (k % at_once == 0 && !watch_.goes_on()) break;
        double own = 0;
        gain += blocks_.ascend(examples_[k], least_gap, own);
        gap += own;
      }
      ends = watch_.was_stopped() || gap <= target || gain == 0;
    }
    // The next shuffle begins from here, whatever was before.
    std::iota(examples_.begin(), examples_.end(), std::size_t{0});
    for (const std::size_t i : examples_) blocks_.drop_idle(i, options_.idle_turns);
    blocks_.refresh();
    const double before = watch_.dual();
    watch_.proved(blocks_.dual());
    // What was out of reach, though nearer, is not made harder: the next pass resumes from here.
    if (!ends && watch_.dual() > before) share_ = std::min(first_share, 10 * share_);
  }

  [[nodiscard]] StructuralState state() const {
    StructuralState state = watch_.state();
    blocks_.save(state);
    state.numbers.push_back(share_);
    return state;
  }
  void restore(const StructuralState& state) {
    watch_.restore(state);
    require_field(state.numbers.size() == blocks_.size() + 1,
                  "the checkpoint's numbers",
                  static_cast<double>(state.numbers.size()),
                  "one more than examples");
    blocks_.restore(state);
    if (!state.is_moved) {
      share_ = state.numbers.back();
    } else {
      // What is known goes first: the oracle is asked where it says no more.
      ascend();
    }
  }

  const StructuralOptions& options_;
  StructuralWatch watch_;
  DualBlocks blocks_;
  OraclePortion portion_;
  std::vector<std::size_t> examples_;
  double total_ = 0;  ///< C sum_i a_i
  double share_ = first_share;
};

}  // namespace

StructuralSolution solve_n_slack(const StructuralRisk& risk,
                                 const StructuralOptions& options,
                                 const StructuralState* start) {
  validate(options);
  require_small_dimension(risk);
  return Run(risk, options).solve(start);
}

}  // namespace maxmargin
