// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "solver/gap.hpp"
#include "solver/linear/columns.hpp"
#include "solver/linear/finish.hpp"
#include "solver/linear/linear.hpp"

/// Coordinate descent for the l1 penalty with the squared hinge.
/// docs/algorithms/dual-coordinate-descent.md, third algorithm; symbols and steps as there.
namespace maxmargin {

namespace {

/// How far 0 is from the subdifferential.
double l1_violation(double w, double slope) {
  if (w == 0) return std::max({-(slope + 1), slope - 1, 0.0});
  return std::abs(slope + (w > 0 ? 1 : -1));
}

/// The move to the least point of |w + move| + slope move + curvature/2 move^2. A weight without
/// curvature (no row with a slack has the feature) has no slope either: it can only go to 0.
double l1_move(double w, double slope, double curvature) {
  if (!(curvature > 0)) return -w;
  const double up = slope + 1;
  const double down = slope - 1;
  if (up < curvature * w) return -up / curvature;
  if (down > curvature * w) return -down / curvature;
  return -w;
}

/// The least point p of  g.p + p'Hp/2 + |w + p|_1 - |w|_1  by coordinate descent, to a hundredth of
/// the violation at p = 0. H is symmetric and positive semidefinite. O(k^2) a pass, no data
/// touched: where features depend on each other that is what makes hundreds of passes affordable.
std::vector<double> minimise_l1_quadratic(DenseView h,
                                          std::span<const double> g,
                                          std::span<const double> w) {
  constexpr std::size_t most_updates = 100'000'000;
  const std::size_t most_passes =
      std::clamp<std::size_t>(most_updates / (g.size() * g.size() + 1), 500, 20'000);
  constexpr double share_left = 0.01;
  const std::size_t k = g.size();
  std::vector<double> p(k, 0.0);
  std::vector<double> slope(g.begin(), g.end());  // g + H p
  double first = 0;
  for (std::size_t pass = 0; pass < most_passes; ++pass) {
    double violation = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const double now = w[j] + p[j];
      violation += l1_violation(now, slope[j]);
      const double move = l1_move(now, slope[j], h(j, j));
      if (move == 0) continue;
      p[j] += move;
      const auto row = h.row(j);
      for (std::size_t l = 0; l < k; ++l) slope[l] += move * row[l];
    }
    if (pass == 0) first = violation;
    if (violation <= share_left * first) break;
  }
  return p;
}

/// Active features up to which the matrix of their second derivatives is made: 32 MB.
constexpr std::size_t largest_model = 2000;

class L1Coordinate {
 public:
  L1Coordinate(const LinearRisk& problem, const LinearOptions& options)
      : problem_(problem),
        options_(options),
        columns_(linear::signed_columns(problem)),
        rng_(options.context.seed, "l1 coordinate descent"),
        c_(problem.rows()),
        targets_(problem.targets),
        slacks_(problem.rows(), 1.0),
        w_(problem.components(), 0.0) {
    for (std::size_t i = 0; i < c_.size(); ++i) c_[i] = problem.upper(i);
  }

  [[nodiscard]] LinearSolution run(std::span<const double> start) {
    timer_.enter("solve");
    if (!start.empty()) w_.assign(start.begin(), start.end());
    recompute_slacks();
    for (;;) {
      measure();
      if (!std::isfinite(primal_)) return finish(Status::numerical_failure);
      if (is_within(primal_, dual_, options_.tolerance)) return finish(Status::solved);
      if (primal_ >= primal_before_) {
        if (++idle_ == 5) return finish(Status::no_progress);
      } else {
        idle_ = 0;
      }
      primal_before_ = std::min(primal_before_, primal_);
      const Continue answer = options_.context.ask(progress());
      if (answer != Continue::yes) return finish(status_of(answer));
      if (options_.max_iterations && passes_ >= *options_.max_iterations) {
        return finish(Status::iteration_limit);
      }
      const bool small = active_.size() <= largest_model;
      if (passes_ == 0 || !small || !newton_step()) descend();
      recompute_slacks();  // so that rounding does not pile up: measurements are from scratch
    }
  }

 private:
  /// slack_i = 1 - y_i w.x_i, positive where the margin is violated.
  void recompute_slacks() {
    std::fill(slacks_.begin(), slacks_.end(), 1.0);
    for (std::size_t j = 0; j < w_.size(); ++j) {
      if (w_[j] != 0) shift_slacks(j, w_[j]);
    }
  }

  void shift_slacks(std::size_t j, double move) {
    const auto column = columns_.column(j);
    for (std::size_t k = 0; k < column.rows.size(); ++k) {
      slacks_[column.rows[k]] -= move * column.values[k];
    }
  }

