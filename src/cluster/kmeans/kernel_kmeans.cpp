// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/kmeans/kernel_kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "cluster/checked_bound.hpp"
#include "cluster/equal_rows.hpp"
#include "cluster/kmeans/kernel_kmeans_bound.hpp"
#include "cluster/kmeans/kernel_kmeans_start.hpp"
#include "cluster/kmeans/kernel_matrix.hpp"
#include "cluster/kmeans/kernel_partition.hpp"
#include "cluster/restarts.hpp"
#include "core/cluster_count.hpp"
#include "core/settle.hpp"
#include "core/stoppable.hpp"
#include "kernel/near_origin.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/linalg/point_rows.hpp"
#include "solver/cluster_numbers.hpp"

namespace maxmargin {

namespace {

using kernel_kmeans::KernelMatrix;
using kernel_kmeans::Move;
using kernel_kmeans::Partition;
using kernel_kmeans::Problem;

/// Where a run ended.
struct Run {
  std::vector<std::int32_t> labels = {};
  double objective = 0;
  std::size_t passes = 0;
  Status status = Status::iteration_limit;
};

/// kernel-kmeans.md steps 2 to 4, from given labels.
class Descent {
 public:
  Descent(const Problem& problem, const KernelKmeansOptions& options, SharedProgress& progress)
      : problem_(problem), options_(options), progress_(progress) {}

  Run run(std::vector<std::int32_t> labels) {
    Partition partition(problem_, std::move(labels));
    Run run;
    run.status = descend(partition, run.passes);
    partition.settle_weightless();
    run.objective = partition.objective();
    run.labels = partition.labels();
    return run;
  }

 private:
  Status descend(Partition& partition, std::size_t& passes) {
    if (const Continue answer = progress_({.phase = "start"}); answer != Continue::yes) {
      return status_of(answer);
    }
    while (true) {
      const std::vector<Move> moves = partition.batch_moves();
      if (moves.empty()) break;
      if (passes == options_.max_iterations) return Status::iteration_limit;
      const double before = partition.objective();
      partition.apply(moves);
      if (!(partition.objective() < before)) {
        take_back(moves, partition);
        if (!options_.exchange) return Status::no_progress;
        break;
      }
      if (const Continue answer = report("batch", ++passes, partition); answer != Continue::yes) {
        return status_of(answer);
      }
    }
    while (options_.exchange && problem_.k > 1) {
      if (passes == options_.max_iterations) return Status::iteration_limit;
      const std::optional<std::size_t> moves = partition.exchange_pass(
          [&] { return progress_({.phase = "exchange"}) == Continue::yes; });
      const Continue answer = report("exchange", ++passes, partition);
      if (moves == 0u) break;
      if (answer != Continue::yes) return status_of(answer);
    }
    return Status::solved;
  }
  /// Only a kernel that is not positive semidefinite needs it.
  static void take_back(std::vector<Move> moves, Partition& partition) {
    for (Move& move : moves) std::swap(move.from, move.to);
    partition.apply(moves);
  }
  Continue report(std::string_view phase, std::size_t passes, const Partition& partition) {
    return progress_({.phase = phase,
                      .iteration = passes,
                      .max_iterations = options_.max_iterations,
                      .primal_objective = partition.objective()});
  }

