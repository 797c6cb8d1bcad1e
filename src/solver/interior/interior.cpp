// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/interior-point.md
#include "solver/interior/interior.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "solver/interior/feasible.hpp"
#include "solver/interior/iterate.hpp"
#include "solver/interior/loop_rules.hpp"
#include "solver/interior/newton.hpp"
#include "solver/interior/scaled.hpp"

namespace maxmargin {

namespace {

using interior::bound_shares;
using interior::Measured;
using interior::most_steps;

/// A gap that grows by this factor after it was below near_gap is rounding: the point before it is
/// taken again, and mu falls to no less than such a share from there on.
constexpr double lost_factor = 2;
constexpr double near_gap = 0.05;
constexpr double gentle_shares[] = {0.3, 0.6};
/// Where no coefficient is at its bound, this share of the tolerance beyond the point rows that
/// should just pay nothing do so for certain: losses of rounding may be more than all of |f|^2.
constexpr double growth = 0.25;
/// They are where they belong when a step leaves this share of them between their bounds.
constexpr double settled_share = 0.95;
/// Steps that are spent, once the gap is reached, on having coefficients at their bounds as well.
constexpr std::uint64_t steps_for_bounds = 8;

/// One solve: the loop of the page.
class Run {
 public:
  Run(const SvmDual& problem, InteriorMatrix& matrix, const InteriorOptions& options);
  [[nodiscard]] InteriorSolution solve();

 private:
  [[nodiscard]] bool finished();
  [[nodiscard]] bool settle(std::span<const double> b);
  [[nodiscard]] bool try_point(std::vector<double> point);
  [[nodiscard]] bool is_solved_by_zero();
  /// Coefficients that are at no bound.
  [[nodiscard]] std::size_t between_bounds(std::span<const double> b) const;
  /// What the groups' sums miss, against the size of the coefficients.
  [[nodiscard]] double missing_share() const;
  [[nodiscard]] bool step();
  [[nodiscard]] Progress progress() const;
  [[nodiscard]] InteriorSolution finish() const;

