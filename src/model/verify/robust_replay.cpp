// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, "Stopping and what the certificate proves"
#include "model/verify/robust_replay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "model/verify/rounding.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Margins nearer to each other than this, in relation to the largest value, may be equal: the
/// training sums kernel values in another order, and in float when there are many rows.
constexpr double margin_slack = 1e-6;

/// y_i times the dual coefficient of the outliers' problem.
double alpha_of(const RobustReplay& replay, std::size_t i) {
  const double b = replay.points.front()[i];
  return replay.signs[i] != 0 ? replay.signs[i] * b : std::abs(b);
}

/// How much each example counts under the ramp, by the definition; within `slack` of the corner
/// both answers have the same loss, and the one whose box holds the dual coefficient is meant.
std::vector<double> ramp_eta(const RobustReplay& replay,
                             const std::vector<double>& margins,
                             double slack) {
  std::vector<double> eta(margins.size(), 1.0);
  // A point of zeros belongs to no problem that was solved: it chooses nothing.
  const bool chooses = std::ranges::any_of(replay.points.front(), [](double b) { return b != 0; });
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (!replay.counts(i)) continue;
    const bool at_the_corner = chooses && std::abs(margins[i] - *replay.s) <= slack;
    // A margin of s < 1 that counts has the whole of its cost, one that is left out has nothing.
    const bool counts = at_the_corner ? alpha_of(replay, i) > 0 : margins[i] >= *replay.s;
    if (!counts) eta[i] = 0;
  }
  return eta;
}

/// The budget goes to the largest margins; among those within `slack` of the last that gets any,
/// to the largest dual coefficients.
std::vector<double> trimmed_eta(const RobustReplay& replay,
                                const std::vector<double>& margins,
                                double slack) {
  std::vector<double> eta(margins.size(), 1.0);
  if (replay.rho >= 1) return eta;
  std::vector<std::size_t> order;
  double budget = 0;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (!replay.counts(i)) continue;
    order.push_back(i);
    budget += replay.rho * replay.costs[i];
  }
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return margins[a] > margins[b]; });
  double rest = budget;
  double last = infinity;
  for (const std::size_t i : order) {
    if (rest <= rounding_slack * replay.costs[i]) break;
    last = margins[i];
    rest -= replay.costs[i];
  }
  const auto first_tied =
      std::ranges::find_if(order, [&](std::size_t i) { return margins[i] <= last + slack; });
  const auto end_tied = std::find_if(
      first_tied, order.end(), [&](std::size_t i) { return margins[i] < last - slack; });
  std::stable_sort(first_tied, end_tied, [&](std::size_t a, std::size_t b) {
    return alpha_of(replay, a) / replay.costs[a] > alpha_of(replay, b) / replay.costs[b];
  });
  for (const std::size_t i : order) {
    eta[i] = std::min(1.0, std::max(0.0, budget) / replay.costs[i]);
    // Whole numbers of examples stay whole, whatever the rounding of the budget.
    if (std::abs(eta[i] - std::round(eta[i])) <= rounding_slack) eta[i] = std::round(eta[i]);
    budget -= replay.costs[i];
  }
  return eta;
}

/// The choice of outliers that the training made at these margins.
std::vector<double> eta_of(const RobustReplay& replay, const std::vector<double>& margins) {
  double largest = 1;
  for (const double margin : margins) largest = std::max(largest, std::abs(margin));
  const double slack = margin_slack * largest;
  return replay.s ? ramp_eta(replay, margins, slack) : trimmed_eta(replay, margins, slack);
}

/// The robust loss of these margins by its definition: which of nearly equal margins are left out
/// changes the dual's problem, but not what the best choice loses.
double loss_of(const RobustReplay& replay, const std::vector<double>& margins) {
  std::vector<std::pair<double, double>> losses;  // of an example, and its cost
  double budget = 0;
  double sum = 0;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    if (!replay.counts(i)) continue;
    const double hinge = std::max(0.0, 1 - margins[i]);
    if (replay.s) {
      sum += replay.costs[i] * std::min(hinge, 1 - *replay.s);
    } else {
      losses.emplace_back(hinge, replay.costs[i]);
      budget += replay.rho * replay.costs[i];
    }
  }
  std::ranges::sort(losses);
  for (const auto& [loss, cost] : losses) {
    const double counted = std::clamp(budget, 0.0, cost);
    // Whole numbers of examples stay whole, whatever the rounding of the budget.
    if (counted > rounding_slack * cost) sum += loss * (replay.rho < 1 ? counted : cost);
    budget -= cost;
  }
  return sum;
}

/// The dual objective of the problem of `eta`; complains of a point outside its box or off balance.
double fixed_dual(const RobustReplay& replay,
                  const std::vector<double>& eta,
                  TrainingReplay& checks) {
  const std::vector<double>& b = replay.points.front();
  double dual = -0.5 * replay.of_points.front().squared_norm;
  double sum = 0;
  double size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double most = replay.counts(i) ? eta[i] * replay.costs[i] : 0.0;
    const double least = replay.counts(i) && replay.pushes_back ? most - replay.costs[i] : 0.0;
    const double alpha = alpha_of(replay, i);
    checks.check_bounds(alpha, least, most, i);
    dual += alpha;
    sum += b[i];
    // A start that was cut to its box may have left next to nothing but the rounding of the cut.
    size += replay.costs[i];
  }
  if (replay.free_offset) checks.check_balance(sum, size);
  return dual;
}

