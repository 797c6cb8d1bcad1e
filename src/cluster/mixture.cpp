// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "cluster/mixture_density.hpp"
#include "cluster/mixture_step.hpp"
#include "cluster/restarts.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/linalg/blas.hpp"
#include "maxmargin/linalg/point_rows.hpp"
#include "maxmargin/solver/cluster_numbers.hpp"
#include "maxmargin/solver/kmeans.hpp"

namespace maxmargin {

namespace {

using mixture::Densities;
using mixture::Expectation;
using mixture::Points;

/// Where a run ended; its model is around the mean of the points.
struct Run {
  MixtureModel model = {};
  double objective = 0;  ///< -log-likelihood
  std::vector<double> trace = {};
  Status status = Status::iteration_limit;
};

/// mixture.md steps 2 to 4, from a given mixture.
class Ascent {
 public:
  Ascent(const Points& points,
         const MixtureOptions& options,
         double floor,
         SharedProgress& progress)
      : points_(points), options_(options), floor_(floor), progress_(progress) {}

  Run run(MixtureModel start) {
    Run run;
    run.model = std::move(start);
    std::optional<Expectation> found = expect(run.model);
    require_field(found.has_value(),
                  "MixtureOptions.variance_floor",
                  options_.variance_floor,
                  "larger: rounding makes a covariance of the start indefinite");
    run.trace.push_back(found->log_likelihood);
    while (run.status == Status::iteration_limit && run.trace.size() <= options_.max_iterations) {
      MixtureModel next = mixture::maximisation(points_, run.model, *found, options_, floor_);
      found = expect(next);
      if (!found) {
        run.status = Status::numerical_failure;
        break;
      }
      run.model = std::move(next);
      const double now = found->log_likelihood;
      const double gain = now - run.trace.back();
      const double scale = std::max(std::abs(now), points_.total_weight());
      run.trace.push_back(now);
      const Continue answer = progress_({.phase = "mixture",
                                         .iteration = run.trace.size() - 1,
                                         .max_iterations = options_.max_iterations,
                                         .primal_objective = -now,
                                         .gap = gain / scale,
                                         .target = options_.tolerance});
      if (gain <= options_.tolerance * scale) {
        run.status = Status::solved;
      } else if (answer != Continue::yes) {
        run.status = status_of(answer);
      }
    }
    run.objective = -run.trace.back();
    return run;
  }

 private:
  /// Empty when rounding has made a covariance indefinite.
  [[nodiscard]] std::optional<Expectation> expect(const MixtureModel& model) const {
    const std::optional<Densities> densities = Densities::of(model);
    if (!densities) return std::nullopt;
    return mixture::expectation(points_, model, *densities);
  }

