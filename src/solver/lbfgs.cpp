// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/chain-crf.md, "Algorithm"
#include "solver/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"

namespace maxmargin {

namespace {

/// Share of the promised decrease that a step must bring, and of the slope that it may leave.
constexpr double least_decrease = 1e-4;
constexpr double left_slope = 0.9;
/// Differences of values below this share of the value are taken for rounding.
constexpr double rounding = 1e-12;
constexpr std::size_t most_trials = 40;
/// Numbers that are added before their sum joins the others.
constexpr std::size_t numbers_a_chunk = std::size_t{1} << 16;

class Vectors {
 public:
  explicit Vectors(std::size_t threads) : threads_(threads) {}

  [[nodiscard]] double dot(std::span<const double> x, std::span<const double> y) const {
    return parallel_sum(
        threads_, x.size(), numbers_a_chunk, 0.0, [&](std::size_t, std::size_t a, std::size_t b) {
          double sum = 0;
          for (std::size_t j = a; j < b; ++j) sum += x[j] * y[j];
          return sum;
        });
  }
  /// entry(j) for every j < n.
  template <class Entry>
  void each(std::size_t n, const Entry& entry) const {
    parallel_chunks(threads_, n, numbers_a_chunk, [&](std::size_t, std::size_t a, std::size_t b) {
      for (std::size_t j = a; j < b; ++j) entry(j);
    });
  }

 private:
  std::size_t threads_;
};

/// A step s, the change y of the gradient along it, and s.y.
struct Pair {
  std::vector<double> step;
  std::vector<double> change;
  double curvature = 0;
};

/// What the two-loop recursion needs; old pairs give their room to new ones.
class Memory {
 public:
  Memory(std::size_t most, const Vectors& vectors) : most_(most), vectors_(vectors) {}

  void clear() { used_ = 0; }
  [[nodiscard]] bool empty() const { return used_ == 0; }

  /// s = to - from, y likewise, unless rounding has eaten the curvature.
  void remember(std::span<const double> from,
                std::span<const double> to,
                std::span<const double> gradient_from,
                std::span<const double> gradient_to) {
    if (used_ == most_) {
      std::rotate(
          pairs_.begin(), pairs_.begin() + 1, pairs_.begin() + static_cast<std::ptrdiff_t>(used_));
      --used_;
    }
    if (used_ == pairs_.size()) {
      pairs_.push_back({std::vector<double>(from.size()), std::vector<double>(from.size()), 0});
    }
    Pair& pair = pairs_[used_];
    vectors_.each(from.size(), [&](std::size_t j) {
      pair.step[j] = to[j] - from[j];
      pair.change[j] = gradient_to[j] - gradient_from[j];
    });
    pair.curvature = vectors_.dot(pair.step, pair.change);
    const double sizes = std::sqrt(vectors_.dot(pair.step, pair.step)) *
                         std::sqrt(vectors_.dot(pair.change, pair.change));
    if (pair.curvature > 1e-10 * sizes) ++used_;
  }

  /// q, the gradient, becomes -H q.
  void turn(std::span<double> q) const {
    std::vector<double> weights(used_);
    for (std::size_t i = used_; i-- > 0;) {
      const Pair& pair = pairs_[i];
      const double weight = vectors_.dot(pair.step, q) / pair.curvature;
      vectors_.each(q.size(), [&](std::size_t j) { q[j] -= weight * pair.change[j]; });
      weights[i] = weight;
    }
    double scale = -1;
    if (used_ > 0) {
      const Pair& last = pairs_[used_ - 1];
      scale = -last.curvature / vectors_.dot(last.change, last.change);
    }
    vectors_.each(q.size(), [&](std::size_t j) { q[j] *= scale; });
    for (std::size_t i = 0; i < used_; ++i) {
      const Pair& pair = pairs_[i];
      const double weight = -weights[i] - vectors_.dot(pair.change, q) / pair.curvature;
      vectors_.each(q.size(), [&](std::size_t j) { q[j] += weight * pair.step[j]; });
    }
  }

 private:
  std::size_t most_;
  const Vectors& vectors_;
  /// The first `used_` hold, the oldest first.
  std::vector<Pair> pairs_;
  std::size_t used_ = 0;
};

class Run {
 public:
  Run(const SmoothFunction& function, std::vector<double> start, const LbfgsOptions& options)
      : function_(function),
        options_(options),
        vectors_(thread_count(options.context.threads)),
        memory_(options.pairs, vectors_),
        gradient_(start.size()),
        direction_(start.size()),
        trial_(start.size()),
        trial_gradient_(start.size()) {
    solution_.w = std::move(start);
  }

  LbfgsSolution solve() {
    PhaseTimer timer;
    timer.enter("steps");
    SolveReport& report = solution_.report;
    value_ = evaluate(solution_.w, gradient_);
    report.status = Status::iteration_limit;
    if (!std::isfinite(value_)) report.status = Status::numerical_failure;
    while (report.status == Status::iteration_limit) {
      if (is_done()) {
        report.status = Status::solved;
      } else if (report.iterations == options_.max_iterations) {
        break;
      } else if (!step()) {
        report.status = answer_ == Continue::yes ? Status::no_progress : status_of(answer_);
      }
    }
    report.primal_objective = value_;
    report.lower_bound = bound_;
    report.dual_residual = norm_;
    report.seconds = timer.finish();
    return std::move(solution_);
  }