  interior::ScaledProblem problem_;
  interior::NewtonSystem system_;
  const InteriorOptions& options_;
  interior::Iterate iterate_;
  Measured at_;
  std::optional<interior::Iterate> nearest_;  ///< the point of least gap so far
  std::size_t retreats_ = 0;
  /// The best feasible point so far.
  std::vector<double> feasible_;
  Measured feasible_at_;
  interior::IdleSteps idle_;
  std::optional<std::uint64_t> reached_ = std::nullopt;          ///< the step at which the gap was
  std::size_t inner_ = std::numeric_limits<std::size_t>::max();  ///< least between_bounds() so far
  std::uint64_t steps_ = 0;
  Status status_ = Status::solved;
};

Run::Run(const SvmDual& problem, InteriorMatrix& matrix, const InteriorOptions& options)
    : problem_(problem, matrix), system_(problem_), options_(options), iterate_(problem_) {}

InteriorSolution Run::solve() {
  if (is_solved_by_zero()) return finish();
  while (!finished()) {
    if (!step()) {
      if (status_ == Status::solved) status_ = Status::no_progress;
      break;
    }
    ++steps_;
  }
  if (feasible_.empty() && nearest_) {
    at_ = problem_.measure(nearest_->b());
    static_cast<void>(settle(nearest_->b()));
  }
  // However it ended, a point within the tolerance is one.
  if (feasible_.empty()) {
    status_ = Status::numerical_failure;
  } else if (feasible_at_.gap() <= options_.tolerance) {
    status_ = Status::solved;
  }
  return finish();
}

bool Run::finished() {
  at_ = problem_.measure(iterate_.b());
  const double gap = std::max(at_.gap(), missing_share());
  if (!std::isfinite(gap)) {
    status_ = Status::numerical_failure;
    return true;
  }
  const double least_gap = idle_.least_gap();
  const bool closer = gap < least_gap;
  if (closer) nearest_ = iterate_;
  const bool worth_settling =
      gap <= options_.tolerance || iterate_.bounds() == 0 || (!closer && at_.dual > 0);
  if (worth_settling && settle(iterate_.b())) return true;
  // Once the gap is reached, steps go on for the sake of the bounds alone, while they help.
  if (reached_ && !closer) return true;
  const double centre = iterate_.centrality();
  if (gap > lost_factor * least_gap && least_gap < near_gap &&
      retreats_ < std::size(gentle_shares) && !reached_) {
    ++retreats_;
    iterate_ = *nearest_;
    at_ = problem_.measure(iterate_.b());
  }
  const bool idle = idle_.is_out_of_patience(gap, centre);
  if (idle || iterate_.bounds() == 0 || steps_ >= most_steps) {
    status_ = Status::no_progress;
    return true;
  }
  if (options_.max_steps && steps_ >= *options_.max_steps) {
    status_ = Status::iteration_limit;
    return true;
  }
  const Continue answer = options_.context.ask(progress());
  if (answer != Continue::yes) status_ = status_of(answer);
  return answer != Continue::yes;
}

double Run::missing_share() const {
  double missing = 0;
  double size = 0;
  for (std::size_t g = 0; g < problem_.groups(); ++g) {
    missing += std::abs(problem_.group_sum[g] - problem_.sum_of(iterate_.b(), g));
  }
  for (const double b : iterate_.b()) size += std::abs(b);
  return missing == 0 ? 0 : missing / size;
}

/// Step 8: whether a feasible point is within the tolerance and further steps would hardly take
/// more coefficients to their bounds.
bool Run::settle(std::span<const double> b) {
  bool within = false;
  for (const double share : bound_shares) {
    std::vector<double> point = interior::moved_to_bounds(problem_, b, at_, share);
    interior::cancel_sides(problem_, point);
    interior::restore_sums(problem_, point);
    std::vector<double> longer = interior::grown(problem_, point, growth * options_.tolerance);
    if (!longer.empty()) {
      interior::restore_sums(problem_, longer);
      within = try_point(std::move(longer));
    }
    within = within || try_point(std::move(point));
    if (within) break;
  }
  if (!within) return false;
  if (!reached_) reached_ = steps_;
  const std::size_t inner = between_bounds(feasible_);
  const bool settled = static_cast<double>(inner) >= settled_share * static_cast<double>(inner_);
  inner_ = std::min(inner, inner_);
  return settled || steps_ >= *reached_ + steps_for_bounds;
}

/// Whether this feasible point is within the tolerance. The best one is kept: the one with most
/// coefficients at their bounds, as long as none is within the tolerance that of least gap.
bool Run::try_point(std::vector<double> point) {
  Measured found = problem_.measure(point);
  if (!std::isfinite(found.gap())) return false;
  const bool within = found.gap() <= options_.tolerance;
  const bool was_within = !feasible_.empty() && feasible_at_.gap() <= options_.tolerance;
  const bool better = within && was_within ? between_bounds(point) < between_bounds(feasible_)
                                           : feasible_.empty() || found.gap() < feasible_at_.gap();
  if (better) {
    feasible_ = std::move(point);
    feasible_at_ = std::move(found);
  }
  return within;
}

/// Step 1: where no row pays a loss at b = 0 that is the answer, and no gap but 0 is small beside
/// it.
bool Run::is_solved_by_zero() {
  const bool is_feasible =
      std::ranges::all_of(problem_.group_sum, [](double sum) { return sum == 0; }) &&
      std::ranges::all_of(problem_.lower, [](double bound) { return bound <= 0; }) &&
      std::ranges::all_of(problem_.upper, [](double bound) { return bound >= 0; });
  if (!is_feasible) return false;
  std::vector<double> zero(problem_.lower.size(), 0.0);
  Measured found = problem_.measure(zero);
  if (found.gap() != 0) return false;
  feasible_ = std::move(zero);
  feasible_at_ = std::move(found);
  return true;
}

std::size_t Run::between_bounds(std::span<const double> b) const {
  std::size_t count = 0;
  for (std::size_t v = 0; v < b.size(); ++v) {
    count += b[v] > problem_.lower[v] && b[v] < problem_.upper[v] ? 1U : 0U;
  }
  return count;
}

bool Run::step() {
  Continue answer = Continue::yes;
  const ProgressCallback watch = [&](const Progress&) {
    if (answer == Continue::yes) answer = options_.context.ask(progress());
    return answer;
  };
  iterate_.shrink(at_);
  const double least_share = retreats_ == 0 ? 0 : gentle_shares[retreats_ - 1];
  if (iterate_.step(system_, at_, least_share, watch)) return true;
  if (answer != Continue::yes) status_ = status_of(answer);
  return false;
}

Progress Run::progress() const {
  return {.phase = "interior point",
          .iteration = steps_,
          .max_iterations = options_.max_steps,
          .gap = at_.gap(),
          .target = options_.tolerance};
}

InteriorSolution Run::finish() const {
  InteriorSolution solution;
  solution.steps = steps_;
  solution.status = status_;
  solution.coefficients.assign(problem_.variables(), 0.0);
  if (feasible_.empty()) return solution;
  for (std::size_t v = 0; v < problem_.variables(); ++v) {
    solution.coefficients[v] = problem_.coefficient(feasible_[v]);
  }
  for (const double offset : feasible_at_.offsets) {
    solution.offsets.push_back(problem_.offset(offset));
  }
  for (const double value : feasible_at_.values) {
    solution.values.push_back(problem_.offset(value));
  }
  solution.primal = problem_.objective(feasible_at_.primal);
  solution.dual = problem_.objective(feasible_at_.dual);
  return solution;
}

}  // namespace

InteriorSolution solve_interior(const SvmDual& problem,
                                InteriorMatrix& matrix,
                                const InteriorOptions& options) {
  return Run(problem, matrix, options).solve();
}

}  // namespace maxmargin