  /// Slope and curvature of the loss along w_j.
  struct Slope {
    double first = 0;
    double second = 0;
  };
  [[nodiscard]] Slope slope(std::size_t j) const {
    Slope sum;
    const auto column = columns_.column(j);
    for (std::size_t k = 0; k < column.rows.size(); ++k) {
      const double slack = slacks_[column.rows[k]];
      if (slack <= 0) continue;
      const double pull = 2 * c_[column.rows[k]] * column.values[k];
      sum.first -= pull * slack;
      sum.second += pull * column.values[k];
    }
    return sum;
  }

  /// Steps 1 and 2: P, the dual at the scaled point, and the features that may move.
  void measure() {
    double loss = 0;
    double linear_part = 0;
    double quadratic_part = 0;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      if (c_[i] == 0) continue;
      const double slack = std::max(slacks_[i], 0.0);
      const double a = 2 * c_[i] * slack;
      loss += c_[i] * slack * slack;
      linear_part += a;
      quadratic_part += a * a / (4 * c_[i]);
    }
    double steepest = 0;
    double size = 0;
    active_.clear();
    for (std::size_t j = 0; j < w_.size(); ++j) {
      const double steep = std::abs(slope(j).first);
      steepest = std::max(steepest, steep);
      size += std::abs(w_[j]);
      if (w_[j] != 0 || steep > 1) active_.push_back(static_cast<std::uint32_t>(j));
    }
    primal_ = size + loss;
    const double best = quadratic_part > 0 ? linear_part / (2 * quadratic_part) : 0.0;
    constexpr double inside = 1 - 1e-12;  // so that rounding leaves the point feasible
    scale_ = steepest > 0 ? std::min(best, inside / steepest) : best;
    dual_ = scale_ * linear_part - scale_ * scale_ * quadratic_part;
  }

  /// Step 3: passes over the active features until most of their violation is gone.
  void descend() {
    constexpr int most_passes = 5;
    constexpr double share_left = 0.1;
    double first = 0;
    for (int pass = 0; pass < most_passes; ++pass) {
      if (options_.max_iterations && passes_ >= *options_.max_iterations) return;
      rng_.shuffle(std::span(active_));
      double violation = 0;
      for (const std::uint32_t j : active_) violation += move_coordinate(j);
      ++passes_;
      if (pass == 0) first = violation;
      if (violation <= share_left * first) return;
    }
  }

  /// Steps 4 and 5: minimises the model of P along w_j and moves there, or less far when P falls
  /// too little. Returns how far the optimality condition was violated.
  double move_coordinate(std::size_t j) {
    const Slope at = slope(j);
    const double w = w_[j];
    const double violation = l1_violation(w, at.first);
    double move = l1_move(w, at.first, at.second);
    constexpr double decrease = 0.01;
    constexpr int most_halvings = 30;
    for (int halving = 0; halving < most_halvings && move != 0; ++halving, move /= 2) {
      const double change = std::abs(w + move) - std::abs(w);
      if (change + loss_change(j, move) <= decrease * (at.first * move + change)) {
        w_[j] = w + move;
        shift_slacks(j, move);
        break;
      }
    }
    return violation;
  }

  [[nodiscard]] double loss_change(std::size_t j, double move) const {
    double sum = 0;
    const auto column = columns_.column(j);
    for (std::size_t k = 0; k < column.rows.size(); ++k) {
      const double before = std::max(slacks_[column.rows[k]], 0.0);
      const double after = std::max(slacks_[column.rows[k]] - move * column.values[k], 0.0);
      sum += c_[column.rows[k]] * (after - before) * (after + before);
    }
    return sum;
  }

  /// Step 6: Newton's step on the active features: the least point of the quadratic model with the
  /// penalty kept as it is, then a search along the way there. False when P does not fall.
  bool newton_step() {
    ++passes_;
    std::sort(active_.begin(), active_.end());
    const std::size_t k = active_.size();
    std::vector<double> slopes(k);
    std::vector<double> start(k);
    for (std::size_t a = 0; a < k; ++a) {
      slopes[a] = slope(active_[a]).first;
      start[a] = w_[active_[a]];
    }
    const DenseMatrix hessian = hessian_of_active();
    const std::vector<double> direction = minimise_l1_quadratic(hessian.view(), slopes, start);
    std::vector<double> falls(slacks_.size(), 0.0);
    double expected = 0;  // first-order change of P
    for (std::size_t a = 0; a < k; ++a) {
      const auto column = columns_.column(active_[a]);
      for (std::size_t e = 0; e < column.rows.size(); ++e) {
        falls[column.rows[e]] += direction[a] * column.values[e];
      }
      expected += slopes[a] * direction[a] + std::abs(start[a] + direction[a]) - std::abs(start[a]);
    }
    constexpr double decrease = 0.01;
    constexpr int most_halvings = 20;
    double t = 1;
    for (int halving = 0; halving < most_halvings; ++halving, t /= 2) {
      if (change_along(start, direction, falls, t) > decrease * t * expected) continue;
      for (std::size_t a = 0; a < k; ++a) w_[active_[a]] = start[a] + t * direction[a];
      return expected < 0;
    }
    return false;
  }