 private:
  double evaluate(std::span<const double> w, std::span<double> gradient) {
    ++solution_.evaluations;
    return function_(w, gradient);
  }

  /// Step 4, the rule; it also keeps the bound.
  bool is_done() {
    const double square = vectors_.dot(gradient_, gradient_);
    norm_ = std::sqrt(square);
    if (options_.modulus) {
      const double bound = value_ - square / (2 * *options_.modulus);
      bound_ = std::max(bound_.value_or(bound), bound);
      measure_ = relative_gap(value_, *bound_);
      return *measure_ <= options_.tolerance;
    }
    measure_ = norm_ / std::max(1.0, std::sqrt(vectors_.dot(solution_.w, solution_.w)));
    return *measure_ <= options_.tolerance;
  }

  /// One iteration; false when there is no step, or the callback said so.
  bool step() {
    find_direction();
    bool found = search();
    if (!found && answer_ == Continue::yes && !memory_.empty()) {
      memory_.clear();
      find_direction();
      found = search();
    }
    if (!found) return false;
    memory_.remember(solution_.w, trial_, gradient_, trial_gradient_);
    std::swap(solution_.w, trial_);
    std::swap(gradient_, trial_gradient_);
    value_ = trial_value_;
    ++solution_.report.iterations;
    return true;
  }

  /// Step 1: d, and its slope g.d < 0.
  void find_direction() {
    std::ranges::copy(gradient_, direction_.begin());
    memory_.turn(direction_);
    slope_ = vectors_.dot(gradient_, direction_);
    if (!memory_.empty() && !(slope_ < 0)) {
      memory_.clear();
      find_direction();
    }
  }

  /// Step 2: leaves an acceptable trial in trial_.
  bool search() {
    double low = 0;
    std::optional<double> high;
    double t = memory_.empty() ? std::min(1.0, 1 / norm_) : 1.0;
    for (std::size_t trial = 0; trial < most_trials; ++trial) {
      if (!goes_on()) return false;
      vectors_.each(trial_.size(),
                    [&](std::size_t j) { trial_[j] = solution_.w[j] + t * direction_[j]; });
      trial_value_ = evaluate(trial_, trial_gradient_);
      const double trial_slope = vectors_.dot(trial_gradient_, direction_);
      if (is_too_far(t, trial_slope)) {
        high = t;
        t = low + (*high - low) * shrinkage(*high - low);
      } else if (trial_slope < left_slope * slope_) {
        low = t;
        t = high ? 0.5 * (low + *high) : 2 * t;
      } else {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool is_too_far(double t, double trial_slope) const {
    if (!std::isfinite(trial_value_) || !std::isfinite(trial_slope)) return true;
    if (trial_value_ <= value_ + least_decrease * t * slope_) return false;
    const bool is_rounding = trial_value_ <= value_ + rounding * std::abs(value_) &&
                             trial_slope <= (2 * least_decrease - 1) * slope_;
    return !is_rounding;
  }

  /// Where, between 0.1 and 0.5 of the bracket, the parabola through value, slope and trial is
  /// least. The slope at the bracket's low end is taken to be that at 0: a guess, and guarded.
  [[nodiscard]] double shrinkage(double length) const {
    const double rise = trial_value_ - value_ - slope_ * length;
    const double guess = -slope_ * length / (2 * rise);
    return std::isfinite(guess) ? std::clamp(guess, 0.1, 0.5) : 0.1;
  }

  [[nodiscard]] bool goes_on() {
    if (answer_ == Continue::yes) {
      answer_ = options_.context.ask({.phase = "steps",
                                      .iteration = solution_.report.iterations,
                                      .max_iterations = options_.max_iterations,
                                      .primal_objective = value_,
                                      .gap = measure_,
                                      .target = options_.tolerance});
    }
    return answer_ == Continue::yes;
  }

  const SmoothFunction& function_;
  const LbfgsOptions& options_;
  Vectors vectors_;
  Memory memory_;
  std::vector<double> gradient_;
  std::vector<double> direction_;
  std::vector<double> trial_;
  std::vector<double> trial_gradient_;
  double value_ = 0;
  double trial_value_ = 0;
  double slope_ = 0;
  double norm_ = 0;
  std::optional<double> bound_;
  std::optional<double> measure_;
  Continue answer_ = Continue::yes;
  LbfgsSolution solution_;
};

}  // namespace

void LbfgsOptions::describe(OptionVisitor& visit) {
  visit.number(
      {.name = "modulus", .help = "modulus of strong convexity, from which a bound follows"},
      modulus,
      rules::positive);
  visit.number(
      {.name = "tolerance", .help = "relative gap, or norm of the gradient, at which it stops"},
      tolerance,
      rules::positive);
  visit.whole({.name = "pairs", .help = "steps remembered; more take fewer, costlier steps"},
              pairs,
              {.least = 1});
  visit.whole({.name = "max-iterations", .help = "steps at most"}, max_iterations, {.least = 1});
}

LbfgsSolution solve_lbfgs(const SmoothFunction& function,
                          std::vector<double> start,
                          const LbfgsOptions& options) {
  validate(options);
  require(std::ranges::all_of(start, [](double x) { return std::isfinite(x); }),
          "solve_lbfgs: the start must be finite");
  return Run(function, std::move(start), options).solve();
}

}  // namespace maxmargin