  const Problem& problem_;
  const KernelKmeansOptions& options_;
  SharedProgress& progress_;
};

void require_start_labels(const Problem& problem, std::span<const std::int32_t> labels) {
  require(labels.size() == problem.size(),
          "start_labels has " + std::to_string(labels.size()) +
              " labels, must have one for each of the " + std::to_string(problem.size()) +
              " points");
  std::vector<bool> occurs(problem.k, false);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require_field(labels[i] >= 0 && static_cast<std::size_t>(labels[i]) < problem.k,
                  "the start label of row " + std::to_string(i) + " (from 0)",
                  static_cast<double>(labels[i]),
                  "from 0 to k - 1");
    if (problem.weights[i] > 0) occurs[static_cast<std::size_t>(labels[i])] = true;
  }
  for (std::size_t v = 0; v < problem.k; ++v) {
    require(occurs[v], "cluster " + std::to_string(v) + " must have a point of positive weight");
  }
}

std::vector<double> checked_weights(std::size_t n, std::span<const double> weights) {
  require(n > 0, "kernel k-means: there must be at least one point");
  require_weights("kernel k-means", PointRows(DenseView{nullptr, n, 0, 0}), weights);
  return weights.empty() ? std::vector<double>(n, 1.0)
                         : std::vector<double>(weights.begin(), weights.end());
}

BestRun<Run> run_restarts(const Problem& problem,
                          const KernelKmeansOptions& options,
                          SharedProgress& progress) {
  if (options.start_labels) {
    require_start_labels(problem, *options.start_labels);
    return best_of_restarts<Run>(1, 1, progress, [&](std::size_t) {
      return Descent(problem, options, progress).run(*options.start_labels);
    });
  }
  const std::vector<std::size_t> apart = points_apart(problem, options.k);
  require_cluster_count(apart.size() == options.k,
                        options.k,
                        "at most the number of distinct points of positive weight, " +
                            std::to_string(apart.size()) + " as the kernel tells them apart");
  // Small matrices stay in the cache of each core: share out the restarts, not the rows.
  constexpr std::size_t small = 1500;
  const bool is_small = problem.kernel.is_held() && problem.size() <= small;
  const std::size_t across = is_small ? problem.kernel.threads() : 1;
  return best_of_restarts<Run>(options.restarts, across, progress, [&](std::size_t restart) {
    Rng rng(options.context.seed, "kernel k-means", restart);
    return Descent(problem, options, progress)
        .run(first_labels(problem, options.start, apart, rng));
  });
}

/// kernel-kmeans.md step 5: numbers the clusters and writes what is known of them.
void write_clusters(const Problem& problem,
                    std::span<const std::int32_t> labels,
                    Kernel kernel,
                    Examples vectors,
                    KernelKmeansClustering& result) {
  ClusterNumbers numbers = number_by_size(labels, problem.k);
  result.labels = std::move(numbers.labels);
  result.sizes = std::move(numbers.sizes);
  // Afresh: the sums of a run carry the rounding of its moves.
  const Partition partition(problem, result.labels);
  KernelExpansion& centres = result.model.centres;
  centres.kernel = std::move(kernel);
  centres.vectors = std::move(vectors);
  centres.coefficients = DenseMatrix(problem.size(), problem.k);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const auto v = static_cast<std::size_t>(result.labels[i]);
    centres.coefficients(i, v) = 2 * problem.weights[i] / partition.mass(v);
  }
  for (std::size_t v = 0; v < problem.k; ++v) {
    centres.offsets.push_back(-partition.squared_length(v));
    result.sse_of_cluster.push_back(partition.objective_of(v));
  }
  result.kernel_sse = partition.objective();
}

/// The largest |K(x, z)|, small enough that no sum over the points overflows.
double checked_magnitude(const KernelMatrix& matrix, bool is_psd, double total_weight) {
  const double largest = matrix.largest(is_psd);
  require_field(std::isfinite(4 * total_weight * total_weight * largest),
                "kernel k-means: the largest kernel value",
                largest,
                "so small that its products with the weights do not overflow");
  return largest;
}

KernelKmeansClustering solve(const KernelMatrix& matrix,
                             bool is_psd,
                             std::span<const double> weights,
                             const Kernel& kernel,
                             const Examples& examples,
                             const KernelKmeansOptions& options,
                             SharedProgress& progress,
                             PhaseTimer& timer) {
  std::vector<double> all_weights = checked_weights(matrix.size(), weights);
  const double total = std::accumulate(all_weights.begin(), all_weights.end(), 0.0);
  const double largest = checked_magnitude(matrix, is_psd, total);
  const Problem problem{.kernel = matrix,
                        .weights = std::move(all_weights),
                        .k = options.k,
                        .noise = kernel_kmeans::rounding_noise(matrix.size(), largest)};
  require_memory_for_numbers(
      checked_multiply(2, std::min(options.k, matrix.size())), matrix.size(), "kernel k-means");
  timer.enter("clusters");
  BestRun<Run> best = run_restarts(problem, options, progress);

  KernelKmeansClustering result;
  write_clusters(problem, best.run.labels, kernel, examples, result);
  result.best_restart = best.restart;
  result.restarts = best.done;
  SolveReport& report = result.report;
  report.status =
      progress.answer() == Continue::yes ? best.run.status : status_of(progress.answer());
  report.iterations = best.run.passes;
  report.primal_objective = result.kernel_sse;
  if (best.unfinished > 0) {
    report.warnings.push_back(std::to_string(best.unfinished) + " of " + std::to_string(best.done) +
                              " restart(s) ended at --max-iterations " +
                              std::to_string(options.max_iterations));
  }
  if (matrix.is_held() && matrix.size() <= options.lower_bound_limit &&
      progress({.phase = "lower bound"}) == Continue::yes) {
    timer.enter("lower bound");
    const auto asked = [&](const Progress& step) { return progress(step); };
    const std::optional<double> bound =
        kernel_kmeans::bound_unless_stopped(matrix.held(), options.k, problem.weights, asked);
    // The sum of squares is a difference of sums that are off by the noise, a point each.
    if (bound) {
      report.lower_bound = checked_bound(*bound, result.kernel_sse, 4 * problem.noise * total);
    } else {
      report.warnings.emplace_back("stopped before the lower bound was known");
    }
  }
  settle_end(report, Ending::search);
  report.seconds = timer.finish();
  return result;
}

