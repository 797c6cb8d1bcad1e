// SPDX-License-Identifier: Apache-2.0
//
// Limited-memory BFGS on matrices with unit rows. Pairs (step, change of gradient) are carried
// from one tangent space to the next by projection; the step is found by halving until Armijo's
// rule holds, and a pair is kept only when its curvature is positive, so that every direction
// descends.
#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>
#include <vector>

#include "maxmargin/core/parallel.hpp"
#include "solver/unit_rows_geometry.hpp"
#include "solver/unit_rows_search.hpp"

namespace maxmargin::unit_rows {

namespace {

/// Armijo's share of the decrease that the slope promises.
constexpr double least_share = 1e-4;
/// Halvings after which no step is found.
constexpr std::size_t most_halvings = 40;
/// A pair whose curvature is below this share of |s| |y| says nothing.
constexpr double least_curvature = 1e-10;

struct Pair {
  DenseMatrix step = {};
  DenseMatrix change = {};
  double curvature = 0;  ///< their inner product
};

class Search {
 public:
  Search(UnitRowsFunction& f,
         Point& point,
         const UnitRowsOptions& options,
         UnitRowsSolution& solution)
      : f_(f),
        point_(point),
        options_(options),
        solution_(solution),
        threads_(thread_count(options.threads)),
        direction_(point.v.rows(), point.v.cols()) {
    trial_.v = DenseMatrix(point.v.rows(), point.v.cols());
  }

  void run() {
    solution_.status = Status::solved;
    while (point_.gradient_norm > options_.gradient_tolerance) {
      if (solution_.iterations >= options_.max_iterations) {
        solution_.status = Status::iteration_limit;
        return;
      }
      choose_direction();
      const double before = point_.value;
      if (!move()) {
        if (pairs_.empty()) {
          solution_.status = Status::no_progress;
          return;
        }
        pairs_.clear();  // once more, along the gradient
        continue;
      }
      ++solution_.iterations;
      const Continue answer = ask(options_.on_progress,
                                  {.phase = "descent",
                                   .iteration = solution_.iterations,
                                   .primal_objective = point_.value,
                                   .gap = point_.gradient_norm,
                                   .target = options_.gradient_tolerance});
      if (answer != Continue::yes) {
        solution_.status = status_of(answer);
        return;
      }
      if (before - point_.value <= options_.value_tolerance * std::abs(before)) {
        if (++idle_ >= 3) {
          solution_.status = Status::no_progress;
          return;
        }
      } else {
        idle_ = 0;
      }
    }
  }

 private:
  /// direction = - H gradient by the two loops over the pairs.
  void choose_direction() {
    std::ranges::copy(point_.tangent.values(), direction_.values().begin());
    std::vector<double> shares(pairs_.size());
    for (std::size_t p = pairs_.size(); p-- > 0;) {
      shares[p] = inner(pairs_[p].step.view(), direction_.view(), threads_) / pairs_[p].curvature;
      add(-shares[p], pairs_[p].change.view(), direction_.view(), threads_);
    }
    if (!pairs_.empty()) {
      const Pair& last = pairs_.back();
      const double length = inner(last.change.view(), last.change.view(), threads_);
      scale(last.curvature / length, direction_.view(), threads_);
    }
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const double share =
          inner(pairs_[p].change.view(), direction_.view(), threads_) / pairs_[p].curvature;
      add(shares[p] - share, pairs_[p].step.view(), direction_.view(), threads_);
    }
    project(point_.v.view(), direction_.view(), threads_);
    scale(-1, direction_.view(), threads_);
    slope_ = inner(point_.tangent.view(), direction_.view(), threads_);
    if (!(slope_ < 0)) {  // rounding: fall back on the gradient
      pairs_.clear();
      std::ranges::copy(point_.tangent.values(), direction_.values().begin());
      scale(-1, direction_.view(), threads_);
      slope_ = -point_.gradient_norm * point_.gradient_norm;
    }
  }

  /// One step; false when none is found, and then f was evaluated at the old point again.
  bool move() {
    const double length = norm(direction_.view(), threads_);
    // Without a scale of its own the first step turns rows by a tenth on average.
    double step =
        pairs_.empty() ? 0.1 * std::sqrt(static_cast<double>(point_.v.rows())) / length : 1.0;
    for (std::size_t trial = 0; trial < most_halvings; ++trial, step *= 0.5) {
      retract(point_.v.view(), step, direction_.view(), trial_.v.view(), threads_);
      measure(f_, trial_, threads_);
      ++solution_.evaluations;
      if (std::isfinite(trial_.value) && std::isfinite(trial_.gradient_norm) &&
          trial_.value <= point_.value + least_share * step * slope_) {
        remember(step);
        std::swap(point_, trial_);
        return true;
      }
    }
    measure(f_, point_, threads_);
    ++solution_.evaluations;
    return false;
  }

  /// Carries the pairs to the trial point and adds the new one.
  void remember(double step) {
    const DenseView v = trial_.v.view();
    for (Pair& pair : pairs_) {
      project(v, pair.step.view(), threads_);
      project(v, pair.change.view(), threads_);
      pair.curvature = inner(pair.step.view(), pair.change.view(), threads_);
    }
    Pair pair;
    if (pairs_.size() >= options_.memory) {
      pair = std::move(pairs_.front());
      pairs_.pop_front();
    } else {
      pair.step = DenseMatrix(v.rows, v.cols);
      pair.change = DenseMatrix(v.rows, v.cols);
    }
    std::ranges::copy(direction_.values(), pair.step.values().begin());
    scale(step, pair.step.view(), threads_);
    project(v, pair.step.view(), threads_);
    std::ranges::copy(point_.tangent.values(), pair.change.values().begin());
    scale(-1, pair.change.view(), threads_);
    project(v, pair.change.view(), threads_);
    add(1, trial_.tangent.view(), pair.change.view(), threads_);
    pair.curvature = inner(pair.step.view(), pair.change.view(), threads_);
    pairs_.push_back(std::move(pair));
    std::erase_if(pairs_, [&](const Pair& kept) {
      const double size = norm(kept.step.view(), threads_) * norm(kept.change.view(), threads_);
      return !(kept.curvature > least_curvature * size);
    });
  }

  UnitRowsFunction& f_;
  Point& point_;
  const UnitRowsOptions& options_;
  UnitRowsSolution& solution_;
  std::size_t threads_;
  DenseMatrix direction_;
  double slope_ = 0;
  Point trial_;
  std::deque<Pair> pairs_;
  std::size_t idle_ = 0;
};

}  // namespace

void search_lbfgs(UnitRowsFunction& f,
                  Point& point,
                  const UnitRowsOptions& options,
                  UnitRowsSolution& solution) {
  Search(f, point, options, solution).run();
}

}  // namespace maxmargin::unit_rows
