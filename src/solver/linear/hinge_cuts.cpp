// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-cutting-plane.md, "The convex step"
#include "solver/linear/hinge_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/structural/cut_qp.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t rows_at_once = 4096;
/// Share of the new minimiser in the point where a cut is made.
constexpr double share = 0.1;
/// Cuts that no solve used for so long go.
constexpr std::size_t most_idle = 20;

/// Scores of all rows and weighted sums of rows.
class Rows {
 public:
  Rows(const BoundedMeanHinge& problem, std::size_t threads)
      : problem_(problem), threads_(threads) {}

  [[nodiscard]] std::vector<double> scores(std::span<const double> w) const {
    std::vector<double> scores(problem_.rows());
    const std::size_t columns = problem_.points.cols();
    double offset = problem_.bias != 0 ? problem_.bias * w.back() : 0.0;
    if (!problem_.centre.empty()) offset -= dot(w.first(columns), problem_.centre);
    parallel_chunks(threads_,
                    scores.size(),
                    rows_at_once,
                    [&](std::size_t, std::size_t begin, std::size_t end) {
                      for (std::size_t i = begin; i < end; ++i) {
                        scores[i] = problem_.points.row(i).dot(w.first(columns)) + offset;
                      }
                    });
    return scores;
  }

  /// sum_i weight(i) (x_i - centre, bias); weight may be 0.
  template <class Weight>
  [[nodiscard]] std::vector<double> combine(const Weight& weight) const {
    const std::size_t columns = problem_.points.cols();
    // One entry more than the columns holds the sum of the weights.
    std::vector<std::vector<double>> parts(chunk_count(problem_.rows(), rows_at_once));
    parallel_chunks(threads_,
                    problem_.rows(),
                    rows_at_once,
                    [&](std::size_t c, std::size_t begin, std::size_t end) {
                      std::vector<double>& part = parts[c];
                      part.assign(columns + 1, 0.0);
                      const std::span<double> sums = std::span(part).first(columns);
                      for (std::size_t i = begin; i < end; ++i) {
                        const double x = weight(i);
                        if (x == 0) continue;
                        problem_.points.row(i).axpy_into(x, sums);
                        part[columns] += x;
                      }
                    });
    std::vector<double> sum(columns + 1, 0.0);
    for (const std::vector<double>& part : parts) axpy(1.0, part, sum);
    const double total = sum.back();
    sum.pop_back();
    if (!problem_.centre.empty()) axpy(-total, problem_.centre, sum);
    if (problem_.bias != 0) sum.push_back(total * problem_.bias);
    return sum;
  }

  [[nodiscard]] double loss(std::span<const double> scores) const {
    return sum_of([&](std::size_t i) { return std::max(0.0, 1 - problem_.signs[i] * scores[i]); });
  }
  template <class Term>
  [[nodiscard]] double sum_of(const Term& term) const {
    return parallel_sum(threads_,
                        problem_.rows(),
                        rows_at_once,
                        0.0,
                        [&](std::size_t, std::size_t begin, std::size_t end) {
                          double sum = 0;
                          for (std::size_t i = begin; i < end; ++i) sum += term(i);
                          return sum;
                        });
  }

 private:
  const BoundedMeanHinge& problem_;
  std::size_t threads_;
};

/// One solve.
class CutRun {
 public:
  CutRun(const BoundedMeanHinge& problem, const HingeCutsOptions& options)
      : problem_(problem),
        options_(options),
        rows_(problem, thread_count(options.context.threads)),
        mean_(mean()),
        qp_(problem.c * static_cast<double>(problem.rows()), mean_, problem.mean_limit) {}

  HingeCutsSolution run(std::span<const double> start);

 private:
  /// Of the rows less the centre; empty when nothing limits it.
  [[nodiscard]] std::vector<double> mean() const {
    if (!std::isfinite(problem_.mean_limit)) return {};
    const double part = 1 / static_cast<double>(problem_.rows());
    return rows_.combine([&](std::size_t) { return part; });
  }
  [[nodiscard]] double primal(std::span<const double> w, std::span<const double> scores) const {
    return 0.5 * dot(w, w) + problem_.c * rows_.loss(scores);
  }
  /// The nearest point within the limit.
  void project(std::vector<double>& w) const;
  /// The cut of the hinges at these scores.
  void cut(std::span<const double> scores);
  /// Moves the best point towards w.
  void search(std::span<const double> w, std::span<const double> scores);
  /// How far rounding may move an objective where the centre is long beside the distances from it:
  /// an error of epsilon in each addend of sum_i b_i x_i and of sum_i b_i centre moves 1/2 |w|^2 by
  /// |w| times it.
  [[nodiscard]] double rounding(std::span<const double> b) const;
  HingeCutsSolution finish(Status status, std::uint64_t cuts, PhaseTimer& timer) const;

