// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-multiclass.md, step 8.
#include "relax/class_polish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/blas.hpp"
#include "maxmargin/core/options.hpp"
#include "problem/borrowed_matrix.hpp"
#include "solver/crammer_singer/crammer_singer.hpp"

namespace maxmargin {

namespace {

/// Relative gap of the first training of an exchange.
constexpr double rough_tolerance = 1e-2;

/// Coefficients as a feasible start for these labels and this C: points that changed begin at 0.
DenseMatrix feasible(const FittedClasses& fit, const ClassLabels& labels, double c) {
  DenseMatrix start = fit.coefficients;
  for (std::size_t i = 0; i < start.rows(); ++i) {
    const std::span<double> row = start.row(i);
    const double own = row[static_cast<std::size_t>(labels[i])];
    double factor = labels[i] == fit.labels[i] ? 1.0 : 0.0;
    if (own > c) factor *= c / own;
    if (factor == 1) continue;
    for (double& t : row) t *= factor;
    // Rounding: the row keeps the sum 0 and its bound.
    if (factor != 0 && row[static_cast<std::size_t>(labels[i])] > c) std::ranges::fill(row, 0.0);
  }
  return start;
}

DenseMatrix negated(DenseMatrix matrix) {
  for (double& x : matrix.values()) x = -x;
  return matrix;
}

/// Trains and relabels at one C until the labels stay.
FittedClasses settle(DenseView gram,
                     const ClassRules& rules,
                     ClassLabels labels,
                     const ClassPolishOptions& options,
                     const FittedClasses* start) {
  FittedClasses now = fit_classes(gram, rules.classes(), std::move(labels), options, start);
  for (std::size_t round = 1; round < options.max_rounds && !was_stopped(now.status); ++round) {
    ClassLabels better =
        best_allowed_classes(negated(class_losses(now.values.view())).view(), rules);
    if (better == now.labels) break;
    FittedClasses next = fit_classes(gram, rules.classes(), std::move(better), options, &now);
    // Equal values (rounding, ties) may go round in circles.
    if (!(next.objective < now.objective)) break;
    now = std::move(next);
  }
  return now;
}

/// A change of point i to another class and, for a pair, of j to the class of i.
struct Exchange {
  double rise = 0;  ///< of the loss of the present machine
  std::size_t i = 0;
  std::size_t j = 0;  ///< i itself: no second point
  std::int32_t to = 0;
};

class Exchanges {
 public:
  Exchanges(const ClassRules& rules, const FittedClasses& fit)
      : rules_(rules),
        fit_(fit),
        losses_(class_losses(fit.values.view())),
        sizes_(rules.classes()) {
    for (const std::int32_t label : fit.labels) ++sizes_[static_cast<std::size_t>(label)];
  }

  /// The `count` of least rise.
  [[nodiscard]] std::vector<Exchange> best(std::size_t count) const {
    std::vector<Exchange> all = singles();
    for (const Exchange& pair : pairs(count)) all.push_back(pair);
    std::ranges::stable_sort(all,
                             [](const Exchange& a, const Exchange& b) { return a.rise < b.rise; });
    if (all.size() > count) all.resize(count);
    return all;
  }

 private:
  [[nodiscard]] bool is_known(std::size_t i) const {
    return !rules_.known.empty() && rules_.known[i] >= 0;
  }
  [[nodiscard]] std::size_t class_of(std::size_t i) const {
    return static_cast<std::size_t>(fit_.labels[i]);
  }
  [[nodiscard]] double rise(std::size_t i, std::size_t to) const {
    return losses_(i, to) - losses_(i, class_of(i));
  }

  [[nodiscard]] std::vector<Exchange> singles() const {
    std::vector<Exchange> found;
    for (std::size_t i = 0; i < fit_.labels.size(); ++i) {
      const std::size_t from = class_of(i);
      if (is_known(i) || sizes_[from] <= rules_.least[from]) continue;
      for (std::size_t to = 0; to < rules_.classes(); ++to) {
        if (to == from || sizes_[to] >= rules_.most[to]) continue;
        found.push_back({rise(i, to), i, i, static_cast<std::int32_t>(to)});
      }
    }
    return found;
  }

  /// Of each ordered pair of classes the points that lose least.
  [[nodiscard]] std::vector<Exchange> pairs(std::size_t count) const {
    const std::size_t classes = rules_.classes();
    const std::size_t few = std::min<std::size_t>(count, 8);
    std::vector<std::vector<std::size_t>> cheapest(classes * classes);
    for (std::size_t from = 0; from < classes; ++from) {
      for (std::size_t to = 0; to < classes; ++to) {
        std::vector<std::size_t>& points = cheapest[from * classes + to];
        for (std::size_t i = 0; i < fit_.labels.size(); ++i) {
          if (class_of(i) == from && to != from && !is_known(i)) points.push_back(i);
        }
        std::ranges::stable_sort(
            points, [&](std::size_t a, std::size_t b) { return rise(a, to) < rise(b, to); });
        if (points.size() > few) points.resize(few);
      }
    }
    std::vector<Exchange> found;
    for (std::size_t from = 0; from < classes; ++from) {
      for (std::size_t to = from + 1; to < classes; ++to) {
        for (const std::size_t i : cheapest[from * classes + to]) {
          for (const std::size_t j : cheapest[to * classes + from]) {
            found.push_back({rise(i, to) + rise(j, from), i, j, static_cast<std::int32_t>(to)});
          }
        }
      }
    }
    return found;
  }