  /// Second derivatives of the loss in the active features, from the rows that pay a loss.
  [[nodiscard]] DenseMatrix hessian_of_active() const {
    const std::size_t k = active_.size();
    constexpr auto absent = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> place(w_.size(), absent);
    for (std::size_t a = 0; a < k; ++a) place[active_[a]] = static_cast<std::uint32_t>(a);
    DenseMatrix h(k, k);
    std::vector<std::pair<std::uint32_t, double>> entries;
    for (std::size_t i = 0; i < slacks_.size(); ++i) {
      if (c_[i] == 0 || slacks_[i] <= 0) continue;
      entries.clear();
      linear::for_each_feature(problem_, i, [&](std::size_t j, double value) {
        if (place[j] != absent && value != 0) entries.emplace_back(place[j], value);
      });
      for (std::size_t e = 0; e < entries.size(); ++e) {
        const double pull = 2 * c_[i] * entries[e].second;
        double* const row = h.row(entries[e].first).data();
        for (std::size_t f = 0; f <= e; ++f) row[entries[f].first] += pull * entries[f].second;
      }
    }
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = 0; b < a; ++b) h(b, a) = h(a, b);
    }
    return h;
  }

  /// P(w + t direction) - P(w).
  [[nodiscard]] double change_along(std::span<const double> start,
                                    std::span<const double> direction,
                                    std::span<const double> falls,
                                    double t) const {
    double change = 0;
    for (std::size_t a = 0; a < start.size(); ++a) {
      change += std::abs(start[a] + t * direction[a]) - std::abs(start[a]);
    }
    for (std::size_t i = 0; i < slacks_.size(); ++i) {
      const double before = std::max(slacks_[i], 0.0);
      const double after = std::max(slacks_[i] - t * falls[i], 0.0);
      change += c_[i] * (after - before) * (after + before);
    }
    return change;
  }

  [[nodiscard]] Progress progress() const {
    return {.phase = "l1 coordinate descent",
            .iteration = passes_,
            .max_iterations = options_.max_iterations,
            .primal_objective = primal_,
            .dual_objective = dual_,
            .gap = relative_gap(primal_, dual_),
            .target = options_.tolerance};
  }

  [[nodiscard]] LinearSolution finish(Status status) {
    LinearSolution solution;
    solution.coefficients.resize(c_.size());
    for (std::size_t i = 0; i < c_.size(); ++i) {
      if (c_[i] == 0) continue;
      const double a = scale_ * 2 * c_[i] * std::max(slacks_[i], 0.0);
      solution.coefficients[i] = targets_[i] * a;
      solution.support_vectors += a != 0 ? 1 : 0;
    }
    if (status != Status::numerical_failure) {
      solution.report.primal_objective = primal_;
      solution.report.dual_objective = dual_;
    }
    solution.w = w_;
    linear::close_report(solution.report, status, passes_, "passes", options_.tolerance, timer_);
    return solution;
  }

  const LinearRisk& problem_;
  const LinearOptions& options_;
  linear::Columns columns_;
  Rng rng_;
  PhaseTimer timer_ = {};
  std::vector<double> c_;
  std::span<const double> targets_;
  std::vector<double> slacks_;
  std::vector<double> w_;
  std::vector<std::uint32_t> active_ = {};
  std::uint64_t passes_ = 0;
  double primal_ = 0;
  double dual_ = 0;
  double scale_ = 0;  ///< of the dual point 2 C_i slack_i
  double primal_before_ = std::numeric_limits<double>::infinity();
  int idle_ = 0;
};

}  // namespace

LinearSolution solve_l1_coordinate(const LinearRisk& problem,
                                   const LinearOptions& options,
                                   std::span<const double> start) {
  linear::require_solvable(problem, options, start, problem.components());
  require_field(problem.penalty == LinearPenalty::l1,
                "penalty of l1 coordinate descent",
                to_string(problem.penalty),
                "l1");
  return L1Coordinate(problem, options).run(start);
}

}  // namespace maxmargin
