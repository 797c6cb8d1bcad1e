// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, "Algorithm"
#include "model/robust/descent.hpp"

#include <algorithm>
#include <utility>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/loss/margin_loss.hpp"

namespace maxmargin {

namespace {

/// A fall of the objective by less than this share of it is rounding.
constexpr double least_fall = 1e-12;
/// A share of an example this near to none or all of it is rounding of the budget.
constexpr double share_rounding = 1e-9;
/// Another start must be better by this share to be preferred to the first.
constexpr double least_gain = 1e-6;

std::vector<double> margins_of(const RobustPoint& point, std::span<const std::int8_t> signs) {
  std::vector<double> margins(signs.size());
  for (std::size_t i = 0; i < signs.size(); ++i) margins[i] = signs[i] * point.values[i];
  return margins;
}

/// The robust objective of a point, and the eta that gives it.
double objective_of(const RobustLoss& loss,
                    std::span<const std::int8_t> signs,
                    const RobustPoint& point,
                    std::vector<double>& eta) {
  const std::vector<double> margins = margins_of(point, signs);
  eta = loss.best_eta(margins);
  return 0.5 * point.squared_norm + loss.value(margins, eta);
}

}  // namespace

RobustLoss RobustLoss::capped(std::vector<double> costs, double s) {
  RobustLoss loss;
  loss.costs_ = std::move(costs);
  loss.s_ = s;
  return loss;
}

RobustLoss RobustLoss::trimmed(std::vector<double> costs, double rho) {
  RobustLoss loss;
  loss.costs_ = std::move(costs);
  loss.rho_ = rho;
  return loss;
}

std::vector<double> RobustLoss::best_eta(std::span<const double> margins) const {
  std::vector<double> eta(margins.size(), 1.0);
  if (s_) {
    for (std::size_t i = 0; i < eta.size(); ++i) {
      if (costs_[i] > 0) eta[i] = 1 + Ramp{*s_}.subtracted_slope(margins[i]);
    }
    return eta;
  }
  std::vector<std::size_t> order;
  double all = 0;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (costs_[i] > 0) order.push_back(i);
    all += costs_[i];
  }
  std::ranges::stable_sort(order,
                           [&](std::size_t i, std::size_t j) { return margins[i] > margins[j]; });
  // With rho = 1 nothing may be left out, whatever the rounding of the sums.
  if (*rho_ >= 1) return eta;
  double rest = *rho_ * all;
  for (const std::size_t i : order) {
    const double share = rest / costs_[i];
    eta[i] = share >= 1 - share_rounding ? 1.0 : share <= share_rounding ? 0.0 : share;
    rest -= costs_[i];
  }
  return eta;
}

double RobustLoss::value(std::span<const double> margins, std::span<const double> eta) const {
  double sum = 0;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    if (s_) {
      sum += costs_[i] * Ramp{*s_}.value(margins[i]);
    } else if (eta[i] > 0) {
      sum += costs_[i] * eta[i] * Hinge{}.value(margins[i]);
    }
  }
  return sum;
}

double RobustLoss::constant(std::span<const double> eta) const {
  if (!s_) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < eta.size(); ++i) sum += costs_[i] * (1 - eta[i]) * (1 - *s_);
  return sum;
}

RobustDescent descend(const RobustLoss& loss,
                      std::span<const std::int8_t> signs,
                      const SolveStep& solve,
                      std::vector<double> eta,
                      const RobustPoint* start,
                      std::size_t max_rounds) {
  RobustDescent found;
  RobustPoint& point = found.point;
  point = solve(eta, start);
  found.objective = objective_of(loss, signs, point, found.eta);
  found.objectives.push_back(found.objective);
  found.rounds = 1;
  found.iterations = point.iterations;
  found.status = point.status;
  found.message = point.message;
  std::optional<RobustPoint> rejected;
  while (!is_over(found.status) && !rejected && found.eta != eta) {
    if (found.rounds >= max_rounds) {
      found.status = worse(found.status, Status::iteration_limit);
      break;
    }
    eta = found.eta;
    RobustPoint next = solve(eta, &point);
    ++found.rounds;
    found.iterations += next.iterations;
    found.status = next.status;
    found.message = next.message;
    std::vector<double> next_eta;
    const double objective = objective_of(loss, signs, next, next_eta);
    if (next.status != Status::numerical_failure &&
        objective < found.objective - least_fall * found.objective) {
      point = std::move(next);
      found.objective = objective;
      found.objectives.push_back(objective);
      found.eta = std::move(next_eta);
    } else {
      rejected = std::move(next);
    }
  }
  // What was solved for the returned eta bounds its convex problem; before that, zero does.
  const RobustPoint* solved = rejected ? &*rejected : found.eta == eta ? &point : nullptr;
  if (found.status == Status::numerical_failure) {
    solved = nullptr;
    found.objectives.clear();
  }
  found.proof = solved != nullptr ? solved->coefficients : std::vector<double>(signs.size(), 0.0);
  found.fixed_dual = loss.constant(found.eta) + (solved != nullptr ? solved->dual : 0.0);
  return found;
}

RobustDescent best_descent(const RobustLoss& loss,
                           std::span<const std::int8_t> signs,
                           const SolveStep& solve,
                           std::size_t starts,
                           std::size_t max_rounds,
                           std::uint64_t seed,
                           RobustPoint& plain) {
  const SolveStep keeping_the_first = [&](std::span<const double> eta, const RobustPoint* start) {
    RobustPoint point = solve(eta, start);
    if (start == nullptr) plain = point;
    return point;
  };
  const std::vector<double> everything(signs.size(), 1.0);
  RobustDescent best = descend(loss, signs, keeping_the_first, everything, nullptr, max_rounds);
  std::uint64_t iterations = best.iterations;
  for (std::size_t k = 1; k < starts && !is_over(best.status); ++k) {
    Rng rng(seed, "robust start", k);
    std::vector<double> half(signs.size());
    for (double& eta : half) eta = rng.bernoulli(0.5) ? 1.0 : 0.0;
    RobustDescent other = descend(loss, signs, solve, std::move(half), &plain, max_rounds);
    iterations += other.iterations;
    if (other.status == Status::numerical_failure) continue;
    const bool stopped = was_stopped(other.status);
    const Status status = other.status;
    if (other.objective < best.objective - least_gain * best.objective) best = std::move(other);
    if (stopped) best.status = status;
  }
  best.iterations = iterations;
  return best;
}

std::size_t default_starts(std::size_t rows) noexcept {
  constexpr std::size_t few = 1000;
  constexpr std::size_t starts = 10;
  return rows <= few ? starts : 1;
}

}  // namespace maxmargin
