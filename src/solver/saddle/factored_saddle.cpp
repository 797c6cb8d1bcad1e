// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-alternating.md, "A bound from features"
#include "solver/saddle/factored_saddle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/saddle/smoothed_hinges.hpp"
#include "solver/sdp/lbfgs.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t rows_at_once = 2048;

/// sum_i weights_i z_i z_i', full.
DenseMatrix weighted_scatter(DenseView z, std::span<const double> weights, std::size_t threads) {
  // Few sums of m x m numbers, however many rows there are; as many for any number of threads.
  constexpr std::size_t most_parts = 16;
  const std::size_t chunks = chunk_count(z.rows, rows_at_once);
  const std::size_t rows_of_part = chunk_count(chunks, most_parts) * rows_at_once;
  std::vector<DenseMatrix> parts(chunk_count(z.rows, rows_of_part));
  parallel_chunks(
      threads, z.rows, rows_of_part, [&](std::size_t c, std::size_t begin, std::size_t end) {
        parts[c] = DenseMatrix(z.cols, z.cols);
        for (std::size_t b = begin; b < end; b += rows_at_once) {
          const std::size_t e = std::min(b + rows_at_once, end);
          DenseMatrix scaled(e - b, z.cols);
          for (std::size_t i = b; i < e; ++i) {
            for (std::size_t j = 0; j < z.cols; ++j) scaled(i - b, j) = weights[i] * z(i, j);
          }
          gemm(Transpose::yes,
               Transpose::no,
               1.0,
               scaled.view(),
               z.middle_rows(b, e),
               1.0,
               parts[c].view());
        }
      });
  DenseMatrix sum(z.cols, z.cols);
  for (const DenseMatrix& part : parts) axpy(1.0, part.values(), sum.values());
  return sum;
}

/// One solve.
class FactoredRun {
 public:
  FactoredRun(const FactoredSaddle& problem, const FactoredSaddleOptions& options)
      : problem_(problem),
        options_(options),
        threads_(thread_count(options.context.threads)),
        function_(problem, threads_) {}

  FactoredSaddleSolution run();

 private:
  void start();
  /// L-BFGS to a gradient of `accuracy` times |W|; false when the run is to end.
  bool minimise(double accuracy);
  /// Takes the better bound and the better value at the present point; the excess of the largest
  /// eigenvalue over 1. Bounds are estimates here: factored_saddle_bound has the last word.
  double certify();
  /// Weights of the points for the kernel with these |phi(x_i)|^2 - |z_i|^2; empty: for Z Z'.
  [[nodiscard]] std::vector<double> weights_for(std::span<const double> missed) const;
  /// What weights prove whose sum of a z z' and a missed is `scale` at most, but for rounding.
  [[nodiscard]] double bound_of(std::span<const double> weights,
                                std::span<const double> missed,
                                double scale) const;
  void escape();
  double best_scale() const;
  FactoredSaddleSolution finish(Status status);

  const FactoredSaddle& problem_;
  const FactoredSaddleOptions& options_;
  std::size_t threads_;
  SmoothedHinges function_;
  DenseMatrix w_;
  DenseMatrix gradient_;
  double value_ = 0;
  EigenPairs spectrum_;
  std::uint64_t steps_ = 0;
  std::optional<Status> stopped_;
  double features_bound_ = 0;  ///< of the features alone, as if nothing were missed
  FactoredSaddleSolution best_;
  PhaseTimer timer_;
};

void FactoredRun::start() {
  const DenseView z = problem_.features;
  const std::vector<double> ones(z.rows, 1.0);
  const EigenPairs axes = eigen_symmetric(weighted_scatter(z, ones, threads_).view());
  const double largest = axes.values.back();
  const std::size_t m = z.cols;
  const std::size_t r = std::min(options_.columns, m);
  w_ = DenseMatrix(m, r);
  Rng rng(options_.context.seed, "factored saddle");
  for (std::size_t k = 0; k < r; ++k) {
    const auto axis = axes.vectors.row(m - 1 - k);
    for (std::size_t j = 0; j < m; ++j) {
      w_(j, k) = axis[j] + 0.01 * rng.normal() / std::sqrt(static_cast<double>(m));
    }
  }
  // Equal weights 1 / largest are feasible for the dual.
  const double weight = std::min(problem_.c, 1 / std::max(largest, 1e-300));
  function_.set_multipliers(weight);
  function_.rho = 10 * weight;
  gradient_ = DenseMatrix(m, r);
  value_ = function_.evaluate(w_, gradient_);
  std::vector<double> lengths = function_.lengths();
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  if (*middle > 0) {
    for (double& x : w_.values()) x /= *middle;
  }
}

