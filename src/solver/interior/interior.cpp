// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/interior-point.md
#include "solver/interior/interior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solver/interior/feasible.hpp"
#include "solver/interior/newton.hpp"
#include "solver/interior/scaled.hpp"

namespace maxmargin {

namespace {

using interior::Measured;

/// Share of the way to the nearest bound that a step takes.
constexpr double short_of_bound = 0.99;
/// Steps in a row that make neither gap nor complementarity at most this share of the least so far,
/// after which nothing is left but rounding.
constexpr int patience = 15;
constexpr double progress_share = 0.9;
constexpr double telling_gap = 0.5;
/// Twice what any problem within the digits of doubles was seen to take.
constexpr std::uint64_t most_steps = 120;
/// Shares of a coordinate's own step that take coefficients to their bounds, boldest first.
constexpr double bound_shares[] = {1.0, 1.0 / 16, 1.0 / 256, 0.0};
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
  /// A direction of everything that moves.
  struct Direction {
    std::vector<double> b;
    std::vector<double> offsets;
    std::vector<double> low;   ///< of low_
    std::vector<double> high;  ///< of high_
  };
  void start();
  [[nodiscard]] bool has_low(std::size_t v) const { return std::isfinite(problem_.lower[v]); }
  [[nodiscard]] bool has_high(std::size_t v) const { return std::isfinite(problem_.upper[v]); }
  [[nodiscard]] bool finished();
  [[nodiscard]] bool settle();
  [[nodiscard]] bool try_point(double share);
  /// Coefficients that are at no bound.
  [[nodiscard]] std::size_t between_bounds(std::span<const double> b) const;
  /// What the groups' sums miss, against the size of the coefficients.
  [[nodiscard]] double missing_share() const;
  [[nodiscard]] bool step();
  [[nodiscard]] Direction direction(double target, const Direction* affine) const;
  [[nodiscard]] double longest(const Direction& along) const;
  [[nodiscard]] double centrality(const Direction* along, double length) const;
  [[nodiscard]] Progress progress() const;
  [[nodiscard]] InteriorSolution finish() const;

