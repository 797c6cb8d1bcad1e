// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/gap.hpp"
#include "solver/linear/dual_coordinate_trial.hpp"
#include "solver/linear/dual_losses.hpp"
#include "solver/linear/finish.hpp"
#include "solver/linear/large_array.hpp"
#include "solver/linear/linear.hpp"

/// Dual coordinate descent. docs/algorithms/dual-coordinate-descent.md; symbols and steps as there.
namespace maxmargin::linear {

/// One solve. Rows: a class of linear_rows.hpp; Dual: a type of dual_losses.hpp.
template <class Rows, class Dual>
class DualCoordinate {
 public:
  DualCoordinate(const LinearRisk& problem,
                 const Rows& rows,
                 const Dual& dual,
                 const LinearOptions& options,
                 const Trial& trial)
      : problem_(problem),
        rows_(rows),
        dual_(dual),
        options_(options),
        trial_(trial),
        rng_(options.context.seed, "dual coordinate descent"),
        coordinates_(problem.rows()),
        w_(problem.cols() + 1) {}

  [[nodiscard]] LinearSolution run(std::span<const double> start) {
    timer_.enter("solve");
    if (!setup(start)) return finish(Status::numerical_failure);
    if (!start.empty() || used_.empty()) {
      measure();
      if (converged()) return finish(Status::solved);
    }
    for (;;) {
      if (options_.max_iterations && passes_ >= *options_.max_iterations) {
        return finish(Status::iteration_limit);
      }
      shuffle();
      const Continue answer = sweep();
      if (!std::isfinite(dual_value_)) return finish(Status::numerical_failure);
      if (answer != Continue::yes) return finish(status_of(answer));
      if (!looks_converged()) {
        if (out_of_patience() || out_of_operations()) return give_up();
        continue;
      }
      measure();
      if (converged()) return finish(Status::solved);
      if (out_of_operations()) return give_up();
      if (stalled()) return trial_.operations ? give_up() : finish(Status::no_progress);
    }
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  /// What one pass saw.
  struct Pass {
    double gap = 0;  ///< sum of the coordinates' shares, each when it was visited
    double gain = 0;
    double largest = -infinity;  ///< projected slopes
    double smallest = infinity;
    double violations = 0;  ///< sum of |projected slope|
    bool full = false;      ///< no coordinate was left out
  };

  /// Step 1. False when the data is beyond the numbers.
  bool setup(std::span<const double> start) {
    const bool squared = is_smooth(problem_.loss);
    constexpr double least_curvature = 1e-300;  // an empty row moves to its bound at once
    bool finite = true;
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      const double c = problem_.upper(i);
      if (c == 0) continue;
      Coordinate& v = coordinates_[i];
      v.target = problem_.targets[i];
      v.upper = squared ? infinity : c;
      v.ridge = squared ? 1 / (2 * c) : 0;
      v.curvature = std::max(rows_.squared_norm(i) + v.ridge, least_curvature);
      finite = finite && std::isfinite(v.curvature);
      if (!start.empty()) v.b = dual_.feasible(v, start[i]);
      used_.push_back(static_cast<std::uint32_t>(i));
    }
    active_ = used_;
    if (!start.empty()) combine_rows();
    dual_value_ = dual_objective();
    return finite && std::isfinite(dual_value_);
  }

  /// w = sum_i b_i x_i from scratch.
  void combine_rows() {
    w_.clear();
    for (const std::uint32_t i : used_) {
      if (coordinates_[i].b != 0) rows_.add(i, coordinates_[i].b, w_.data());
    }
    combined_at_ = passes_;
  }

  [[nodiscard]] double dual_objective() const {
    double sum = 0;
    for (const std::uint32_t i : used_) sum += dual_.dual_term(coordinates_[i]);
    return sum - half_squared_norm(w_.span());
  }

  /// Step 2: a random order of the active coordinates. Two draws out of one 64-bit word; the bias
  /// of the multiplication is below n / 2^32.
  void shuffle() {
    for (std::size_t i = active_.size(); i > 1;) {
      const std::uint64_t bits = rng_.bits();
      --i;
      std::swap(active_[i], active_[((bits & 0xffffffffU) * (i + 1)) >> 32U]);
      if (i < 2) break;
      --i;
      std::swap(active_[i], active_[((bits >> 32U) * (i + 1)) >> 32U]);
    }
  }

