// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/cutting-plane.md, "One slack"
#include "solver/structural/methods.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/structural/compact_plane.hpp"
#include "solver/structural/oracle_portion.hpp"
#include "solver/structural/oracle_range.hpp"
#include "solver/structural/stored_cuts.hpp"
#include "solver/structural/watch.hpp"

namespace maxmargin {

namespace {

/// Examples whose planes are in memory at once.
constexpr std::size_t at_once = 512;
/// The reduced dual is solved to this share of the gap that is wanted.
constexpr double first_share = 0.1;
/// A share so small is below rounding.
constexpr double last_share = 1e-9;
/// The cache serves while its cut is violated by this share of what the last pass left, and for so
/// many cuts.
constexpr double cache_share = 0.5;
constexpr std::size_t most_cached_cuts = 10;
/// The same of planes that a run begins with, which were moved: they serve until they say no more
/// than this share of the gap that is wanted.
constexpr double known_share = 0.2;
constexpr std::size_t most_known_cuts = 100;

/// The last few planes that the oracle gave for every example.
class PlaneCache {
 public:
  /// Up to `most` planes an example and `limit` bytes in all.
  PlaneCache(std::size_t examples, std::size_t most, std::size_t limit)
      : most_(most), limit_(limit), planes_(examples) {}

  [[nodiscard]] bool is_used() const { return most_ > 0; }

  /// The newest plane of an example; the oldest goes when there are too many.
  void keep(std::size_t example, CompactPlane plane) {
    if (most_ == 0 || plane.is_zero()) return;
    std::vector<CompactPlane>& own = planes_[example];
    const auto known = std::ranges::find(own, plane);
    if (known != own.end()) {
      std::rotate(known, known + 1, own.end());
      return;
    }
    bytes_ += plane.bytes();
    own.push_back(std::move(plane));
    // Some have more than their share when half of the memory is gone. What the others may then
    // have is the other half.
    const std::size_t share = limit_ / 2 / std::max<std::size_t>(1, planes_.size());
    while (own.size() > most_ || (bytes_ > limit_ / 2 && !own.empty() && bytes_of(own) > share)) {
      bytes_ -= own.front().bytes();
      own.erase(own.begin());
    }
  }

  /// The one that is largest at w; none when that is the plane 0.
  [[nodiscard]] const CompactPlane* largest(std::size_t example, std::span<const double> w) const {
    const CompactPlane* best = nullptr;
    double value = 0;
    for (const CompactPlane& plane : planes_[example]) {
      const double here = plane.value(w);
      if (here > value) {
        value = here;
        best = &plane;
      }
    }
    return best;
  }

  /// Puts back a plane of a state: newest last.
  void restore(std::size_t example, CompactPlane plane) {
    bytes_ += plane.bytes();
    planes_[example].push_back(std::move(plane));
  }
  void save(PlaneTable& table) const {
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      for (const CompactPlane& plane : planes_[i]) append(table, i, plane, 0, 0);
    }
  }

 private:
  [[nodiscard]] static std::size_t bytes_of(const std::vector<CompactPlane>& planes) {
    std::size_t sum = 0;
    for (const CompactPlane& plane : planes) sum += plane.bytes();
    return sum;
  }

  std::size_t most_;
  std::size_t limit_;
  std::size_t bytes_ = 0;
  std::vector<std::vector<CompactPlane>> planes_;
};

class Run {
 public:
  Run(const StructuralRisk& risk, const StructuralOptions& options)
      : Run(risk, options, bytes_for_planes(risk, options, 4)) {}

  StructuralSolution solve(const StructuralState* start) {
    if (start != nullptr) restore(*start);
    Status status = Status::solved;
    while (!watch_.is_closed() && !watch_.has_failed()) {
      if (watch_.passes >= options_.passes() || share_ < last_share) {
        status = share_ < last_share ? Status::no_progress : Status::iteration_limit;
        break;
      }
      ++watch_.passes;
      ask_oracle();
      if (watch_.was_stopped()) break;
      if (!watch_.is_closed() && !watch_.has_failed()) {
        const double left = excess();
        add_cut();
        // Where the dual is not solved, more cuts do not help.
        if (solve_dual()) use_cache(left);
        cuts_.prune(options_.idle_turns);
      }
      if (watch_.was_stopped()) break;
      if (options_.on_checkpoint) options_.on_checkpoint([&] { return state(); });
    }
    watch_.see_late(w_);
    std::optional<StructuralState> last;
    if (options_.keep_state) last = state();
    StructuralSolution solution = watch_.finish(status, w_);
    solution.state = std::move(last);
    return solution;
  }

 private:
  Run(const StructuralRisk& risk, const StructuralOptions& options, std::size_t bytes)
      : risk_(risk),
        options_(options),
        threads_(thread_count(options.context.threads)),
        watch_(risk, options, "one-slack"),
        // Half of the memory each, or all of it for the cuts.
        cuts_(options.c, risk.dimension(), options.cached_planes > 0 ? bytes / 2 : bytes, threads_),
        cache_(risk.examples(), options.cached_planes, bytes / 2),
        portion_(threads_, at_once),
        w_(risk.dimension(), 0.0),
        slope_(risk.dimension(), 0.0),
        sum_(slope_) {}

  void begin_cut() {
    std::ranges::fill(slope_, 0.0);
    sum_.offset = 0;
    sum_.value = 0;
  }
  /// An oracle that misses may be below what is known.
  void use_known(std::size_t example, CompactPlane& plane, double& value) const {
    const CompactPlane* known = cache_.largest(example, w_);
    if (known == nullptr || known->value(w_) <= value) return;
    plane = *known;
    value = known->value(w_);
  }