/// Where there was no time for means: the first k points that differ stand for them, each alone,
/// and every point is with the nearest. Asks for n k kernel values; the sum of squares, for which
/// all would be needed, stays unknown.
KernelKmeansClustering nearest_to_first(const Dataset& data,
                                        const Kernel& kernel,
                                        const KernelKmeansOptions& options,
                                        Status status) {
  const std::vector<std::size_t> seeds = first_distinct_rows(data.examples, options.k);
  require_cluster_count(seeds.size() == options.k,
                        options.k,
                        "at most the number of distinct points, " + std::to_string(seeds.size()));
  const auto model_of = [&](std::span<const std::size_t> points) {
    KernelExpansion centres{.kernel = kernel,
                            .vectors = data.examples.select(points),
                            .coefficients = DenseMatrix(points.size(), points.size())};
    for (std::size_t v = 0; v < points.size(); ++v) {
      const Row x = data.examples.row(points[v]);
      centres.coefficients(v, v) = 2;
      centres.offsets.push_back(-evaluate(kernel, x, x));
    }
    return KernelKmeansModel{.centres = std::move(centres)};
  };
  ClusterNumbers numbers =
      number_by_size(model_of(seeds).predict(data.examples, options.context.threads), options.k);
  std::vector<std::size_t> by_size;
  for (const std::size_t old : numbers.old_number) by_size.push_back(seeds[old]);
  KernelKmeansClustering result{.model = model_of(by_size)};
  result.labels = std::move(numbers.labels);
  result.sizes = std::move(numbers.sizes);
  result.kernel_sse = std::numeric_limits<double>::quiet_NaN();
  result.sse_of_cluster.assign(options.k, result.kernel_sse);
  result.report.status = status;
  result.report.message =
      "stopped before there were means: the first distinct points stand for them";
  return result;
}

/// The lower triangle on both sides, where the two differ by rounding.
DenseMatrix symmetric_copy(DenseView gram) {
  require(gram.rows == gram.cols,
          "kernel k-means: the Gram matrix is " + std::to_string(gram.rows) + " x " +
              std::to_string(gram.cols) + ", must be square");
  require_finite("kernel k-means: the Gram matrix", PointRows(gram), 1);
  double largest = 0;
  double asymmetry = 0;
  for (std::size_t i = 0; i < gram.rows; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      largest = std::max({largest, std::abs(gram(i, j)), std::abs(gram(j, i))});
      asymmetry = std::max(asymmetry, std::abs(gram(i, j) - gram(j, i)));
    }
  }
  constexpr double allowed = 1e-6;
  require_field(asymmetry <= allowed * largest,
                "kernel k-means: the asymmetry of the Gram matrix",
                asymmetry,
                "at most 1e-6 of its largest entry");
  require_memory_for_numbers(gram.rows, gram.rows, "the Gram matrix");
  DenseMatrix copy = DenseMatrix::uninitialized(gram.rows, gram.rows);
  for (std::size_t i = 0; i < gram.rows; ++i) {
    std::ranges::copy(gram.row(i), copy.row(i).begin());
  }
  mirror_lower(copy.view());
  return copy;
}

}  // namespace

void KernelKmeansOptions::describe(OptionVisitor& visit) {
  describe_cluster_count(visit, k);
  visit.rule(k <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
             breach("k", std::to_string(k), "below 2^31"));
  visit.name({.name = "start", .help = "how the first clusters are found"}, start);
  describe_restarts(visit, restarts, max_iterations);
}

