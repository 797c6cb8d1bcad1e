// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/s3vm.md
#include "model/semi/search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "maxmargin/core/number.hpp"

namespace maxmargin {

namespace {

/// A change of signs must promise this share of the solves' tolerance, relative to the objective.
/// Less would take solves far beyond the tolerance to win.
constexpr double least_gain = 1e-3;
/// The tightest tolerance at which a step is solved again to keep its promise.
constexpr double tightest = 1e-11;

double hinge(double margin) { return std::max(0.0, 1 - margin); }

class Search {
 public:
  Search(const SemiProblem& problem,
         const SemiRule& rule,
         TwoClassEngine& supervised,
         TwoClassEngine& engine,
         double tolerance)
      : problem_(problem),
        rule_(rule),
        supervised_engine_(supervised),
        engine_(engine),
        tolerance_(tolerance) {}

  [[nodiscard]] SemiResult run() {
    train_supervised();
    if (!rule_.levels.empty()) {
      start();
      for (level_ = 0; level_ < rule_.levels.size(); ++level_) {
        if (was_stopped(result_.status)) break;
        descend(rule_.levels[level_]);
      }
    }
    finish();
    return std::move(result_);
  }

 private:
  /// Step 1.
  void train_supervised() {
    result_.status = problem_.prepared;
    result_.supervised =
        supervised_engine_.solve(problem_.signs, problem_.costs, tolerance_, nullptr);
    take_note(result_.supervised);
    point_ = result_.supervised;
    keep_bound();
  }

  void keep_bound() {
    result_.bound_dual = point_.dual;
    result_.lower_bound = point_.report.dual_objective;
  }

  /// Step 2: the machine of the search without unlabelled losses gives the first signs.
  void start() {
    if (problem_.mean && was_stopped(result_.status)) {
      move_to_mean();
    } else if (problem_.mean) {
      point_ = engine_.solve(problem_.signs, problem_.costs, tolerance_, nullptr);
      take_note(point_);
      keep_bound();
    }
    signs_ = assign(rule_.levels.front());
  }

  /// Stopped before there is a machine that holds the mean: the supervised one with the offset that
  /// does. Its dual point may belong to another problem (one with a penalty on the offset), so the
  /// bound is that of coefficients 0.
  void move_to_mean() {
    const std::vector<double> values = values_of(point_);
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    const double shift = *problem_.mean - sum / static_cast<double>(values.size());
    point_.offset += shift;
    for (double& value : point_.values) value += shift;
    if (!point_.w.empty()) {
      point_.squared_norm =
          std::inner_product(point_.w.begin(), point_.w.end(), point_.w.begin(), 0.0);
    }
    result_.bound_dual.assign(problem_.signs.size(), 0.0);
    result_.lower_bound = 0;
  }

  /// Steps 3 to 5 at one level of costs.
  void descend(const UnlabelledCosts& level) {
    point_ = solve(signs_, level, tolerance_, point_);
    double objective = objective_at(point_, signs_, level);
    note_step(level, 0, objective);
    while (!was_stopped(result_.status)) {
      std::vector<std::int8_t> moved = assign(level);
      const double gain = unlabelled_loss(values_of(point_), signs_, level) -
                          unlabelled_loss(values_of(point_), moved, level);
      if (!(gain > least_gain * tolerance_ * objective)) break;
      std::optional<TwoClassPoint> next = solve_to_gain(moved, level, objective, gain);
      if (!next) break;
      const std::size_t changes = count_changes(moved);
      signs_ = std::move(moved);
      point_ = std::move(*next);
      objective = objective_at(point_, signs_, level);
      note_step(level, changes, objective);
    }
  }

  /// Trains with the new signs until at least half of what they promise is won. The promise is the
  /// fall of the objective at the old machine, so an exact solve wins all of it. Empty when
  /// rounding or a stop is in the way: then the old signs stay.
  std::optional<TwoClassPoint> solve_to_gain(const std::vector<std::int8_t>& moved,
                                             const UnlabelledCosts& level,
                                             double objective,
                                             double gain) {
    TwoClassPoint next = point_;
    double tolerance = tolerance_;
    do {
      next = solve(moved, level, tolerance, next);
      if (objective_at(next, moved, level) <= objective - gain / 2) return next;
      tolerance /= 10;
    } while (tolerance >= tightest && !was_stopped(result_.status));
    return std::nullopt;
  }

  TwoClassPoint solve(const std::vector<std::int8_t>& signs,
                      const UnlabelledCosts& level,
                      double tolerance,
                      const TwoClassPoint& from) {
    std::vector<std::int8_t> all_signs = problem_.signs;
    std::vector<double> costs = problem_.costs;
    for (std::size_t k = 0; k < signs.size(); ++k) {
      all_signs[problem_.unlabelled[k]] = signs[k];
      costs[problem_.unlabelled[k]] = problem_.weights[k] * level.of(signs[k]);
    }
    TwoClassPoint point = engine_.solve(all_signs, costs, tolerance, &from);
    take_note(point, tolerance == tolerance_);
    return point;
  }