  const Points& points_;
  const MixtureOptions& options_;
  double floor_;
  SharedProgress& progress_;
};

std::size_t covariance_rows(Covariance covariance, std::size_t k, std::size_t d) {
  if (covariance == Covariance::full) return k * d;
  return covariance == Covariance::tied ? d : k;
}

void require_start(const MixtureModel& start, const MixtureOptions& options, std::size_t features) {
  start.validate();
  require(start.components() == options.k && start.means.cols() == features &&
              start.covariance == options.covariance,
          "MixtureOptions.start is a mixture of " + std::to_string(start.components()) + " " +
              std::string(to_string(start.covariance)) + " components in " +
              std::to_string(start.means.cols()) + " features, must be one of k = " +
              std::to_string(options.k) + " " + std::string(to_string(options.covariance)) +
              " components in " + std::to_string(features) + " features");
}

/// Takes the means to where the points are (sign -1) or back (+1).
void move_means(const Points& points, double sign, MixtureModel& model) {
  for (std::size_t j = 0; j < model.components(); ++j) {
    for (std::size_t f = 0; f < points.features(); ++f) {
      model.means(j, f) += sign * points.mean()[f];
    }
  }
}

/// mixture.md step 1. The first restart takes what k-means finds from the best of ten short runs,
/// the others what one pass makes of the centres that k-means++ draws.
MixtureModel start_of_restart(const Points& points,
                              const Dataset& data,
                              const DenseMatrix& rows,
                              const MixtureOptions& options,
                              double floor,
                              std::size_t restart) {
  constexpr std::size_t short_runs = 10;
  constexpr std::size_t short_passes = 2;
  constexpr std::size_t long_passes = 20;
  KmeansOptions kmeans{.k = options.k,
                       .restarts = restart == 0 ? short_runs : 1,
                       .max_iterations = restart == 0 ? short_passes : 1,
                       .seed = derive_seed(options.seed, "mixture", restart),
                       .threads = points.threads(),
                       .lower_bound_limit = 0};
  KmeansSolution clusters = solve_kmeans(rows.view(), kmeans, data.weights);
  if (restart == 0) {
    kmeans.start_centres = std::move(clusters.centres);
    kmeans.max_iterations = long_passes;
    clusters = solve_kmeans(rows.view(), kmeans, data.weights);
  }
  return mixture::model_of_clusters(points, clusters.labels, options, floor);
}

BestRun<Run> run_restarts(const Points& points,
                          const Dataset& data,
                          const DenseMatrix& rows,
                          const MixtureOptions& options,
                          double floor,
                          SharedProgress& progress) {
  if (options.start) {
    require_start(*options.start, options, points.features());
    return best_of_restarts<Run>(1, 1, progress, [&](std::size_t) {
      MixtureModel start = *options.start;
      move_means(points, -1, start);
      if (options.fixed_variance) {
        std::ranges::fill(start.covariances.values(), *options.fixed_variance);
      }
      if (options.equal_weights) {
        std::ranges::fill(start.weights, 1 / static_cast<double>(options.k));
      }
      return Ascent(points, options, floor, progress).run(std::move(start));
    });
  }
  // A few blocks are not worth sharing out: then the restarts are.
  const std::size_t across = points.blocks() <= 16 ? points.threads() : 1;
  return best_of_restarts<Run>(options.restarts, across, progress, [&](std::size_t restart) {
    return Ascent(points, options, floor, progress)
        .run(start_of_restart(points, data, rows, options, floor, restart));
  });
}

/// mixture.md step 5: components by the number of points that belong to them.
MixtureModel renumbered(const MixtureModel& model, std::span<const std::size_t> old_number) {
  MixtureModel result = model;
  const std::size_t d = model.means.cols();
  const std::size_t rows_each =
      model.covariance == Covariance::tied ? 0 : model.covariances.rows() / model.components();
  for (std::size_t j = 0; j < old_number.size(); ++j) {
    const std::size_t old = old_number[j];
    result.weights[j] = model.weights[old];
    std::copy_n(model.means.row(old).data(), d, result.means.row(j).data());
    for (std::size_t r = 0; r < rows_each; ++r) {
      std::ranges::copy(model.covariances.row(old * rows_each + r),
                        result.covariances.row(j * rows_each + r).begin());
    }
  }
  return result;
}

void write_warnings(const BestRun<Run>& best,
                    const MixtureOptions& options,
                    MixtureClustering& result) {
  std::vector<std::string>& warnings = result.report.warnings;
  if (best.unfinished > 0) {
    warnings.push_back(
        std::to_string(best.unfinished) + " of " + std::to_string(best.done) +
        " restart(s) reached max_iterations = " + std::to_string(options.max_iterations));
  }
  const auto empty = std::ranges::count(result.model.weights, 0.0);
  if (empty > 0) {
    warnings.push_back(std::to_string(empty) + " component(s) lost all points and have weight 0");
  }
  const auto nobodys = std::ranges::count(result.sizes, std::size_t{0});
  if (nobodys > 0) {
    warnings.push_back(std::to_string(nobodys) +
                       " component(s) are the most likely one of no point");
  }
}

}  // namespace

std::string_view to_string(Covariance covariance) noexcept {
  switch (covariance) {
    case Covariance::spherical:
      return "spherical";
    case Covariance::diagonal:
      return "diagonal";
    case Covariance::full:
      return "full";
    case Covariance::tied:
      return "tied";
  }
  return "unknown";
}

std::size_t MixtureModel::parameters() const {
  const std::size_t k = components();
  const std::size_t d = means.cols();
  const std::size_t triangle = d * (d + 1) / 2;
  std::size_t of_covariances = 0;
  switch (covariance) {
    case Covariance::spherical:
      of_covariances = k;
      break;
    case Covariance::diagonal:
      of_covariances = k * d;
      break;
    case Covariance::full:
      of_covariances = k * triangle;
      break;
    case Covariance::tied:
      of_covariances = triangle;
      break;
  }
  return k - 1 + k * d + of_covariances;
}

void MixtureModel::validate() const {
  const std::size_t k = components();
  const std::size_t d = means.cols();
  require(k > 0 && d > 0, "MixtureModel: there must be a component and a feature");
  require(weights.size() == k, "MixtureModel: there must be one weight a component");
  const std::size_t cols = covariance == Covariance::spherical ? 1 : d;
  require(covariances.rows() == covariance_rows(covariance, k, d) && covariances.cols() == cols,
          "MixtureModel: the covariances do not have the shape of their kind");
  double sum = 0;
  for (const double weight : weights) {
    require_field(weight >= 0 && std::isfinite(weight), "MixtureModel: a weight", weight, ">= 0");
    sum += weight;
  }
  require_field(std::abs(sum - 1) <= 1e-9, "MixtureModel: the sum of the weights", sum, "1");
  require_finite("MixtureModel: means", PointRows(means.view()), 1);
  require_finite("MixtureModel: covariances", PointRows(covariances.view()), 1);
  require(Densities::of(*this).has_value(),
          "MixtureModel: the covariances must be positive definite");
}

MixtureAnswer MixtureModel::answer(const Examples& examples,
                                   std::optional<std::size_t> threads) const {
  validate();
  const std::size_t d = means.cols();
  require(!examples.is_dense() || examples.cols() == d,
          "MixtureModel.answer: the examples have " + std::to_string(examples.cols()) +
              " features, the mixture " + std::to_string(d));
  require_finite("MixtureModel.answer",
                 examples.is_dense() ? PointRows(examples.dense().view())
                                     : PointRows(examples.sparse().view()),
                 thread_count(threads));
  // Around the mixture's own mean: products with whitening matrices cost digits far from 0.
  std::vector<double> centre(d, 0.0);
  for (std::size_t j = 0; j < components(); ++j) axpy(weights[j], means.row(j), centre);
  MixtureModel around = *this;
  for (std::size_t j = 0; j < components(); ++j) axpy(-1.0, centre, around.means.row(j));
  const std::optional<Densities> densities = Densities::of(around);
  const std::size_t n = examples.rows();
  MixtureAnswer answer{.labels = std::vector<std::int32_t>(n),
                       .probabilities = DenseMatrix(n, components()),
                       .log_densities = std::vector<double>(n)};
  parallel_chunks(thread_count(threads),
                  n,
                  mixture::block_columns,
                  [&](std::size_t, std::size_t begin, std::size_t end) {
                    mixture::Workspace work(d, components());
                    DenseMatrix block(d, end - begin);
                    for (std::size_t f = 0; f < d; ++f) std::ranges::fill(block.row(f), -centre[f]);
                    for (std::size_t i = begin; i < end; ++i) {
                      examples.row(i).for_each([&](std::size_t f, double x) {
                        if (f < d) block(f, i - begin) = x - centre[f];
                      });
                    }
                    densities->posteriors(block.view(), work);
                    mixture::most_likely_of_block(
                        work, std::span(answer.labels).subspan(begin, end - begin));
                    for (std::size_t i = begin; i < end; ++i) {
                      answer.log_densities[i] = work.log_densities[i - begin];
                      for (std::size_t j = 0; j < components(); ++j) {
                        answer.probabilities(i, j) = work.posteriors(j, i - begin);
                      }
                    }
                  });
  return answer;
}

void MixtureOptions::validate() const {
  require_field(k >= 1, "MixtureOptions.k", static_cast<double>(k), ">= 1");
  require_field(restarts >= 1, "MixtureOptions.restarts", static_cast<double>(restarts), ">= 1");
  require_field(max_iterations >= 1,
                "MixtureOptions.max_iterations",
                static_cast<double>(max_iterations),
                ">= 1");
  require_field(tolerance >= 0 && std::isfinite(tolerance),
                "MixtureOptions.tolerance",
                tolerance,
                "finite and >= 0");
  constexpr double least_floor = 1e-12;  // rounding would fill in what is below
  require_field(variance_floor >= least_floor && std::isfinite(variance_floor),
                "MixtureOptions.variance_floor",
                variance_floor,
                "finite and at least 1e-12");
  if (fixed_variance) {
    require_field(*fixed_variance > 0 && std::isfinite(*fixed_variance),
                  "MixtureOptions.fixed_variance",
                  *fixed_variance,
                  "finite and > 0");
    require_field(covariance == Covariance::spherical,
                  "MixtureOptions.covariance",
                  to_string(covariance),
                  "spherical when the variance is fixed");
  }
  (void)thread_count(threads);
}

MixtureClustering cluster_mixture(const Dataset& data, const MixtureOptions& options) {
  PhaseTimer timer;
  timer.enter("setup");
  options.validate();
  require_memory_for_numbers(
      checked_multiply(2, data.size()), data.features(), "mixture: the points as dense matrices");
  const std::size_t cells = checked_multiply(data.features(), data.features());
  require_memory_for_numbers(
      std::min(options.k, data.size()), checked_multiply(4, cells), "mixture: the covariances");
  DenseMatrix made_dense;
  if (!data.examples.is_dense()) made_dense = data.examples.to_dense();
  const DenseMatrix& rows = data.examples.is_dense() ? data.examples.dense() : made_dense;
  const Points points(rows, data.weights, thread_count(options.threads));
  constexpr double no_spread = 1e-280;  // squares are lost below
  const double spread = points.mean_variance();
  const double floor = options.variance_floor * (spread > no_spread ? spread : 1);

  timer.enter("mixture");
  SharedProgress progress(options.on_progress);
  BestRun<Run> best = run_restarts(points, data, rows, options, floor, progress);

  MixtureClustering result;
  const Densities densities = *Densities::of(best.run.model);
  ClusterNumbers numbers =
      number_by_size(mixture::most_likely(points, options.k, densities), options.k);
  result.model = renumbered(best.run.model, numbers.old_number);
  move_means(points, 1, result.model);
  result.labels = std::move(numbers.labels);
  result.sizes = std::move(numbers.sizes);
  result.log_likelihood = -best.run.objective;
  const auto parameters = static_cast<double>(result.model.parameters());
  result.bic = 2 * best.run.objective + parameters * std::log(points.total_weight());
  result.aic = 2 * best.run.objective + 2 * parameters;
  result.least_variance = floor;
  result.best_restart = best.restart;
  result.restarts = best.done;
  SolveReport& report = result.report;
  report.status =
      progress.answer() == Continue::yes ? best.run.status : status_of(progress.answer());
  report.iterations = best.run.trace.size() - 1;
  report.primal_objective = best.run.objective;
  write_warnings(best, options, result);
  result.trace = std::move(best.run.trace);
  report.seconds = timer.finish();
  return result;
}

}  // namespace maxmargin