  /// Step 1: the tight cut at w, hence P.
  void ask_oracle() {
    watch_.enter("oracle");
    begin_cut();
    const std::size_t n = risk_.examples();
    std::vector<CompactPlane> planes(std::min(n, at_once));
    PlaneMender mend;
    if (!risk_.is_exact()) {
      mend = [this](std::size_t example, CompactPlane& plane, double& value) {
        use_known(example, plane, value);
      };
    }
    std::size_t count = 0;
    for (std::size_t begin = 0; begin < n; begin += count) {
      if (!watch_.goes_on()) return;
      const Stopwatch stopwatch;
      count = std::min(n - begin, portion_.size());
      const auto found = std::span(planes).first(count);
      sum_ = sum_of_largest_planes(risk_, begin, w_, threads_, found, sum_, mend);
      watch_.oracle_calls += count;
      for (std::size_t k = 0; k < count; ++k) cache_.keep(begin + k, std::move(found[k]));
      portion_.took(stopwatch.seconds());
    }
    // Known cuts may be above what an oracle found that misses.
    const double loss = risk_.is_exact() ? sum_.value : std::max(sum_.value, cuts_.reduced_slack());
    watch_.saw(0.5 * squared_norm(w_) + options_.c * loss, w_);
  }

  /// Value of the cut at w above D.
  [[nodiscard]] double excess() const {
    return 0.5 * squared_norm(w_) + options_.c * sum_.value - cuts_.dual(w_);
  }

  /// False for a cut that is there already: the reduced dual was not solved well enough.
  bool add_cut() {
    const double slack = cuts_.reduced_slack();
    if (cuts_.size() > 0 && sum_.value <= slack * (1 + 1e-12)) {
      share_ *= 0.1;
      return false;
    }
    cuts_.add(CompactPlane(sum_.offset, slope_), slope_);
    return true;
  }

  /// Step 3: the weights of the cuts, w and D. False when the steps were too few.
  bool solve_dual() {
    watch_.enter("reduced dual");
    const bool ends = cuts_.solve(share_ * watch_.wanted_gap());
    cuts_.combine_into(w_);
    const double before = watch_.dual();
    watch_.proved(cuts_.dual(w_));
    // What was out of reach, though nearer, is not made harder: the next pass resumes from here.
    if (!ends && watch_.dual() > before) share_ = std::min(first_share, 10 * share_);
    return ends;
  }

  /// Step 4: cuts from remembered planes, while they are worth it.
  void use_cache(double left) {
    use_cache(std::max(cache_share * left, watch_.wanted_gap()), most_cached_cuts);
  }

  /// While they are violated by as much.
  void use_cache(double enough, std::size_t most_cuts) {
    if (!cache_.is_used()) return;
    for (std::size_t k = 0; k < most_cuts; ++k) {
      watch_.enter("cache");
      if (!watch_.goes_on()) return;
      begin_cut();
      std::vector<const CompactPlane*> largest(risk_.examples());
      std::vector<double> values(risk_.examples());
      parallel_chunks(
          threads_, largest.size(), 64, [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
              largest[i] = cache_.largest(i, w_);
              values[i] = largest[i] != nullptr ? largest[i]->value(w_) : 0.0;
            }
          });
      for (std::size_t i = 0; i < largest.size(); ++i) {
        if (largest[i] != nullptr) sum_.add(risk_.weight(i), *largest[i], values[i]);
      }
      if (excess() < enough) return;
      const bool is_new = add_cut();
      // Where the cut is known, the harder dual is solved once, and the oracle is next: what is
      // known has no more to say.
      if (!solve_dual() || !is_new) return;
    }
  }

  [[nodiscard]] StructuralState state() const {
    StructuralState state = watch_.state();
    state.w = w_;
    cuts_.save(state.planes, risk_.examples());
    cache_.save(state.planes);
    state.numbers.push_back(share_);
    return state;
  }
  void restore(const StructuralState& state) {
    watch_.restore(state);
    require_field(state.numbers.size() == 1,
                  "the checkpoint's numbers",
                  static_cast<double>(state.numbers.size()),
                  "1");
    double sum = 0;
    for (std::size_t p = 0; p < state.planes.size(); ++p) {
      const std::uint64_t owner = state.planes.owners[p];
      if (owner == risk_.examples()) {
        cuts_.restore(plane_of(state.planes, p), state.planes.weights[p], state.planes.ages[p]);
        sum += state.planes.weights[p];
      } else {
        cache_.restore(static_cast<std::size_t>(owner), plane_of(state.planes, p));
      }
    }
    require(sum <= options_.c * (1 + 1e-9), "the checkpoint's planes: weights are above C");
    w_ = state.w;
    if (!state.is_moved) {
      share_ = state.numbers[0];
    } else {
      // What is known goes first: the oracle is asked where it says no more.
      if (solve_dual()) use_cache(known_share * watch_.wanted_gap(), most_known_cuts);
      // What was out of reach there says nothing of what the oracle will find.
      share_ = first_share;
    }
  }

  const StructuralRisk& risk_;
  const StructuralOptions& options_;
  std::size_t threads_;
  StructuralWatch watch_;
  StoredCuts cuts_;
  PlaneCache cache_;
  OraclePortion portion_;
  std::vector<double> w_;
  /// The cut in the making: sum_i a_i of the largest planes, and its value at w.
  std::vector<double> slope_;
  PlaneSum sum_;
  double share_ = first_share;
};

}  // namespace

StructuralSolution solve_one_slack(const StructuralRisk& risk,
                                   const StructuralOptions& options,
                                   const StructuralState* start) {
  validate(options);
  require_small_dimension(risk);
  return Run(risk, options).solve(start);
}

}  // namespace maxmargin
