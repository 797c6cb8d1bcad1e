// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/bcfw.md
#include "maxmargin/solver/block_frank_wolfe.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"

namespace maxmargin {

namespace {

/// Examples whose planes are found at one w. Small beside n, or w is old for the last of them.
constexpr std::size_t largest_batch = 64;
constexpr std::size_t batches_a_pass = 32;
/// Pair steps for an example in its turn.
constexpr std::size_t most_steps = 10;
/// A step must raise D by this share of the wanted gap, spread over the examples.
constexpr double least_gain_share = 1e-3;
/// Passes that a plane may have no weight.
constexpr std::size_t idle_passes = 5;
/// Passes between two looks at the gap.
constexpr std::size_t passes_between_gaps = 5;

struct WeightedPlane {
  StructuralPlane plane;
  double weight = 0;
  std::size_t idle = 0;
};

/// What an example has: the planes beside the plane 0.
struct Block {
  double total = 0;  ///< C a_i
  double rest = 0;   ///< on the plane 0
  double gap = 0;    ///< as last seen
  std::vector<WeightedPlane> planes;
};

double value_of(const StructuralPlane& plane, std::span<const double> w) {
  return plane.offset - plane.slope.dot(w);
}

/// |a - b|^2 of settled vectors.
double squared_distance(const FeatureVector& a, const FeatureVector& b) {
  const auto first = a.entries();
  const auto second = b.entries();
  double sum = 0;
  std::size_t j = 0;
  for (std::size_t i = 0; i < first.size() || j < second.size();) {
    double difference = 0;
    if (j == second.size() || (i < first.size() && first[i].index < second[j].index)) {
      difference = first[i++].value;
    } else if (i == first.size() || second[j].index < first[i].index) {
      difference = second[j++].value;
    } else {
      difference = first[i++].value - second[j++].value;
    }
    sum += difference * difference;
  }
  return sum;
}

bool are_equal(const StructuralPlane& a, const StructuralPlane& b) {
  return a.offset == b.offset &&
         std::ranges::equal(a.slope.entries(), b.slope.entries(), [](const auto& x, const auto& y) {
           return x.index == y.index && x.value == y.value;
         });
}

class Run {
 public:
  Run(const StructuralRisk& risk, const StructuralOptions& options)
      : risk_(risk),
        options_(options),
        threads_(thread_count(options.threads)),
        rng_(options.seed, "block Frank-Wolfe"),
        blocks_(risk.examples()),
        batch_(std::clamp<std::size_t>(risk.examples() / batches_a_pass, 1, largest_batch)) {
    solution_.w.assign(risk.dimension(), 0.0);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      blocks_[i].total = options.c * risk.weight(i);
      blocks_[i].rest = blocks_[i].total;
    }
  }

  StructuralSolution solve() {
    PhaseTimer timer;
    timer.enter("passes");
    // Nothing is known before the first look, at w = 0.
    Status status = look() ? Status::solved : Status::iteration_limit;
    for (std::size_t pass = 1; status == Status::iteration_limit && pass <= options_.max_passes;
         ++pass) {
      solution_.report.iterations = pass;
      go_through();
      if (answer_ != Continue::yes) break;
      const bool look_now = pass % passes_between_gaps == 0 || seen_gap() <= wanted_gap();
      if (look_now && look()) status = Status::solved;
    }
    if (status != Status::solved && answer_ == Continue::yes && look()) status = Status::solved;
    SolveReport& report = solution_.report;
    report.status = answer_ == Continue::yes ? status : status_of(answer_);
    report.dual_objective = dual();
    report.primal_objective = best_primal_;
    if (!best_w_.empty()) solution_.w = std::move(best_w_);
    report.seconds = timer.finish();
    return std::move(solution_);
  }

 private:
  [[nodiscard]] bool goes_on() {
    if (answer_ == Continue::yes) {
      answer_ = ask(options_.on_progress,
                    {.phase = "passes",
                     .iteration = solution_.report.iterations,
                     .max_iterations = options_.max_passes,
                     .primal_objective = best_primal_,
                     .gap = last_gap_,
                     .target = options_.tolerance});
    }
    return answer_ == Continue::yes;
  }

  [[nodiscard]] double dual() const {
    double sum = 0;
    for (const Block& block : blocks_) {
      for (const WeightedPlane& each : block.planes) sum += each.weight * each.plane.offset;
    }
    double square = 0;
    for (const double x : solution_.w) square += x * x;
    return sum - 0.5 * square;
  }
  [[nodiscard]] double wanted_gap() const {
    return options_.tolerance * std::max(std::abs(best_primal_.value_or(0)), 1e-12);
  }
  /// The gap as the examples last saw it; of different w.
  [[nodiscard]] double seen_gap() const {
    double sum = 0;
    for (const Block& block : blocks_) sum += block.gap;
    return sum;
  }

  /// The largest planes of some examples at the present w.
  std::vector<StructuralPlane> find(std::span<const std::size_t> examples) {
    std::vector<StructuralPlane> found(examples.size());
    parallel_chunks(threads_, examples.size(), 1, [&](std::size_t k, std::size_t, std::size_t) {
      risk_.largest_plane(examples[k], solution_.w, found[k]);
    });
    solution_.oracle_calls += examples.size();
    return found;
  }

