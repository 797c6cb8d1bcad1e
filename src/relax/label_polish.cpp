// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc.md, step 7.
#include "relax/label_polish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "maxmargin/core/options.hpp"
#include "maxmargin/problem/kernel_machines.hpp"
#include "solver/smo/smo.hpp"

namespace maxmargin {

namespace {

/// The share of the objective that an exchange must gain: what a training's gap may hide is none.
double least_gain(const LabelPolishOptions& options) { return std::max(1e-6, options.tolerance); }

LabelRule rule_of(const LabelPolishOptions& options, std::size_t n) {
  return options.rule.value_or(
      LabelRule{.least_positive = options.least, .most_positive = n - std::min(n, options.least)});
}

/// Coefficients as a feasible start for these signs and this C.
std::vector<double> feasible(std::span<const double> coefficients,
                             std::span<const std::int8_t> signs,
                             double c) {
  std::vector<double> start(coefficients.begin(), coefficients.end());
  for (std::size_t i = 0; i < start.size(); ++i) {
    start[i] = signs[i] * std::clamp(start[i] * signs[i], 0.0, c);
  }
  return start;
}

/// Trains and relabels at one C until the labels stay.
FittedLabels settle(const SymmetricMatrix& matrix,
                    Signs signs,
                    const LabelPolishOptions& options,
                    std::span<const double> start) {
  FittedLabels now = fit_labels(matrix, std::move(signs), options, start);
  for (std::size_t round = 1; round < options.max_rounds && !was_stopped(now.status); ++round) {
    Signs better = balanced_signs(now.values, rule_of(options, now.values.size()));
    if (better == now.signs) break;
    FittedLabels next = fit_labels(matrix, std::move(better), options, now.coefficients);
    // Equal values (rounding, ties) may go round in circles.
    if (!(next.objective < now.objective)) break;
    now = std::move(next);
  }
  return now;
}

/// A flip of point i, and of j unless it is nowhere.
struct Flip {
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
  double dual = 0;  ///< no machine for the flipped labels has a smaller objective
  std::size_t i = 0;
  std::size_t j = nowhere;
};

/// What is needed to bound the objective of a flip.
class FlipBounds {
 public:
  FlipBounds(const FittedLabels& labels, std::span<const double> diagonal, double c)
      : labels_(labels), diagonal_(diagonal), c_(c) {
    for (std::size_t i = 0; i < labels.signs.size(); ++i) {
      sum_ += std::abs(labels.coefficients[i]);
      square_ += labels.coefficients[i] * labels.values[i];
    }
  }

  /// The machine's dual point without i, with the best coefficient for its other label.
  [[nodiscard]] double one(std::size_t i) const {
    const double b = labels_.coefficients[i];
    const double f = labels_.values[i] - b * diagonal_[i];
    const double square = square_ - 2 * b * labels_.values[i] + b * b * diagonal_[i];
    return sum_ - std::abs(b) - 0.5 * square + gain(i, f);
  }

  /// The same for a pair; `k` is K_ij.
  [[nodiscard]] double two(std::size_t i, std::size_t j, double k) const {
    const double bi = labels_.coefficients[i];
    const double bj = labels_.coefficients[j];
    const double fi = labels_.values[i] - bi * diagonal_[i] - bj * k;
    const double fj = labels_.values[j] - bj * diagonal_[j] - bi * k;
    const double square = square_ - 2 * (bi * labels_.values[i] + bj * labels_.values[j]) +
                          bi * bi * diagonal_[i] + bj * bj * diagonal_[j] + 2 * bi * bj * k;
    const double first = step(i, fi);
    return sum_ - std::abs(bi) - std::abs(bj) - 0.5 * square + gain(i, fi) +
           gain(j, fj - labels_.signs[i] * first * k);
  }

 private:
  /// Best |coefficient| of point i with its label turned, where the others' value is f.
  [[nodiscard]] double step(std::size_t i, double f) const {
    const double slope = 1 + labels_.signs[i] * f;
    if (slope <= 0) return 0;
    return diagonal_[i] > 0 ? std::min(c_, slope / diagonal_[i]) : c_;
  }
  /// What that adds to the dual.
  [[nodiscard]] double gain(std::size_t i, double f) const {
    const double a = step(i, f);
    return a * (1 + labels_.signs[i] * f) - 0.5 * a * a * diagonal_[i];
  }

  const FittedLabels& labels_;
  std::span<const double> diagonal_;
  double c_;
  double sum_ = 0;
  double square_ = 0;
};

/// Keeps the `room` flips of least dual value, the earlier one of equals.
class BestFlips {
 public:
  BestFlips(std::size_t room, double limit) : room_(room), limit_(limit) {}
  void offer(const Flip& flip) {
    if (!(flip.dual < limit_)) return;
    flips_.push_back(flip);
    if (flips_.size() >= 2 * room_ + 16) shrink();
  }
  [[nodiscard]] std::vector<Flip> take() {
    shrink();
    return std::move(flips_);
  }

