// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/mixture/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "cluster/mixture/density.hpp"
#include "cluster/mixture/step.hpp"
#include "cluster/restarts.hpp"
#include "core/cluster_count.hpp"
#include "core/parallel.hpp"
#include "core/settle.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/linalg/point_rows.hpp"
#include "maxmargin/solver/kmeans/kmeans.hpp"
#include "solver/cluster_numbers.hpp"

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
    if (!found) {
      run.status = Status::numerical_failure;
      run.objective = std::numeric_limits<double>::infinity();
      return run;
    }
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
  /// Empty when rounding has made a covariance indefinite, or densities underflow even as logs.
  [[nodiscard]] std::optional<Expectation> expect(const MixtureModel& model) const {
    const std::optional<Densities> densities = Densities::of(model);
    if (!densities) return std::nullopt;
    std::optional<Expectation> found = mixture::expectation(points_, model, *densities);
    if (!std::isfinite(found->log_likelihood)) found.reset();
    return found;
  }

  const Points& points_;
  const MixtureOptions& options_;
  double floor_;
  SharedProgress& progress_;
};

void require_start(const MixtureModel& start, const MixtureOptions& options, std::size_t features) {
  validate(start);
  require(start.components() == options.k && start.means.cols() == features &&
              start.covariance == options.covariance,
          "the start is a mixture of " + std::to_string(start.components()) + " " +
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
                              DenseView rows,
                              const MixtureOptions& options,
                              double floor,
                              SharedProgress& progress,
                              std::size_t restart) {
  constexpr std::size_t short_runs = 10;
  constexpr std::size_t short_passes = 2;
  constexpr std::size_t long_passes = 20;
  KmeansOptions kmeans{
      .k = options.k,
      .restarts = restart == 0 ? short_runs : 1,
      .max_iterations = restart == 0 ? short_passes : 1,
      .context = {.threads = points.threads(),
                  .seed = derive_seed(options.context.seed, "mixture", restart),
                  .on_progress =
                      [&](const Progress& step) {
                        return progress({.phase = "start", .iteration = step.iteration});
                      }},
      .lower_bound_limit = 0};
  KmeansSolution clusters = solve_kmeans(rows, kmeans, data.weights);
  if (restart == 0 && progress.answer() == Continue::yes) {
    kmeans.start_centres = std::move(clusters.centres);
    kmeans.max_iterations = long_passes;
    clusters = solve_kmeans(rows, kmeans, data.weights);
  }
  return mixture::model_of_clusters(points, clusters.labels, options, floor);
}

BestRun<Run> run_restarts(const Points& points,
                          const Dataset& data,
                          DenseView rows,
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
  std::size_t across = points.blocks() <= 16 ? points.threads() : 1;
  const std::size_t numbers =
      mixture::numbers_of_run(points, options.covariance, std::min(options.k, points.size()));
  if (checked_multiply(numbers, across) > machine_memory() / 4 / sizeof(double)) across = 1;
  return best_of_restarts<Run>(options.restarts, across, progress, [&](std::size_t restart) {
    return Ascent(points, options, floor, progress)
        .run(start_of_restart(points, data, rows, options, floor, progress, restart));
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
    warnings.push_back(std::to_string(best.unfinished) + " of " + std::to_string(best.done) +
                       " restart(s) ended at --max-iterations " +
                       std::to_string(options.max_iterations));
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

void MixtureOptions::describe(OptionVisitor& visit) {
  // Rounding would fill in what is below.
  static constexpr NumberRule floor_rule{"a finite number >= 1e-12",
                                         {.least = 1e-12, .has_least = true}};
  describe_cluster_count(visit, k);
  visit.name({.name = "covariance", .help = "shape of the components' covariance matrices"},
             covariance);
  visit.number(
      {.name = "variance-floor",
       .help = "least variance, as a share of the features' mean variance; larger is rounder",
       .value = "SHARE"},
      variance_floor,
      floor_rule);
  visit.number(
      {.name = "tolerance", .help = "relative gain of the log-likelihood at which a run ends"},
      tolerance,
      rules::positive);
  describe_restarts(visit, restarts, max_iterations);
  visit.rule(!fixed_variance || rules::positive.holds(*fixed_variance),
             "the fixed variance must be a finite number > 0");
  visit.rule(!fixed_variance || covariance == Covariance::spherical,
             "--covariance " + std::string(to_string(covariance)) +
                 ": must be spherical when the variance is fixed");
}

MixtureClustering cluster_mixture(const Dataset& data, const MixtureOptions& options) {
  PhaseTimer timer;
  timer.enter("setup");
  validate(options);
  // The rows, and whole blocks of them.
  const std::size_t in_blocks =
      checked_multiply(chunk_count(data.size(), mixture::block_columns), mixture::block_columns);
  require_memory_for_numbers(checked_add(data.size(), in_blocks),
                             data.features(),
                             "mixture: the points as dense matrices");
  DenseMatrix made_dense;
  if (!data.examples.is_dense()) made_dense = data.examples.to_dense();
  const DenseView rows = data.examples.is_dense() ? data.examples.dense() : made_dense.view();
  if (!mixture::is_axis_parallel(options.covariance)) {
    require_memory_for_numbers(data.features(), data.features(), "mixture: the scatter matrix");
  }
  const Points points(
      rows, data.weights, options.covariance, thread_count(options.context.threads));
  require_memory_for_numbers(
      1,
      mixture::numbers_of_run(points, options.covariance, std::min(options.k, data.size())),
      "mixture: the covariances");
  constexpr double no_spread = 1e-280;  // squares are lost below
  const double spread = points.mean_variance();
  const double floor = options.variance_floor * (spread > no_spread ? spread : 1);

  timer.enter("mixture");
  SharedProgress progress(options.context.on_progress);
  BestRun<Run> best = run_restarts(points, data, rows, options, floor, progress);
  require(std::isfinite(best.run.objective),
          breach("variance-floor",
                 format_number(options.variance_floor),
                 "larger: at every start a covariance is indefinite by rounding, or so narrow that "
                 "the points have no density"));

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
  settle_end(report, Ending::search);
  write_warnings(best, options, result);
  result.trace = std::move(best.run.trace);
  report.seconds = timer.finish();
  return result;
}

}  // namespace maxmargin