  /// Steps 3 to 6: one pass over the active coordinates, asking the callback every so many entries.
  Continue sweep() {
    constexpr std::size_t entries_between_questions = std::size_t{1} << 24U;
    pass_ = Pass{};
    const std::size_t n = active_.size();
    std::size_t kept = 0;
    std::size_t next = 0;
    Continue answer = Continue::yes;
    while (next < n && answer == Continue::yes) {
      std::size_t work = 0;
      std::size_t end = next;
      while (end < n && work < entries_between_questions) work += rows_.entries(active_[end++]);
      operations_ += 2 * static_cast<double>(work);
      kept = sweep_block(next, end, kept);
      next = end;
      answer = options_.context.ask(progress());
    }
    while (next < n) active_[kept++] = active_[next++];  // those that a stop left unvisited
    active_.resize(kept);
    pass_.full = n == used_.size() && kept == n;
    dual_value_ += pass_.gain;
    measured_ = false;
    if (++passes_ == 1) first_violations_ = pass_.violations;
    update_rule();
    return answer;
  }

  /// Coordinates [begin, end) of the order; those that stay active move to the front, from `kept`.
  std::size_t sweep_block(std::size_t begin, std::size_t end, std::size_t kept) {
    constexpr std::size_t ahead = 3;  // rows that are fetched early
    Pass pass = pass_;
    double* const w = w_.data();
    std::uint32_t* const order = active_.data();
    Coordinate* const coordinates = coordinates_.data();
    const ShrinkRule rule = rule_;
    for (std::size_t k = begin; k < end; ++k) {
      if (k + ahead < end) {
        rows_.prefetch(order[k + ahead]);
        __builtin_prefetch(coordinates + order[k + ahead]);
      }
      const std::uint32_t i = order[k];
      Coordinate& v = coordinates[i];
      const double score = rows_.dot(i, w);
      const Step step = dual_.step(v, score, rule);
      if (step.settled) continue;
      order[kept++] = i;
      pass.gap += dual_.loss(v, score) - dual_.dual_term(v) + v.b * score;
      pass.largest = std::max(pass.largest, step.projected);
      pass.smallest = std::min(pass.smallest, step.projected);
      pass.violations += std::abs(step.projected);
      const double move = step.b - v.b;
      if (move == 0) continue;
      pass.gain += step.gain;
      v.b = step.b;
      rows_.add(i, move, w);
    }
    pass_ = pass;
    return kept;
  }

  /// Step 6: the next pass leaves out what is well inside a bound. Half of the largest slope is
  /// rash, but every measurement calls back what was left out wrongly.
  void update_rule() {
    constexpr double rashness = 0.5;
    if (!options_.shrinking) return;
    rule_.high = pass_.largest > 0 ? rashness * pass_.largest : infinity;
    rule_.low = pass_.smallest < 0 ? rashness * pass_.smallest : -infinity;
  }

  /// Step 7: whether a measurement is worth its pass over the data.
  [[nodiscard]] bool looks_converged() const {
    const double scale = std::abs(dual_value_);
    const bool no_gain = pass_.gain <= std::numeric_limits<double>::epsilon() * scale;
    if (options_.kkt_tolerance) return no_gain || kkt_holds();
    return no_gain || pass_.gap * gap_ratio_ <= options_.tolerance * scale;
  }

  [[nodiscard]] bool kkt_holds() const {
    if (!is_classification(problem_.loss)) {
      return pass_.violations <= *options_.kkt_tolerance * first_violations_;
    }
    const double spread = pass_.largest - pass_.smallest;
    return spread <= *options_.kkt_tolerance || active_.empty();
  }

  /// Step 8: primal and dual at the present point, and which coordinates go on.
  void measure() {
    constexpr std::uint64_t passes_between_combinations = 32;
    if (passes_ - combined_at_ >= passes_between_combinations) combine_rows();
    const bool kkt_failed = options_.kkt_tolerance && !pass_.full;
    if (kkt_failed) rule_ = ShrinkRule{-infinity, infinity};
    double loss = 0;
    active_.clear();
    for (std::size_t k = 0; k < used_.size(); ++k) {
      constexpr std::size_t ahead = 3;
      if (k + ahead < used_.size()) rows_.prefetch(used_[k + ahead]);
      const std::uint32_t i = used_[k];
      const double score = rows_.dot(i, w_.data());
      loss += dual_.loss(coordinates_[i], score);
      if (!dual_.step(coordinates_[i], score, rule_).settled) active_.push_back(i);
    }
    const double dual_before = std::exchange(last_measured_dual_, dual_objective());
    dual_value_ = last_measured_dual_;
    primal_value_ = loss + half_squared_norm(w_.span());
    measured_ = true;
    const double gap = primal_value_ - dual_value_;
    if (pass_.gap > 0) gap_ratio_ = std::clamp(gap / pass_.gap, 0.05, 20.0);
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::abs(dual_value_);
    const bool idle = dual_value_ - dual_before <= rounding && gap >= least_gap_;
    idle_measurements_ = idle ? idle_measurements_ + 1 : 0;
    least_gap_ = std::min(least_gap_, gap);
  }