bool FactoredRun::minimise(double accuracy) {
  value_ = function_.evaluate(w_, gradient_);
  LbfgsMemory memory;
  for (;;) {
    const double norm = std::sqrt(squared_norm(gradient_));
    if (norm <= accuracy * std::max(std::sqrt(squared_norm(w_)), 1e-300)) return true;
    if (steps_ >= options_.max_iterations) {
      stopped_ = Status::iteration_limit;
      return false;
    }
    Factor direction = memory.direction({gradient_});
    double slope = dot(direction.front().values(), gradient_.values());
    if (!(slope < 0)) {
      memory.clear();
      direction = memory.direction({gradient_});
      slope = -norm * norm;
    }
    // Armijo's rule; the first length is L-BFGS's own.
    double length = 1;
    DenseMatrix next;
    DenseMatrix next_gradient;
    double next_value = value_;
    bool found = false;
    for (int halving = 0; halving < 40 && !found; ++halving, length *= 0.5) {
      next = w_;
      axpy(length, direction.front().values(), next.values());
      next_value = function_.evaluate(next, next_gradient);
      found = next_value <= value_ + 1e-4 * length * slope;
      if (found) break;
    }
    ++steps_;
    if (!found) {
      // Rounding: the last good point once more.
      value_ = function_.evaluate(w_, gradient_);
      return true;
    }
    DenseMatrix step = next;
    axpy(-1.0, w_.values(), step.values());
    DenseMatrix change = next_gradient;
    axpy(-1.0, gradient_.values(), change.values());
    memory.remember({std::move(step)}, {std::move(change)});
    w_ = std::move(next);
    gradient_ = std::move(next_gradient);
    value_ = next_value;
    const Continue answer = options_.context.ask({.phase = "relaxation",
                                                  .iteration = steps_,
                                                  .max_iterations = options_.max_iterations,
                                                  .primal_objective = best_.value,
                                                  .dual_objective = best_.lower_bound,
                                                  .target = options_.tolerance});
    if (answer != Continue::yes) {
      stopped_ = status_of(answer);
      return false;
    }
  }
}

/// The s of least 1/2 s^2 |W|^2 + C sum_i max(0, 1 - s t_i): its slope grows with s.
double FactoredRun::best_scale() const {
  const double square = squared_norm(w_);
  if (!(square > 0)) return 1;
  const auto slope = [&](double s) {
    double sum = 0;
    for (const double t : function_.lengths()) {
      if (s * t < 1) sum += t;
    }
    return s * square - problem_.c * sum;
  };
  double low = 0;
  double high = 1;
  while (slope(high) < 0 && high < 1e100) high *= 2;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (slope(middle) < 0 ? low : high) = middle;
  }
  return high;
}

std::vector<double> FactoredRun::weights_for(std::span<const double> missed) const {
  std::vector<double> weights(problem_.size(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto z = problem_.features.row(i);
    const double l = function_.slopes()[i];
    const double norm = dot(z, z) + (missed.empty() ? 0.0 : missed[i]);
    // A weight above 1 / |phi|^2 alone breaks the constraint.
    if (l > 0 && norm > 0) weights[i] = l / std::max(function_.lengths()[i], l * norm);
  }
  return weights;
}

double FactoredRun::bound_of(std::span<const double> weights,
                             std::span<const double> missed,
                             double scale) const {
  const double c = problem_.c;
  double bound = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto z = problem_.features.row(i);
    if ((missed.empty() || missed[i] == 0) && dot(z, z) == 0) {
      bound += c;
    } else if (weights[i] > 0 && scale > 0) {
      const double a = weights[i] / scale;
      bound += a <= c ? 0.5 * a : c - 0.5 * c * (c / a);
    }
  }
  return bound;
}