/// Limits of the margins at the optimum, narrowed by a ball around a function.
class Limits {
 public:
  Limits(const RobustReplay& replay, double objective)
      : replay_(replay),
        objective_(objective),
        least_(replay.signs.size(), -infinity),
        most_(replay.signs.size(), infinity) {}

  void narrow(const std::vector<double>& values, double radius) {
    const double s = *replay_.s;
    double low = replay_.free_offset ? -infinity : 0.0;
    double high = replay_.free_offset ? infinity : 0.0;
    for (const int side : {1, -1}) {
      if (!replay_.free_offset) break;
      double cost = 0;
      double best = -infinity;  // the largest y f that an example of this side can have
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (!replay_.counts(i) || replay_.signs[i] != side) continue;
        cost += replay_.costs[i] * (1 - s);
        best = std::max(best, side * values[i] + radius * root(i));
      }
      if (!(objective_ < cost)) continue;
      // Some example of the side has a margin above s, so y t is above s - best.
      (side > 0 ? low : high) = side * (s - best);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double y = replay_.signs[i];
      const double from = y > 0 ? low : -high;
      const double to = y > 0 ? high : -low;
      least_[i] = std::max(least_[i], y * values[i] - radius * root(i) + from);
      most_[i] = std::min(most_[i], y * values[i] + radius * root(i) + to);
    }
  }

  /// Costs of the hinge that stays below the ramp, and the constant beside it.
  [[nodiscard]] double minorant(std::vector<double>& costs) const {
    const double s = *replay_.s;
    double constant = 0;
    costs.assign(least_.size(), 0.0);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (!replay_.counts(i)) continue;
      if (most_[i] <= s) {
        constant += (1 - s) * replay_.costs[i];
      } else {
        costs[i] = replay_.costs[i] * std::min(1.0, (1 - s) / (1 - std::min(least_[i], s)));
      }
    }
    return constant;
  }

 private:
  [[nodiscard]] double root(std::size_t i) const {
    return std::sqrt(std::max(0.0, replay_.diagonal[i]));
  }

  const RobustReplay& replay_;
  double objective_;
  std::vector<double> least_;
  std::vector<double> most_;
};

/// What the stages prove.
double replay_bound(const RobustReplay& replay, double objective, TrainingReplay& checks) {
  const std::size_t n = replay.signs.size();
  Limits limits(replay, objective);
  limits.narrow(std::vector<double>(n, 0.0), std::sqrt(2 * objective));
  double bound = 0;
  std::vector<double> costs;
  for (std::size_t stage = 1; stage < replay.points.size(); ++stage) {
    const double constant = limits.minorant(costs);
    const std::vector<double>& b = replay.points[stage];
    double scale = 1;
    double sum = 0;
    double balance = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double alpha = replay.signs[i] * b[i];
      if (b[i] != 0 && !(alpha > 0)) checks.complain("a stage of the lower bound has a wrong sign");
      if (alpha > costs[i]) scale = std::min(scale, costs[i] / alpha);
      sum += std::abs(b[i]);
      balance += b[i];
    }
    if (replay.free_offset) {
      checks.check_balance(balance, sum, "the coefficients of a stage of the lower bound");
    }
    Replayed function = replay.of_points[stage];
    for (double& value : function.values) value *= scale;
    function.squared_norm *= scale * scale;
    const double dual = scale * sum - 0.5 * function.squared_norm;
    bound = std::max(bound, dual + constant);
    limits.narrow(function.values, std::sqrt(2 * std::max(0.0, objective - dual - constant)));
  }
  return bound;
}

}  // namespace

void add_function(const RobustReplay& replay, TrainingReplay& checks, Certificate& sum) {
  const std::size_t n = replay.signs.size();
  std::vector<double> margins(n);
  for (std::size_t i = 0; i < n; ++i) {
    margins[i] = replay.signs[i] * (replay.function.values[i] + replay.offset);
  }
  const std::vector<double> eta = eta_of(replay, margins);
  const double primal = 0.5 * replay.function.squared_norm + loss_of(replay, margins);
  double constant = 0;
  sum.rounding += replay.norm_error;
  for (std::size_t i = 0; i < n; ++i) {
    if (!replay.counts(i)) continue;
    if (replay.s) constant += replay.costs[i] * (1 - eta[i]) * (1 - *replay.s);
    // A row beyond the ramp loses the same, wherever it is.
    const double error = replay.value_errors[i];
    const bool is_flat = replay.s && margins[i] < *replay.s - error;
    if (!is_flat) sum.rounding += loss_rounding(replay.costs[i], 1 - margins[i], error, false);
  }
  sum.primal += primal;
  const double dual = constant + fixed_dual(replay, eta, checks);
  sum.dual += dual;
  if (!sum.lower_bound) return;
  if (replay.s) {
    *sum.lower_bound += replay_bound(replay, primal, checks);
  } else if (replay.rho >= 1) {
    *sum.lower_bound += std::max(0.0, dual);
  }
}

}  // namespace maxmargin