  const BoundedMeanHinge& problem_;
  const HingeCutsOptions& options_;
  Rows rows_;
  std::vector<double> mean_;
  CutQp qp_;
  std::vector<std::vector<bool>> masks_ = {};  ///< rows in each cut
  std::vector<double> w_ = {};
  std::vector<double> scores_ = {};
  double primal_ = 0;
  double dual_ = 0;
};

void CutRun::project(std::vector<double>& w) const {
  if (mean_.empty()) return;
  const double norm = dot(mean_, mean_);
  const double score = dot(mean_, w);
  if (!(norm > 0) || std::abs(score) <= problem_.mean_limit) return;
  const double target = std::copysign(problem_.mean_limit, score);
  axpy((target - score) / norm, mean_, w);
}

void CutRun::cut(std::span<const double> scores) {
  const auto n = static_cast<double>(problem_.rows());
  std::vector<bool> mask(problem_.rows());
  std::size_t count = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    mask[i] = problem_.signs[i] * scores[i] < 1;
    if (mask[i]) ++count;
  }
  std::vector<double> gradient =
      rows_.combine([&](std::size_t i) { return mask[i] ? problem_.signs[i] / n : 0.0; });
  qp_.add(std::move(gradient), static_cast<double>(count) / n);
  masks_.push_back(std::move(mask));
}

void CutRun::search(std::span<const double> w, std::span<const double> scores) {
  // P along the way: its slope grows, so the least is found by halving. Beyond the new point only
  // where nothing limits the mean.
  std::vector<double> way(w.begin(), w.end());
  axpy(-1.0, w_, way);
  const double square = dot(way, way);
  const double first = dot(way, w_);
  const auto slope = [&](double s) {
    return first + s * square - problem_.c * rows_.sum_of([&](std::size_t i) {
      const double change = scores[i] - scores_[i];
      return problem_.signs[i] * (scores_[i] + s * change) < 1 ? problem_.signs[i] * change : 0.0;
    });
  };
  double low = 0;
  double high = mean_.empty() ? 4 : 1;
  if (slope(high) > 0) {
    for (int step = 0; step < 30; ++step) {
      const double middle = 0.5 * (low + high);
      (slope(middle) < 0 ? low : high) = middle;
    }
  } else {
    low = high;
  }
  if (low == 0) return;
  std::vector<double> next = w_;
  axpy(low, way, next);
  std::vector<double> next_scores(scores_.size());
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    next_scores[i] = scores_[i] + low * (scores[i] - scores_[i]);
  }
  const double value = primal(next, next_scores);
  if (!(value < primal_)) return;
  w_ = std::move(next);
  scores_ = std::move(next_scores);
  primal_ = value;
}

HingeCutsSolution CutRun::run(std::span<const double> start) {
  PhaseTimer timer;
  timer.enter("solve");
  w_.assign(start.begin(), start.end());
  w_.resize(problem_.components(), 0.0);
  project(w_);
  scores_ = rows_.scores(w_);
  primal_ = primal(w_, scores_);
  cut(scores_);
  for (std::uint64_t cuts = 1;; ++cuts) {
    qp_.solve(0.1 * options_.tolerance * std::abs(primal_));
    dual_ = std::max(dual_, qp_.value());
    std::vector<double> w = qp_.w();
    project(w);
    const std::vector<double> scores = rows_.scores(w);
    search(w, scores);
    if (!std::isfinite(primal_)) return finish(Status::numerical_failure, cuts, timer);
    if (relative_gap(primal_, qp_.value()) <= options_.tolerance) {
      return finish(Status::solved, cuts, timer);
    }
    const Continue answer = options_.context.ask({.phase = "cutting planes",
                                                  .iteration = cuts,
                                                  .max_iterations = options_.max_iterations,
                                                  .primal_objective = primal_,
                                                  .dual_objective = dual_,
                                                  .gap = relative_gap(primal_, dual_),
                                                  .target = options_.tolerance});
    if (answer != Continue::yes) return finish(status_of(answer), cuts, timer);
    if (cuts >= options_.max_iterations) return finish(Status::iteration_limit, cuts, timer);
    qp_.prune(most_idle, [&](std::size_t k) {
      masks_.erase(masks_.begin() + static_cast<std::ptrdiff_t>(k));
    });
    std::vector<double> between(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      between[i] = (1 - share) * scores_[i] + share * scores[i];
    }
    cut(between);
  }
}

double CutRun::rounding(std::span<const double> b) const {
  if (problem_.centre.empty()) return 0;
  double sum = 0;
  double lengths = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b[i] == 0) continue;
    sum += b[i];
    lengths += std::abs(b[i]) * std::sqrt(problem_.points.row(i).squared_norm());
  }
  const double centre = std::sqrt(dot(problem_.centre, problem_.centre));
  return std::numeric_limits<double>::epsilon() * std::sqrt(dot(w_, w_)) *
         (lengths + std::abs(sum) * centre);
}