 private:
  void shrink() {
    std::ranges::stable_sort(flips_, {}, &Flip::dual);
    if (flips_.size() > room_) {
      flips_.resize(room_);
      limit_ = flips_.back().dual;
    }
  }
  std::size_t room_;
  double limit_;
  std::vector<Flip> flips_;
};

/// The flips worth a training, the most promising first.
std::vector<Flip> promising_flips(const SymmetricMatrix& matrix,
                                  const FittedLabels& labels,
                                  const LabelPolishOptions& options) {
  const std::size_t n = labels.signs.size();
  const double limit = labels.objective * (1 - least_gain(options));
  const FlipBounds bounds(labels, matrix.diagonal(), options.c);
  BestFlips best(options.exchanges, limit);
  const LabelRule rule = rule_of(options, n);
  std::vector<std::size_t> positive;  // and free
  std::vector<std::size_t> negative;
  std::size_t positives = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (labels.signs[i] > 0) ++positives;
    if (!rule.given.empty() && rule.given[i] != 0) continue;
    (labels.signs[i] > 0 ? positive : negative).push_back(i);
  }
  // Neither label may vanish.
  const bool may_fall = positives > rule.least_positive && positives > 1;
  const bool may_rise = positives < rule.most_positive && n - positives > 1;
  for (std::size_t i = 0; i < n; ++i) {
    if (!rule.given.empty() && rule.given[i] != 0) continue;
    if (labels.signs[i] > 0 ? may_fall : may_rise) best.offer({.dual = bounds.one(i), .i = i});
  }
  constexpr std::size_t rows_at_once = 64;
  for (std::size_t begin = 0; begin < positive.size(); begin += rows_at_once) {
    const std::size_t end = std::min(positive.size(), begin + rows_at_once);
    const std::span<const std::size_t> some =
        std::span<const std::size_t>(positive).subspan(begin, end - begin);
    const RowBlock block = matrix.rows(some);
    std::visit(
        [&](const auto& rows) {
          for (std::size_t a = 0; a < some.size(); ++a) {
            for (const std::size_t j : negative) {
              best.offer({.dual = bounds.two(some[a], j, static_cast<double>(rows[a][j])),
                          .i = some[a],
                          .j = j});
            }
          }
        },
        block.rows);
  }
  return best.take();
}

}  // namespace

void LabelPolishOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "C", .help = "weight of the losses; larger fits the points closer"},
               c,
               rules::positive);
  visit.whole({.name = "least", .help = "fewest points of a label"}, least);
  visit.number({.name = "tolerance", .help = "relative gap of each training"},
               tolerance,
               rules::share_inside);
  visit.whole({.name = "steps-a-point",
               .help = "steps of each training for each point",
               .fallback = "none"},
              steps_a_point,
              {.least = 1});
  visit.whole({.name = "max-rounds", .help = "trainings and relabellings for each C"},
              max_rounds,
              {.least = 1});
  visit.whole(
      {.name = "exchanges", .help = "machines trained in search of an exchange; 0: no exchanges"},
      exchanges);
  visit.threads(context.threads);
}

FittedLabels fit_labels(const SymmetricMatrix& matrix,
                        Signs signs,
                        const LabelPolishOptions& options,
                        std::span<const double> start) {
  const std::vector<double> weights(signs.size(), 1.0);
  const SvmDual dual = c_svc_dual(matrix, signs, weights, {.c = options.c, .bias = false});
  const std::vector<double> from =
      start.empty() ? std::vector<double>() : feasible(start, signs, options.c);
  std::optional<std::uint64_t> steps;
  if (options.steps_a_point) {
    steps = *options.steps_a_point * std::max<std::size_t>(1, signs.size());
  }
  SmoSolution found = solve_smo(
      dual,
      {.tolerance = options.tolerance, .max_iterations = steps, .context = options.context},
      from);
  return {
      .signs = std::move(signs),
      .objective = found.report.primal_objective.value_or(std::numeric_limits<double>::infinity()),
      .coefficients = std::move(found.coefficients),
      .values = std::move(found.values),
      .status = found.report.status};
}

FittedLabels polish_labels(const SymmetricMatrix& matrix,
                           const Signs& start,
                           const LabelPolishOptions& options) {
  validate(options);
  FittedLabels direct = settle(matrix, start, options, {});
  LabelPolishOptions level = options;
  Signs signs = start;
  for (const double share : {0.01, 0.1}) {
    if (was_stopped(direct.status)) return direct;
    level.c = share * options.c;
    FittedLabels settled = settle(matrix, std::move(signs), level, {});
    if (was_stopped(settled.status)) return direct;
    signs = std::move(settled.signs);
  }
  if (signs == start || signs == direct.signs) return direct;
  FittedLabels smoothed = settle(matrix, std::move(signs), options, {});
  return smoothed.objective < direct.objective ? smoothed : direct;
}

bool exchange_labels(const SymmetricMatrix& matrix,
                     FittedLabels& labels,
                     const LabelPolishOptions& options) {
  validate(options);
  bool changed = false;
  std::size_t trained = 0;
  bool found = options.exchanges > 0;
  while (found && !was_stopped(labels.status)) {
    found = false;
    for (const Flip& flip : promising_flips(matrix, labels, options)) {
      if (++trained > 10 * options.exchanges) return changed;
      Signs signs = labels.signs;
      signs[flip.i] = static_cast<std::int8_t>(-signs[flip.i]);
      if (flip.j != Flip::nowhere) signs[flip.j] = static_cast<std::int8_t>(-signs[flip.j]);
      FittedLabels next = settle(matrix, std::move(signs), options, labels.coefficients);
      if (was_stopped(next.status)) return changed;
      if (next.objective < labels.objective * (1 - least_gain(options))) {
        labels = std::move(next);
        found = changed = true;
        break;
      }
    }
  }
  return changed;
}

}  // namespace maxmargin