std::vector<std::int32_t> KernelKmeansModel::predict(const Examples& examples,
                                                     std::optional<std::size_t> threads) const {
  const DenseMatrix values = decision_values(
      centres, examples, {.context = {.threads = threads}, .precision = ValuePrecision::exact});
  std::vector<std::int32_t> clusters;
  clusters.reserve(values.rows());
  for (std::size_t i = 0; i < values.rows(); ++i) {
    const std::span<const double> row = values.row(i);
    clusters.push_back(static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin()));
  }
  return clusters;
}

DenseMatrix KernelKmeansModel::squared_distances(const Examples& examples,
                                                 std::optional<std::size_t> threads) const {
  KernelExpansion with_self = centres;
  with_self.minus_self = true;
  DenseMatrix values = decision_values(
      with_self, examples, {.context = {.threads = threads}, .precision = ValuePrecision::exact});
  for (double& value : values.values()) value = -value;
  return values;
}

KernelKmeansClustering cluster_kernel_kmeans(const Dataset& data,
                                             const Kernel& given,
                                             const KernelKmeansOptions& options) {
  PhaseTimer timer;
  timer.enter("kernel");
  validate(options);
  require(data.size() > 0, "kernel k-means: there must be at least one point");
  // Distances to means stay what they are when all points move.
  const Kernel kernel = near_origin(given, data.examples);
  const std::size_t threads = thread_count(options.context.threads);
  const std::size_t limit = options.context.memory_bytes();
  const bool fits = data.size() <= limit / sizeof(double) / data.size();
  SharedProgress progress(options.context.on_progress);
  KernelKmeansClustering result;
  try {
    const KernelMatrix matrix(kernel, data.examples, fits, threads, progress);
    result = solve(
        matrix, is_psd(kernel), data.weights, kernel, data.examples, options, progress, timer);
  } catch (const Stopped& stopped) {
    result = nearest_to_first(data, kernel, options, status_of(stopped.answer()));
    result.report.seconds = timer.finish();
  }
  if (!is_psd(kernel)) {
    result.report.warnings.push_back(
        "the kernel " + kernel_name(kernel) +
        (definiteness(kernel) == Definiteness::indefinite ? " is not" : " is not known to be") +
        " positive semidefinite: distances to the means may be negative, and new points need not "
        "agree with the clusters");
  }
  return result;
}

KernelKmeansClustering cluster_kernel_kmeans(DenseView gram,
                                             const KernelKmeansOptions& options,
                                             std::span<const double> weights) {
  PhaseTimer timer;
  timer.enter("kernel");
  validate(options);
  const DenseMatrix symmetric = symmetric_copy(gram);
  const KernelMatrix matrix(symmetric.view(), thread_count(options.context.threads));
  const Precomputed awaited{std::make_shared<const DenseMatrix>(0, gram.rows)};
  SharedProgress progress(options.context.on_progress);
  return solve(
      matrix, false, weights, awaited, index_examples(gram.rows), options, progress, timer);
}

SequentialKernelMeans sequential_kernel_means(DenseView gram,
                                              std::span<const std::size_t> seeds,
                                              std::span<const std::size_t> order,
                                              std::span<const double> weights) {
  const DenseMatrix symmetric = symmetric_copy(gram);
  const KernelMatrix matrix(symmetric.view(), 1);
  const Problem problem{
      .kernel = matrix, .weights = checked_weights(matrix.size(), weights), .k = seeds.size()};
  std::vector<std::size_t> named(seeds.begin(), seeds.end());
  named.insert(named.end(), order.begin(), order.end());
  std::ranges::sort(named);
  bool names_all = named.size() == problem.size() && !seeds.empty();
  for (std::size_t i = 0; names_all && i < named.size(); ++i) names_all = named[i] == i;
  require(names_all, "seeds and order must name every point once");
  for (const std::size_t seed : seeds) {
    require_field(problem.weights[seed] > 0,
                  "the weight of seed " + std::to_string(seed),
                  problem.weights[seed],
                  "> 0");
  }
  SequentialKernelMeans result{.labels = sequential_pass(problem, seeds, order),
                               .coefficients = DenseMatrix(seeds.size(), problem.size())};
  std::vector<double> mass(seeds.size(), 0.0);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    mass[static_cast<std::size_t>(result.labels[i])] += problem.weights[i];
  }
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const auto v = static_cast<std::size_t>(result.labels[i]);
    result.coefficients(v, i) = problem.weights[i] / mass[v];
  }
  return result;
}

}  // namespace maxmargin