  interior::ScaledProblem problem_;
  interior::NewtonSystem system_;
  const InteriorOptions& options_;
  std::size_t bounds_ = 0;  ///< finite ones of variables that can move
  std::vector<double> b_;
  std::vector<double> offsets_;
  std::vector<double> below_;  ///< b - lower, kept by itself as it gets far smaller than b
  std::vector<double> above_;  ///< upper - b
  std::vector<double> low_;    ///< multipliers of the lower bounds
  std::vector<double> high_;   ///< and of the upper ones
  Measured at_;
  std::vector<double> nearest_;  ///< the b_ of least gap so far
  /// The best feasible point so far.
  std::vector<double> feasible_;
  Measured feasible_at_;
  double least_gap_ = std::numeric_limits<double>::infinity();
  double least_centrality_ = std::numeric_limits<double>::infinity();
  std::optional<std::uint64_t> reached_ = std::nullopt;          ///< the step at which the gap was
  std::size_t inner_ = std::numeric_limits<std::size_t>::max();  ///< least between_bounds() so far
  int idle_ = 0;
  std::uint64_t steps_ = 0;
  Status status_ = Status::solved;
};

Run::Run(const SvmDual& problem, InteriorMatrix& matrix, const InteriorOptions& options)
    : problem_(problem, matrix), system_(problem_), options_(options) {
  start();
}

void Run::start() {
  const std::size_t count = problem_.variables();
  b_.resize(count);
  below_.assign(count, 1.0);
  above_.assign(count, 1.0);
  low_.assign(count, 0.0);
  high_.assign(count, 0.0);
  offsets_.assign(problem_.groups(), 0.0);
  for (std::size_t v = 0; v < count; ++v) {
    b_[v] = problem_.lower[v];
    if (!problem_.is_open(v)) continue;
    // Without a bound on one side the ridge says how far a coefficient gets.
    const double width =
        has_low(v) && has_high(v) ? problem_.upper[v] - problem_.lower[v] : 1 / problem_.ridge[v];
    below_[v] = above_[v] = 0.5 * width;
    b_[v] = has_low(v) ? problem_.lower[v] + below_[v] : problem_.upper[v] - above_[v];
    bounds_ += (has_low(v) ? 1U : 0U) + (has_high(v) ? 1U : 0U);
  }
  at_ = problem_.measure(b_);
  const auto slope = [&](std::size_t v) {
    return at_.values[problem_.row[v]] + problem_.linear[v] + problem_.ridge[v] * b_[v];
  };
  double steepest = 0;
  for (std::size_t v = 0; v < count; ++v) {
    if (problem_.is_open(v)) steepest = std::max(steepest, std::abs(slope(v)));
  }
  for (std::size_t v = 0; v < count; ++v) {
    if (!problem_.is_open(v)) continue;
    const double at = slope(v);
    if (has_low(v)) low_[v] = steepest + std::max(at, 0.0);
    if (has_high(v)) high_[v] = steepest + std::max(-at, 0.0);
  }
}

InteriorSolution Run::solve() {
  while (!finished()) {
    if (!step()) {
      if (status_ == Status::solved) status_ = Status::no_progress;
      break;
    }
    ++steps_;
  }
  if (feasible_.empty() && !nearest_.empty()) {
    b_ = nearest_;
    at_ = problem_.measure(b_);
    static_cast<void>(settle());
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
  at_ = problem_.measure(b_);
  const double gap = std::max(std::abs(at_.gap()), missing_share());
  if (!std::isfinite(gap)) {
    status_ = Status::numerical_failure;
    return true;
  }
  const bool closer = gap < least_gap_;
  if (closer) nearest_ = b_;
  if ((gap <= options_.tolerance || bounds_ == 0) && settle()) return true;
  // Once the gap is reached, steps go on for the sake of the bounds alone, while they help.
  if (reached_ && !closer) return true;
  const double centre = centrality(nullptr, 0);
  // As long as the gap says nothing, the products tell.
  const bool moved = gap < progress_share * least_gap_ ||
                     (least_gap_ > telling_gap && centre < progress_share * least_centrality_);
  idle_ = moved ? 0 : idle_ + 1;
  least_gap_ = std::min(least_gap_, gap);
  least_centrality_ = std::min(least_centrality_, centre);
  if (idle_ >= patience || bounds_ == 0 || steps_ >= most_steps) {
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
    missing += std::abs(problem_.group_sum[g] - problem_.sum_of(b_, g));
  }
  for (const double b : b_) size += std::abs(b);
  return missing == 0 ? 0 : missing / size;
}

/// Step 8: whether a feasible point is within the tolerance and further steps would hardly take
/// more coefficients to their bounds.
bool Run::settle() {
  bool within = false;
  for (const double share : bound_shares) {
    within = try_point(share);
    if (within) break;
  }
  if (!within) return false;
  if (!reached_) reached_ = steps_;
  const std::size_t inner = between_bounds(feasible_);
  const bool settled = static_cast<double>(inner) >= settled_share * static_cast<double>(inner_);
  inner_ = std::min(inner, inner_);
  return settled || steps_ >= *reached_ + steps_for_bounds;
}

/// Whether the feasible point next to this one is within the tolerance. The best one is kept: the
/// one with most coefficients at their bounds, as long as none is within the tolerance that of
/// least gap.
bool Run::try_point(double share) {
  std::vector<double> point = interior::moved_to_bounds(problem_, b_, at_, share);
  interior::cancel_sides(problem_, point);
  interior::restore_sums(problem_, point);
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

std::size_t Run::between_bounds(std::span<const double> b) const {
  std::size_t count = 0;
  for (std::size_t v = 0; v < b.size(); ++v) {
    count += b[v] > problem_.lower[v] && b[v] < problem_.upper[v] ? 1U : 0U;
  }
  return count;
}

double Run::centrality(const Direction* along, double length) const {
  if (bounds_ == 0) return 0;
  double sum = 0;
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (!problem_.is_open(v)) continue;
    const double move = along != nullptr ? length * along->b[v] : 0.0;
    if (has_low(v)) {
      sum += (below_[v] + move) * (low_[v] + (along != nullptr ? length * along->low[v] : 0.0));
    }
    if (has_high(v)) {
      sum += (above_[v] - move) * (high_[v] + (along != nullptr ? length * along->high[v] : 0.0));
    }
  }
  return sum / static_cast<double>(bounds_);
}

Run::Direction Run::direction(double target, const Direction* affine) const {
  const std::size_t count = b_.size();
  std::vector<double> slopes(count, 0.0);
  std::vector<double> for_low(count, 0.0);
  std::vector<double> for_high(count, 0.0);
  for (std::size_t v = 0; v < count; ++v) {
    if (!problem_.is_open(v)) continue;
    const double offset = problem_.group.empty() ? 0.0 : offsets_[problem_.group[v]];
    slopes[v] = -(at_.values[problem_.row[v]] + problem_.ridge[v] * b_[v] + problem_.linear[v] +
                  offset - low_[v] + high_[v]);
    if (has_low(v)) {
      for_low[v] = target - below_[v] * low_[v];
      if (affine != nullptr) for_low[v] -= affine->b[v] * affine->low[v];
      slopes[v] += for_low[v] / below_[v];
    }
    if (has_high(v)) {
      for_high[v] = target - above_[v] * high_[v];
      if (affine != nullptr) for_high[v] += affine->b[v] * affine->high[v];
      slopes[v] -= for_high[v] / above_[v];
    }
  }
  std::vector<double> sums(problem_.groups());
  for (std::size_t g = 0; g < sums.size(); ++g) {
    sums[g] = problem_.group_sum[g] - problem_.sum_of(b_, g);
  }
  Direction along{std::vector<double>(count),
                  std::vector<double>(sums.size()),
                  std::vector<double>(count, 0.0),
                  std::vector<double>(count, 0.0)};
  system_.solve(slopes, sums, along.b, along.offsets);
  for (std::size_t v = 0; v < count; ++v) {
    if (!problem_.is_open(v)) continue;
    if (has_low(v)) along.low[v] = (for_low[v] - low_[v] * along.b[v]) / below_[v];
    if (has_high(v)) along.high[v] = (for_high[v] + high_[v] * along.b[v]) / above_[v];
  }
  return along;
}

double Run::longest(const Direction& along) const {
  double length = 1 / short_of_bound;
  const auto limit = [&](double value, double move) {
    if (move < 0) length = std::min(length, -value / move);
  };
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (!problem_.is_open(v)) continue;
    if (has_low(v)) {
      limit(below_[v], along.b[v]);
      limit(low_[v], along.low[v]);
    }
    if (has_high(v)) {
      limit(above_[v], -along.b[v]);
      limit(high_[v], along.high[v]);
    }
  }
  return length;
}

bool Run::step() {
  std::vector<double> d(b_.size(), std::numeric_limits<double>::infinity());
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (!problem_.is_open(v)) continue;
    d[v] = problem_.ridge[v];
    if (has_low(v)) d[v] += low_[v] / below_[v];
    if (has_high(v)) d[v] += high_[v] / above_[v];
  }
  Continue answer = Continue::yes;
  const ProgressCallback watch = [&](const Progress&) {
    if (answer == Continue::yes) answer = options_.context.ask(progress());
    return answer;
  };
  if (!system_.factor(d, watch)) {
    if (answer != Continue::yes) status_ = status_of(answer);
    return false;
  }
  const double centre = centrality(nullptr, 0);
  const Direction affine = direction(0, nullptr);
  const double affine_length = std::min(1.0, longest(affine));
  const double left = std::max(centrality(&affine, affine_length), 0.0) / centre;
  const Direction along = direction(left * left * left * centre, &affine);
  const double length = short_of_bound * longest(along);
  if (!(length > 0) || !std::isfinite(length)) return false;
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (!problem_.is_open(v)) continue;
    b_[v] += length * along.b[v];
    if (has_low(v)) {
      below_[v] += length * along.b[v];
      low_[v] += length * along.low[v];
    }
    if (has_high(v)) {
      above_[v] -= length * along.b[v];
      high_[v] += length * along.high[v];
    }
  }
  for (std::size_t g = 0; g < offsets_.size(); ++g) offsets_[g] += length * along.offsets[g];
  return true;
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
  solution.coefficients.assign(b_.size(), 0.0);
  if (feasible_.empty()) return solution;
  for (std::size_t v = 0; v < b_.size(); ++v) {
    solution.coefficients[v] = problem_.coefficient(feasible_[v]);
  }
  for (const double offset : feasible_at_.offsets) {
    solution.offsets.push_back(problem_.offset(offset));
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