  const ClassRules& rules_;
  const FittedClasses& fit_;
  DenseMatrix losses_;
  std::vector<std::size_t> sizes_;
};

}  // namespace

void ClassPolishOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "C", .help = "weight of the losses; larger fits the points closer"},
               c,
               rules::positive);
  visit.number({.name = "tolerance", .help = "relative gap of each training"},
               tolerance,
               rules::share_inside);
  visit.whole({.name = "steps-a-point",
               .help = "steps of each training for each point",
               .fallback = "none"},
              steps_a_point);
  visit.whole({.name = "max-rounds", .help = "trainings and relabellings for each C"},
              max_rounds,
              {.least = 1});
  visit.whole(
      {.name = "exchanges", .help = "machines trained in search of an exchange; 0: no exchanges"},
      exchanges);
  visit.threads(context.threads);
}

DenseMatrix class_losses(DenseView values) {
  DenseMatrix losses(values.rows, values.cols);
  for (std::size_t i = 0; i < values.rows; ++i) {
    const std::span<const double> f = values.row(i);
    // The largest value and the largest of the others.
    std::size_t top = 0;
    double second = -std::numeric_limits<double>::infinity();
    for (std::size_t r = 1; r < f.size(); ++r) {
      if (f[r] > f[top]) {
        second = f[top];
        top = r;
      } else {
        second = std::max(second, f[r]);
      }
    }
    for (std::size_t r = 0; r < f.size(); ++r) {
      const double rival = r == top ? second : f[top];
      losses(i, r) = std::max(0.0, 1 + rival - f[r]);
    }
  }
  return losses;
}

FittedClasses fit_classes(DenseView gram,
                          std::size_t classes,
                          ClassLabels labels,
                          const ClassPolishOptions& options,
                          const FittedClasses* start) {
  validate(options);
  const BorrowedMatrix matrix(gram);
  CrammerSinger problem;
  problem.points = &matrix;
  problem.class_count = classes;
  problem.classes = labels;
  problem.costs.assign(labels.size(), options.c);
  std::optional<std::uint64_t> steps;
  if (options.steps_a_point) steps = *options.steps_a_point * std::max<std::size_t>(1, gram.rows);
  DenseMatrix first;
  if (start != nullptr) first = feasible(*start, labels, options.c);
  CrammerSingerSolution solution = solve_crammer_singer(
      problem,
      {.tolerance = options.tolerance, .max_iterations = steps, .context = options.context},
      first.view());
  FittedClasses fit{.labels = std::move(labels),
                    .coefficients = std::move(solution.coefficients),
                    .values = DenseMatrix(gram.rows, classes),
                    .status = solution.report.status};
  gemm(Transpose::no, Transpose::no, 1.0, gram, fit.coefficients.view(), 0.0, fit.values.view());
  const double square = dot(fit.coefficients.values(), fit.values.values());
  double loss = 0;
  double gain = 0;
  for (std::size_t i = 0; i < fit.labels.size(); ++i) {
    const auto own = static_cast<std::size_t>(fit.labels[i]);
    double rival = fit.values(i, own);
    for (std::size_t r = 0; r < classes; ++r) {
      if (r != own) rival = std::max(rival, 1 + fit.values(i, r));
    }
    loss += rival - fit.values(i, own);
    gain += fit.coefficients(i, own);
  }
  fit.objective = square / 2 + options.c * loss;
  fit.dual = gain - square / 2;
  return fit;
}

FittedClasses polish_classes(DenseView gram,
                             const ClassRules& rules,
                             const ClassLabels& start,
                             const ClassPolishOptions& options) {
  validate(options);
  FittedClasses direct = settle(gram, rules, start, options, nullptr);
  if (was_stopped(direct.status)) return direct;
  FittedClasses gentle;
  gentle.labels = start;
  const FittedClasses* before = nullptr;
  for (const double part : {0.01, 0.1, 1.0}) {
    ClassPolishOptions weaker = options;
    weaker.c = part * options.c;
    FittedClasses next = settle(gram, rules, gentle.labels, weaker, before);
    gentle = std::move(next);
    before = &gentle;
    if (was_stopped(gentle.status)) return direct;
  }
  return gentle.objective < direct.objective ? gentle : direct;
}

bool exchange_classes(DenseView gram,
                      const ClassRules& rules,
                      FittedClasses& fit,
                      const ClassPolishOptions& options) {
  // What a training's gap may hide is no gain.
  const double least_gain = std::max(1e-6, options.tolerance);
  // Most exchanges are bad, and a rough training's dual value says so.
  ClassPolishOptions rough = options;
  rough.tolerance = std::max(options.tolerance, rough_tolerance);
  bool changed = false;
  for (std::size_t trained = 0; trained < options.exchanges;) {
    bool better = false;
    for (const Exchange& exchange : Exchanges(rules, fit).best(options.exchanges - trained)) {
      if (options.context.ask({.phase = "exchanges"}) != Continue::yes) return changed;
      ClassLabels labels = fit.labels;
      const std::int32_t from = labels[exchange.i];
      labels[exchange.i] = exchange.to;
      if (exchange.j != exchange.i) labels[exchange.j] = from;
      const double wanted = (1 - least_gain) * fit.objective;
      FittedClasses next = fit_classes(gram, rules.classes(), labels, rough, &fit);
      ++trained;
      if (next.dual >= wanted) continue;
      next = fit_classes(gram, rules.classes(), std::move(labels), options, &next);
      if (next.objective < wanted && !was_stopped(next.status)) {
        fit = std::move(next);
        changed = better = true;
        break;
      }
    }
    if (!better) break;
  }
  return changed;
}

}  // namespace maxmargin