  /// A solve that was asked for more than its tolerance may stall without harm.
  void take_note(const TwoClassPoint& point, bool counts = true) {
    result_.iterations += point.report.iterations;
    if (!counts && !was_stopped(point.report.status)) return;
    result_.status = worse(result_.status, point.report.status);
  }

  void note_step(const UnlabelledCosts& level, std::size_t moved, double objective) {
    result_.steps.push_back(
        {.level = level_, .unlabelled_c = level.largest(), .moved = moved, .objective = objective});
  }

  /// f of the unlabelled rows.
  [[nodiscard]] std::vector<double> values_of(const TwoClassPoint& point) const {
    std::vector<double> values;
    values.reserve(problem_.unlabelled.size());
    for (const std::size_t row : problem_.unlabelled) values.push_back(point.values[row]);
    return values;
  }

  [[nodiscard]] std::vector<std::int8_t> assign(const UnlabelledCosts& level) const {
    return rule_.assign(values_of(point_), problem_.weights, level);
  }

  [[nodiscard]] double unlabelled_loss(const std::vector<double>& values,
                                       const std::vector<std::int8_t>& signs,
                                       const UnlabelledCosts& level) const {
    double sum = 0;
    for (std::size_t k = 0; k < signs.size(); ++k) {
      const double loss = signs[k] == 0 ? rule_.left_out : hinge(signs[k] * values[k]);
      sum += problem_.weights[k] * level.of(signs[k]) * loss;
    }
    return sum;
  }

  [[nodiscard]] double objective_at(const TwoClassPoint& point,
                                    const std::vector<std::int8_t>& signs,
                                    const UnlabelledCosts& level) const {
    double sum = 0.5 * point.squared_norm + unlabelled_loss(values_of(point), signs, level);
    for (std::size_t i = 0; i < problem_.signs.size(); ++i) {
      if (problem_.costs[i] > 0) {
        sum += problem_.costs[i] * hinge(problem_.signs[i] * point.values[i]);
      }
    }
    return sum;
  }

  [[nodiscard]] std::size_t count_changes(const std::vector<std::int8_t>& moved) const {
    std::size_t changes = 0;
    for (std::size_t k = 0; k < moved.size(); ++k) changes += moved[k] != signs_[k] ? 1U : 0U;
    return changes;
  }

  /// Step 6: measured at the costs of the objective, with the signs that are best for the machine.
  void finish() {
    const bool costless = rule_.levels.empty();
    const UnlabelledCosts last = costless ? UnlabelledCosts{} : rule_.levels.back();
    const std::vector<std::int8_t> signs = assign(costless ? UnlabelledCosts{1, 1} : last);
    result_.objective = objective_at(point_, signs, last);
    if (!was_stopped(result_.status)) prove_stationary(objective_at(point_, signs_, last));
    result_.signs = problem_.signs;
    for (std::size_t k = 0; k < signs.size(); ++k) {
      result_.signs[problem_.unlabelled[k]] = signs[k];
    }
    result_.semi_supervised = std::move(point_);
  }

  /// `trained` is the objective at the machine and the signs it was trained with. What the machine
  /// alone could win is at most the gap of its solve; what the signs alone could win is known.
  void prove_stationary(double trained) {
    const std::optional<double> by_machine = point_.report.gap();
    if (!by_machine) return;
    const double by_signs = trained - result_.objective;
    const double gain = std::max({*by_machine, by_signs, 0.0});
    const double gap = relative_gap(trained, trained - gain);
    result_.stationary_gap = gap;
    constexpr double rounding = 1e-9;
    if (result_.status != Status::solved || gap <= (1 + rounding) * tolerance_) return;
    result_.status = Status::solved_inaccurate;
    result_.message = "new signs or a new machine could lower the objective by a share of " +
                      format_number(gap) + ", wanted at most " + format_number(tolerance_);
  }

  const SemiProblem& problem_;
  const SemiRule& rule_;
  TwoClassEngine& supervised_engine_;
  TwoClassEngine& engine_;
  double tolerance_;
  TwoClassPoint point_ = {};
  std::size_t level_ = 0;
  /// Of the unlabelled rows.
  std::vector<std::int8_t> signs_ = {};
  SemiResult result_ = {};
};

}  // namespace

SemiResult search_signs(const SemiProblem& problem,
                        const SemiRule& rule,
                        TwoClassEngine& supervised,
                        TwoClassEngine& engine,
                        double tolerance) {
  return Search(problem, rule, supervised, engine, tolerance).run();
}

}  // namespace maxmargin