double FactoredRun::certify() {
  const DenseView z = problem_.features;
  std::vector<double> weights = weights_for({});
  spectrum_ = eigen_symmetric(weighted_scatter(z, weights, threads_).view());
  double bound = bound_of(weights, {}, spectrum_.values.back());
  features_bound_ = std::max(features_bound_, bound);
  if (!problem_.missed.empty()) {
    // Of the kernel itself.
    weights = weights_for(problem_.missed);
    bound = bound_of(weights,
                     problem_.missed,
                     eigenvalues_symmetric(weighted_scatter(z, weights, threads_).view()).back() +
                         dot(weights, problem_.missed));
  }
  if (best_.weights.empty() || bound > best_.lower_bound) {
    best_.lower_bound = bound;
    best_.weights = std::move(weights);
  }
  const double scale = best_scale();
  DenseMatrix scaled = w_;
  for (double& x : scaled.values()) x *= scale;
  double loss = 0;
  for (const double t : function_.lengths()) loss += std::max(0.0, 1 - scale * t);
  const double value = 0.5 * squared_norm(scaled) + problem_.c * loss;
  if (best_.w.rows() == 0 || value < best_.value) {
    best_.value = value;
    best_.w = std::move(scaled);
  }
  return spectrum_.values.back() - 1;
}

/// More columns, along the directions in which P would lower the value.
void FactoredRun::escape() {
  const std::size_t m = w_.rows();
  const std::size_t old = w_.cols();
  if (old >= m) return;
  std::size_t more = 0;
  while (more < std::min(m - old, old) && spectrum_.values[m - 1 - more] > 1) ++more;
  if (more == 0) return;
  const double size = 0.1 * std::sqrt(squared_norm(w_) / static_cast<double>(old));
  DenseMatrix wider(m, old + more);
  for (std::size_t j = 0; j < m; ++j) {
    std::ranges::copy(w_.row(j), wider.row(j).begin());
    for (std::size_t k = 0; k < more; ++k) {
      wider(j, old + k) = size * spectrum_.vectors(m - 1 - k, j);
    }
  }
  w_ = std::move(wider);
}

FactoredSaddleSolution FactoredRun::finish(Status status) {
  FactoredSaddleSolution solution = std::move(best_);
  solution.lower_bound = factored_saddle_bound(problem_, solution.weights);
  // Rounding may stand between a tiny tolerance and a proof.
  if (status == Status::solved && problem_.missed.empty() &&
      relative_gap(solution.value, solution.lower_bound) > options_.tolerance) {
    status = Status::no_progress;
  }
  DenseMatrix square(solution.w.cols(), solution.w.cols());
  gemm(
      Transpose::yes, Transpose::no, 1.0, solution.w.view(), solution.w.view(), 0.0, square.view());
  const double trace = squared_norm(solution.w);
  for (const double value : eigenvalues_symmetric(square.view())) {
    if (value > 1e-6 * trace) ++solution.rank;
  }
  solution.report.status = status;
  solution.report.iterations = steps_;
  solution.report.primal_objective = solution.value;
  solution.report.lower_bound = solution.lower_bound;
  solution.report.seconds = timer_.finish();
  return solution;
}

FactoredSaddleSolution FactoredRun::run() {
  constexpr std::size_t most_rounds = 200;
  constexpr int most_idle = 12;
  timer_.enter("relaxation");
  start();
  double accuracy = 0.1;
  double last_violation = std::numeric_limits<double>::infinity();
  double last_gap = std::numeric_limits<double>::infinity();
  int idle = 0;
  for (std::size_t round = 0; round < most_rounds; ++round) {
    const bool going = minimise(accuracy);
    const double excess = certify();
    const double gap = relative_gap(best_.value, features_bound_);
    if (gap <= options_.tolerance) return finish(Status::solved);
    if (!going) return finish(*stopped_);
    idle = gap < 0.999 * last_gap ? 0 : idle + 1;
    last_gap = std::min(gap, last_gap);
    if (idle >= most_idle) break;
    const double violation = function_.update();
    if (violation > 0.3 * last_violation) function_.rho *= 3;
    last_violation = violation;
    if (excess > 0.1 * options_.tolerance) escape();
    accuracy = std::max(0.5 * accuracy, 1e-2 * options_.tolerance);
  }
  return finish(Status::no_progress);
}

}  // namespace

void FactoredSaddleOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "tolerance", .help = "relative gap of value and bound at which it stops"},
               tolerance,
               rules::share_inside);
  visit.whole(
      {.name = "max-iterations", .help = "steps of L-BFGS at most"}, max_iterations, {.least = 1});
  visit.whole({.name = "columns", .help = "columns to begin with; more are added where they help"},
              columns,
              {.least = 1});
  visit.threads(context.threads);
}

FactoredSaddleSolution solve_factored_saddle(const FactoredSaddle& problem,
                                             const FactoredSaddleOptions& options) {
  validate(problem);
  validate(options);
  return FactoredRun(problem, options).run();
}

}  // namespace maxmargin
