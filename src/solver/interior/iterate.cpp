// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/interior-point.md
#include "solver/interior/iterate.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "solver/interior/loop_rules.hpp"

namespace maxmargin::interior {

namespace {

/// Corrections of a direction at most, the length below which one is tried, what it is made for
/// beyond the length so far, and the least gain with which it is taken.
constexpr int most_corrections = 3;
constexpr double long_enough = 0.9;
constexpr double wanted_gain = 0.3;
constexpr double least_gain = 0.03;
/// Products that differ from the target by more than this factor are outliers.
constexpr double outlier = 10;

}  // namespace

Iterate::Iterate(const ScaledProblem& problem) : problem_(&problem) {
  const std::size_t count = problem_->variables();
  b_.resize(count);
  below_.assign(count, 1.0);
  above_.assign(count, 1.0);
  low_.assign(count, 0.0);
  high_.assign(count, 0.0);
  offsets_.assign(problem_->groups(), 0.0);
  for (std::size_t v = 0; v < count; ++v) {
    b_[v] = problem_->lower[v];
    if (!problem_->is_open(v)) continue;
    // Without a bound on one side the ridge says how far a coefficient gets.
    const double width = has_low(v) && has_high(v) ? problem_->upper[v] - problem_->lower[v]
                                                   : 1 / problem_->ridge[v];
    below_[v] = above_[v] = 0.5 * width;
    b_[v] = has_low(v) ? problem_->lower[v] + below_[v] : problem_->upper[v] - above_[v];
    bounds_ += (has_low(v) ? 1U : 0U) + (has_high(v) ? 1U : 0U);
  }
  const Measured at = problem_->measure(b_);
  const auto slope = [&](std::size_t v) {
    return at.values[problem_->row[v]] + problem_->linear[v] + problem_->ridge[v] * b_[v];
  };
  double steepest = 0;
  for (std::size_t v = 0; v < count; ++v) {
    if (problem_->is_open(v)) steepest = std::max(steepest, std::abs(slope(v)));
  }
  for (std::size_t v = 0; v < count; ++v) {
    if (!problem_->is_open(v)) continue;
    if (has_low(v)) low_[v] = steepest + std::max(slope(v), 0.0);
    if (has_high(v)) high_[v] = steepest + std::max(-slope(v), 0.0);
  }
}

/// The least factor of b with which no row pays a loss; infinite where there is none or where b
/// must not be scaled.
double Iterate::shortest_multiple(const Measured& at) const {
  constexpr double none = std::numeric_limits<double>::infinity();
  if (std::ranges::any_of(problem_->group_sum, [](double sum) { return sum != 0; })) return none;
  double least = 0;
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (!problem_->is_open(v)) continue;
    const bool from_below = problem_->lower[v] == 0;
    if (!from_below && problem_->upper[v] != 0) return none;
    // A row pays nothing where its slope points to the bound at zero.
    const double side = from_below ? 1.0 : -1.0;
    const double offset = problem_->group.empty() ? 0.0 : at.offsets[problem_->group[v]];
    const double pull = side * (at.values[problem_->row[v]] + offset);
    const double wanted = -side * problem_->linear[v];
    if (wanted <= 0 && pull >= 0) continue;
    if (!(pull > 0)) return none;
    least = std::max(least, wanted / pull);
  }
  if (least == 0) return none;
  return least;
}

void Iterate::shrink(Measured& at) {
  const double least = shortest_multiple(at);
  if (!std::isfinite(least)) return;
  const double share = std::ldexp(1.0, std::ilogb(least) + 2);
  if (!(share < 1) || !(share > 0)) return;
  // Distances from bounds at zero and their multipliers are scaled alike, and so are all products.
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (!problem_->is_open(v)) continue;
    const double fall = (1 - share) * b_[v];
    b_[v] *= share;
    if (has_low(v)) {
      const bool at_zero = problem_->lower[v] == 0;
      below_[v] = at_zero ? share * below_[v] : below_[v] - fall;
      low_[v] *= at_zero ? share : share * share;
    }
    if (has_high(v)) {
      const bool at_zero = problem_->upper[v] == 0;
      above_[v] = at_zero ? share * above_[v] : above_[v] + fall;
      high_[v] *= at_zero ? share : share * share;
    }
  }
  for (double& offset : offsets_) offset *= share;
  for (double& value : at.values) value *= share;
}

double Iterate::centrality_after(const Direction* along, double length) const {
  if (bounds_ == 0) return 0;
  double sum = 0;
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (!problem_->is_open(v)) continue;
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

/// All products to `target`, less what a step along `affine` adds to them.
Iterate::Products Iterate::towards(double target, const Direction* affine) const {
  Products change{std::vector<double>(b_.size(), 0.0), std::vector<double>(b_.size(), 0.0)};
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (!problem_->is_open(v)) continue;
    if (has_low(v)) {
      change.low[v] = target - below_[v] * low_[v];
      if (affine != nullptr) change.low[v] -= affine->b[v] * affine->low[v];
    }
    if (has_high(v)) {
      change.high[v] = target - above_[v] * high_[v];
      if (affine != nullptr) change.high[v] += affine->b[v] * affine->high[v];
    }
  }
  return change;
}