HingeCutsSolution CutRun::finish(Status status, std::uint64_t cuts, PhaseTimer& timer) const {
  HingeCutsSolution solution{.w = w_, .scores = scores_};
  solution.coefficients.assign(problem_.rows(), 0.0);
  const auto n = static_cast<double>(problem_.rows());
  for (std::size_t k = 0; k < masks_.size(); ++k) {
    const double weight = qp_.weights()[k] / n;
    if (weight == 0) continue;
    for (std::size_t i = 0; i < problem_.rows(); ++i) {
      if (masks_[k][i]) solution.coefficients[i] += weight;
    }
  }
  for (std::size_t i = 0; i < problem_.rows(); ++i) {
    solution.coefficients[i] = problem_.signs[i] * std::min(solution.coefficients[i], problem_.c);
  }
  solution.mean_multiplier = qp_.multiplier();
  const double scale = std::max(std::abs(primal_), std::abs(qp_.value()));
  if (rounding(solution.coefficients) > options_.tolerance * scale) {
    status = Status::numerical_failure;
  }
  solution.report.status = status;
  solution.report.iterations = cuts;
  if (status != Status::numerical_failure) {
    solution.report.primal_objective = primal_;
    solution.report.dual_objective = qp_.value();
  }
  solution.report.seconds = timer.finish();
  return solution;
}

}  // namespace

void BoundedMeanHinge::describe(OptionVisitor& visit) {
  visit.number({.name = "C", .help = "weight of the losses; larger fits the rows closer"},
               c,
               rules::positive);
  visit.number(
      {.name = "bias", .help = "value of a constant feature; 0: none"}, bias, rules::finite);
  visit.number({.name = "mean-limit", .help = "largest mean score that is allowed"},
               mean_limit,
               rules::not_negative_or_infinite);
  visit.check([this] {
    require(points.rows() >= 1, "BoundedMeanHinge.points: there must be a point");
    require_field(centre.empty() || centre.size() == points.cols(),
                  "BoundedMeanHinge.centre",
                  std::to_string(centre.size()) + " numbers",
                  "one a column or none");
    require_field(signs.size() == points.rows(),
                  "BoundedMeanHinge.signs",
                  std::to_string(signs.size()) + " numbers",
                  "one a row");
    for (const double sign : signs) {
      require_field(std::abs(sign) == 1, "BoundedMeanHinge.signs", sign, "+1 or -1");
    }
  });
}

void HingeCutsOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "tolerance", .help = "relative duality gap at which it stops"},
               tolerance,
               rules::share_inside);
  visit.whole({.name = "max-iterations", .help = "cuts at most"}, max_iterations, {.least = 1});
  visit.threads(context.threads);
}

HingeCutsSolution solve_hinge_cuts(const BoundedMeanHinge& problem,
                                   const HingeCutsOptions& options,
                                   std::span<const double> start) {
  validate(problem);
  validate(options);
  require(start.empty() || start.size() == problem.components(),
          "hinge cuts: the start must have one number a component of w");
  return CutRun(problem, options).run(start);
}

BoundedMeanResiduals residuals(const BoundedMeanHinge& problem,
                               std::span<const double> w,
                               std::span<const double> b,
                               double u) {
  validate(problem);
  require(w.size() == problem.components() && b.size() == problem.rows(),
          "BoundedMeanHinge: w must have one number a component, b one a row");
  const std::size_t columns = problem.points.cols();
  const auto n = static_cast<double>(problem.rows());
  BoundedMeanResiduals found;
  std::vector<double> v(w.size(), 0.0);
  double loss = 0;
  double mean = 0;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    std::vector<double> x(w.size(), problem.bias);
    for (std::size_t j = 0; j < columns; ++j) {
      x[j] = problem.points.row(i).at(j) - (problem.centre.empty() ? 0.0 : problem.centre[j]);
    }
    double score = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      score += w[j] * x[j];
      v[j] += (b[i] - u / n) * x[j];
    }
    loss += std::max(0.0, 1 - problem.signs[i] * score);
    mean += score / n;
    const double a = problem.signs[i] * b[i];
    found.bound_violation = std::max({found.bound_violation, -a, a - problem.c});
    found.dual += a;
  }
  double squares = 0;
  for (const double x : w) squares += x * x;
  found.primal = 0.5 * squares + problem.c * loss;
  for (const double x : v) found.dual -= 0.5 * x * x;
  if (u != 0) found.dual -= problem.mean_limit * std::abs(u);
  found.mean_excess = std::max(0.0, std::abs(mean) - problem.mean_limit);
  return found;
}

}  // namespace maxmargin