  [[nodiscard]] bool converged() const {
    if (options_.kkt_tolerance) return passes_ > 0 && pass_.full && kkt_holds();
    return is_within(primal_value_, dual_value_, options_.tolerance);
  }

  /// Nothing is left to gain in double precision: neither the dual nor the gap moves.
  [[nodiscard]] bool stalled() const { return idle_measurements_ >= 30; }

  [[nodiscard]] bool out_of_operations() const {
    return trial_.operations && operations_ > *trial_.operations;
  }

  /// Whether the gap, falling as fast as over the last two passes, would take more passes in all
  /// than the trial has.
  [[nodiscard]] bool out_of_patience() {
    const double gap = pass_.gap;
    const double before = std::exchange(gap_before_last_, std::exchange(last_gap_, gap));
    constexpr std::uint64_t first_passes = 3;  // say little about the rest
    if (!trial_.passes || passes_ < first_passes) return false;
    if (passes_ >= *trial_.passes || !(gap < before)) return true;
    const double factor = std::sqrt(gap / before);
    const double wanted = options_.tolerance * std::abs(dual_value_);
    const double passes_left = std::log(wanted / gap) / std::log(factor);
    return static_cast<double>(passes_) + passes_left > static_cast<double>(*trial_.passes);
  }

  [[nodiscard]] LinearSolution give_up() {
    // Of a run that counts its operations the point may be the answer after all.
    if (trial_.operations) return finish(Status::no_progress);
    LinearSolution solution;
    copy_point(solution);
    close_report(
        solution.report, Status::no_progress, passes_, "passes", options_.tolerance, timer_);
    return solution;
  }

  [[nodiscard]] Progress progress() const {
    return {.phase = "dual coordinate descent",
            .iteration = passes_,
            .max_iterations = options_.max_iterations,
            .primal_objective = std::nullopt,
            .dual_objective = dual_value_ + pass_.gain,
            .gap = relative_gap(dual_value_ + pass_.gap, dual_value_),
            .target = options_.tolerance};
  }

  /// Step 9.
  [[nodiscard]] LinearSolution finish(Status status) {
    LinearSolution solution;
    if (status != Status::numerical_failure) {
      if (!measured_) measure();
      solution.report.primal_objective = primal_value_;
      solution.report.dual_objective = dual_value_;
    }
    copy_point(solution);
    close_report(solution.report, status, passes_, "passes", options_.tolerance, timer_);
    return solution;
  }

  void copy_point(LinearSolution& solution) const {
    solution.coefficients.resize(coordinates_.size());
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      const Coordinate& v = coordinates_[i];
      solution.coefficients[i] = v.b;
      if (v.b != 0) ++solution.support_vectors;
      if (v.b != 0 && std::abs(v.b) == v.upper) ++solution.bounded;
    }
    const auto w = w_.span().first(problem_.components());
    solution.w.assign(w.begin(), w.end());
  }

  const LinearRisk& problem_;
  Rows rows_;
  Dual dual_;
  const LinearOptions& options_;
  Trial trial_;
  Rng rng_;
  PhaseTimer timer_ = {};
  std::vector<Coordinate> coordinates_;
  LargeArray w_;
  std::vector<std::uint32_t> used_ = {};    ///< rows of positive weight
  std::vector<std::uint32_t> active_ = {};  ///< those not left out, in the order of the pass
  ShrinkRule rule_ = {-infinity, infinity};
  Pass pass_ = {};
  std::uint64_t passes_ = 0;
  double operations_ = 0;          ///< multiplications and additions of all passes
  std::uint64_t combined_at_ = 0;  ///< the pass after which w was last made from scratch
  double first_violations_ = 0;
  /// Gap after a pass over the sum of shares during it, as last measured; 1/2 is typical.
  double gap_ratio_ = 0.5;
  bool measured_ = false;
  double primal_value_ = 0;
  double dual_value_ = 0;
  double last_measured_dual_ = -infinity;
  double least_gap_ = infinity;
  double last_gap_ = infinity;  ///< of the passes before this one
  double gap_before_last_ = infinity;
  int idle_measurements_ = 0;
};

}  // namespace maxmargin::linear