Iterate::Direction Iterate::direction(const NewtonSystem& system,
                                      const Measured& at,
                                      const Products& change) const {
  const std::size_t count = b_.size();
  std::vector<double> slopes(count, 0.0);
  for (std::size_t v = 0; v < count; ++v) {
    if (!problem_->is_open(v)) continue;
    const double offset = problem_->group.empty() ? 0.0 : offsets_[problem_->group[v]];
    slopes[v] = -(at.values[problem_->row[v]] + problem_->ridge[v] * b_[v] + problem_->linear[v] +
                  offset - low_[v] + high_[v]);
    if (has_low(v)) slopes[v] += change.low[v] / below_[v];
    if (has_high(v)) slopes[v] -= change.high[v] / above_[v];
  }
  std::vector<double> sums(problem_->groups());
  for (std::size_t g = 0; g < sums.size(); ++g) {
    sums[g] = problem_->group_sum[g] - problem_->sum_of(b_, g);
  }
  Direction along{std::vector<double>(count),
                  std::vector<double>(sums.size()),
                  std::vector<double>(count, 0.0),
                  std::vector<double>(count, 0.0)};
  system.solve(slopes, sums, along.b, along.offsets);
  for (std::size_t v = 0; v < count; ++v) {
    if (!problem_->is_open(v)) continue;
    if (has_low(v)) along.low[v] = (change.low[v] - low_[v] * along.b[v]) / below_[v];
    if (has_high(v)) along.high[v] = (change.high[v] + high_[v] * along.b[v]) / above_[v];
  }
  return along;
}

/// How far all distances and multipliers stay positive.
double Iterate::longest(const Direction& along) const {
  StepLength length;
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (!problem_->is_open(v)) continue;
    if (has_low(v)) {
      length.limit(below_[v], along.b[v]);
      length.limit(low_[v], along.low[v]);
    }
    if (has_high(v)) {
      length.limit(above_[v], -along.b[v]);
      length.limit(high_[v], along.high[v]);
    }
  }
  return length.value();
}

/// Asks of the products that would be outliers after a step of this length to come nearer to the
/// target. False where there are none.
bool Iterate::pull_in(Products& change,
                      const Direction& along,
                      double length,
                      double target) const {
  const double least = target / outlier;
  const double most = target * outlier;
  bool any = false;
  const auto correct = [&](double& wanted, double distance, double multiplier) {
    const double product = distance * multiplier;
    if (product >= least && product <= most) return;
    // Bounded, as one huge product must not bend all others.
    wanted += product < least ? least - product : std::max(most - product, -most);
    any = true;
  };
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (!problem_->is_open(v)) continue;
    if (has_low(v)) {
      correct(change.low[v], below_[v] + length * along.b[v], low_[v] + length * along.low[v]);
    }
    if (has_high(v)) {
      correct(change.high[v], above_[v] - length * along.b[v], high_[v] + length * along.high[v]);
    }
  }
  return any;
}

void Iterate::move(const Direction& along, double length) {
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (!problem_->is_open(v)) continue;
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
}

bool Iterate::step(NewtonSystem& system,
                   const Measured& at,
                   double least_share,
                   const ProgressCallback& on_progress) {
  std::vector<double> d(b_.size(), std::numeric_limits<double>::infinity());
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (!problem_->is_open(v)) continue;
    d[v] = problem_->ridge[v];
    if (has_low(v)) d[v] += low_[v] / below_[v];
    if (has_high(v)) d[v] += high_[v] / above_[v];
  }
  if (!system.factor(d, on_progress)) return false;
  const double centre = centrality();
  const Direction affine = direction(system, at, towards(0, nullptr));
  const double affine_length = std::min(1.0, longest(affine));
  const double left = std::max(centrality_after(&affine, affine_length), 0.0) / centre;
  const double target = std::max(left * left * left, least_share) * centre;
  Products change = towards(target, &affine);
  Direction along = direction(system, at, change);
  double reach = longest(along);
  for (int k = 0; k < most_corrections && reach < long_enough; ++k) {
    Products corrected = change;
    if (!pull_in(corrected, along, std::min(1.0, reach + wanted_gain), target)) break;
    Direction other = direction(system, at, corrected);
    const double other_reach = longest(other);
    if (!(other_reach >= reach + least_gain)) break;
    along = std::move(other);
    change = std::move(corrected);
    reach = other_reach;
  }
  const double length = short_of_bound * reach;
  if (!(length > 0) || !std::isfinite(length)) return false;
  move(along, length);
  return true;
}

}  // namespace maxmargin::interior