  void go_through() {
    const std::vector<std::size_t> order = rng_.permutation(blocks_.size());
    for (std::size_t begin = 0; begin < order.size(); begin += batch_) {
      if (!goes_on()) return;
      const std::size_t end = std::min(order.size(), begin + batch_);
      const std::span<const std::size_t> examples = std::span(order).subspan(begin, end - begin);
      std::vector<StructuralPlane> found = find(examples);
      for (std::size_t k = 0; k < examples.size(); ++k) {
        Block& block = blocks_[examples[k]];
        see_gap(block, value_of(found[k], solution_.w));
        take(block, std::move(found[k]));
        step(block);
        drop_idle(block);
      }
    }
  }

  /// gap_i, from the value of the largest plane.
  void see_gap(Block& block, double largest) const {
    block.gap = block.total * std::max(0.0, largest);
    for (const WeightedPlane& each : block.planes) {
      block.gap -= each.weight * value_of(each.plane, solution_.w);
    }
  }

  static void take(Block& block, StructuralPlane plane) {
    if (plane.slope.empty() && plane.offset == 0) return;  // the plane 0
    const bool known = std::ranges::any_of(
        block.planes, [&](const WeightedPlane& each) { return are_equal(each.plane, plane); });
    if (!known) block.planes.push_back({.plane = std::move(plane)});
  }

  /// Pair steps within the example, as long as they pay.
  void step(Block& block) {
    const double least_gain = least_gain_share * wanted_gap() /
                              static_cast<double>(std::max<std::size_t>(1, blocks_.size()));
    for (std::size_t k = 0; k < most_steps; ++k) {
      // The plane 0 is nullptr.
      WeightedPlane* best = nullptr;
      WeightedPlane* worst = nullptr;
      double best_value = 0;
      bool has_worst = block.rest > 0;
      double worst_value = 0;
      for (WeightedPlane& each : block.planes) {
        const double value = value_of(each.plane, solution_.w);
        if (value > best_value) {
          best_value = value;
          best = &each;
        }
        if (each.weight > 0 && (!has_worst || value < worst_value)) {
          has_worst = true;
          worst_value = value;
          worst = &each;
        }
      }
      if (!has_worst || best == worst) return;
      static const FeatureVector nothing;
      const FeatureVector& to = best != nullptr ? best->plane.slope : nothing;
      const FeatureVector& from = worst != nullptr ? worst->plane.slope : nothing;
      const double slope = best_value - worst_value;
      const double bend = squared_distance(to, from);
      double& source = worst != nullptr ? worst->weight : block.rest;
      const double size = bend > 0 ? std::min(source, slope / bend) : source;
      if (!(size * (slope - 0.5 * size * bend) > least_gain)) return;
      to.add_to(size, solution_.w);
      from.add_to(-size, solution_.w);
      source = size == source ? 0.0 : source - size;
      (best != nullptr ? best->weight : block.rest) += size;
    }
  }

  static void drop_idle(Block& block) {
    for (WeightedPlane& each : block.planes) each.idle = each.weight > 0 ? 0 : each.idle + 1;
    std::erase_if(block.planes, [](const WeightedPlane& each) { return each.idle > idle_passes; });
  }

  /// All largest planes at one w: P, and whether the gap is closed. The best w is kept.
  bool look() {
    refresh();
    double primal = 0;
    for (const double x : solution_.w) primal += 0.5 * x * x;
    std::vector<std::size_t> examples(blocks_.size());
    for (std::size_t i = 0; i < examples.size(); ++i) examples[i] = i;
    constexpr std::size_t at_once = 1024;
    for (std::size_t begin = 0; begin < examples.size(); begin += at_once) {
      if (begin > 0 && !goes_on()) return false;
      const std::size_t end = std::min(examples.size(), begin + at_once);
      std::vector<StructuralPlane> found = find(std::span(examples).subspan(begin, end - begin));
      for (std::size_t k = 0; k < found.size(); ++k) {
        Block& block = blocks_[begin + k];
        const double largest = value_of(found[k], solution_.w);
        primal += block.total * std::max(0.0, largest);
        see_gap(block, largest);
        take(block, std::move(found[k]));
      }
    }
    if (!best_primal_ || primal < *best_primal_) {
      best_primal_ = primal;
      best_w_ = solution_.w;
    }
    last_gap_ = relative_gap(*best_primal_, dual());
    return *last_gap_ <= options_.tolerance;
  }

  /// w from the planes: additions and subtractions leave rounding behind.
  void refresh() {
    std::ranges::fill(solution_.w, 0.0);
    for (const Block& block : blocks_) {
      for (const WeightedPlane& each : block.planes) {
        if (each.weight > 0) each.plane.slope.add_to(each.weight, solution_.w);
      }
    }
  }

  const StructuralRisk& risk_;
  const StructuralOptions& options_;
  std::size_t threads_;
  Rng rng_;
  std::vector<Block> blocks_;
  std::size_t batch_;
  std::optional<double> best_primal_;
  std::optional<double> last_gap_;
  std::vector<double> best_w_;
  Continue answer_ = Continue::yes;
  StructuralSolution solution_;
};

}  // namespace

StructuralSolution solve_block_frank_wolfe(const StructuralRisk& risk,
                                           const StructuralOptions& options) {
  require_field(options.c > 0 && std::isfinite(options.c),
                "StructuralOptions.c",
                options.c,
                "finite and > 0");
  require_field(options.tolerance > 0, "StructuralOptions.tolerance", options.tolerance, "> 0");
  require_field(options.max_passes >= 1,
                "StructuralOptions.max_passes",
                static_cast<double>(options.max_passes),
                ">= 1");
  return Run(risk, options).solve();
}

}  // namespace maxmargin
