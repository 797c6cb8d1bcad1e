// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/kmedoids/kmedoids.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "cluster/kmedoids/bound.hpp"
#include "cluster/kmedoids/swap.hpp"
#include "maxmargin/core/cluster_count.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/cluster_numbers.hpp"

namespace maxmargin {

namespace {

using kmedoids::Neighbours;
using kmedoids::Problem;

Problem checked_problem(DenseView distances, std::span<const double> weights, std::size_t threads) {
  const std::size_t n = distances.rows;
  require(n > 0, "cluster_kmedoids: there must be at least one point");
  require(distances.cols == n,
          "cluster_kmedoids: the distances are " + std::to_string(n) + " x " +
              std::to_string(distances.cols) + ", must be square");
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (distances(i, j) >= 0 && std::isfinite(distances(i, j))) continue;
      require_field(false,
                    "distance (" + std::to_string(i) + ", " + std::to_string(j) + ")",
                    distances(i, j),
                    "finite and >= 0");
    }
  }
  require(weights.empty() || weights.size() == n,
          "cluster_kmedoids: there must be one weight a point");
  Problem problem{distances, {weights.begin(), weights.end()}, threads};
  if (weights.empty()) problem.weights.assign(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    require_field(problem.weights[i] >= 0 && std::isfinite(problem.weights[i]),
                  "cluster_kmedoids: weights[" + std::to_string(i) + "]",
                  problem.weights[i],
                  "finite and >= 0");
  }
  require(std::ranges::any_of(problem.weights, [](double w) { return w > 0; }),
          "cluster_kmedoids: the weights must not all be 0");
  return problem;
}

/// One run: medoids after the last swap.
struct Run {
  std::vector<std::size_t> medoids = {};
  Neighbours neighbours = {};
  double cost = 0;
  std::size_t swaps = 0;
  Status status = Status::iteration_limit;
};

/// kmedoids.md steps 2 and 3.
Run run_swaps(const Problem& problem,
              std::vector<std::size_t> medoids,
              const KmedoidsOptions& options) {
  Run run;
  run.medoids = std::move(medoids);
  run.neighbours = find_neighbours(problem, run.medoids);
  run.cost = cost_of(problem, run.neighbours);
  while (true) {
    const auto swap = best_swap(problem, run.medoids, run.neighbours);
    if (!swap) {
      run.status = Status::solved;
      return run;
    }
    if (run.swaps == options.max_iterations) return run;
    std::vector<std::size_t> swapped = run.medoids;
    swapped[swap->place] = swap->candidate;
    Neighbours neighbours = find_neighbours(problem, swapped);
    const double cost = cost_of(problem, neighbours);
    if (!(cost < run.cost)) {  // the gain was rounding
      run.status = Status::solved;
      return run;
    }
    run.medoids = std::move(swapped);
    run.neighbours = std::move(neighbours);
    run.cost = cost;
    ++run.swaps;
    const Continue answer = ask(options.on_progress,
                                {.phase = "swap",
                                 .iteration = run.swaps,
                                 .max_iterations = options.max_iterations,
                                 .primal_objective = run.cost});
    if (answer != Continue::yes) {
      run.status = status_of(answer);
      return run;
    }
  }
}

/// kmedoids.md step 5: clusters by size, then by first member.
void write_clusters(const Run& run, KmedoidsClustering& result) {
  std::vector<std::int32_t> labels;
  labels.reserve(run.neighbours.place.size());
  for (const std::size_t place : run.neighbours.place) {
    labels.push_back(static_cast<std::int32_t>(place));
  }
  ClusterNumbers numbers = number_by_size(labels, run.medoids.size());
  for (const std::size_t place : numbers.old_number) result.medoids.push_back(run.medoids[place]);
  result.sizes = std::move(numbers.sizes);
  result.labels = std::move(numbers.labels);
}

/// The best run over all restarts, and which one it was.
std::pair<Run, std::size_t> run_restarts(const Problem& problem, const KmedoidsOptions& options) {
  std::vector<std::size_t> greedy = build_greedily(problem, options.k);
  require_cluster_count(greedy.size() == options.k,
                        options.k,
                        "at most the number of points of positive weight that lie apart, " +
                            std::to_string(greedy.size()));
  std::pair<Run, std::size_t> best{run_swaps(problem, std::move(greedy), options), 0};
  Status last = best.first.status;
  for (std::size_t restart = 1; restart < options.restarts && !was_stopped(last); ++restart) {
    Rng rng(options.seed, "kmedoids", restart);
    Run run = run_swaps(problem, draw_medoids(problem, options.k, rng), options);
    last = run.status;
    if (run.cost < best.first.cost) best = {std::move(run), restart};
  }
  if (was_stopped(last)) best.first.status = last;
  return best;
}

}  // namespace

void KmedoidsOptions::describe(OptionVisitor& visit) {
  describe_cluster_count(visit, k);
  describe_restarts(visit, restarts, max_iterations);
}

KmedoidsClustering cluster_kmedoids(DenseView distances,
                                    const KmedoidsOptions& options,
                                    std::span<const double> weights) {
  PhaseTimer timer;
  timer.enter("swap");
  validate(options);
  const Problem problem = checked_problem(distances, weights, thread_count(options.threads));
  const auto [run, restart] = run_restarts(problem, options);

  KmedoidsClustering result;
  result.cost = run.cost;
  result.best_restart = restart;
  write_clusters(run, result);
  SolveReport& report = result.report;
  report.status = run.status;
  report.iterations = run.swaps;
  report.primal_objective = run.cost;
  if (options.bound_iterations > 0 && !was_stopped(run.status)) {
    timer.enter("lower bound");
    const auto ask_caller = [&, cost = run.cost](std::size_t step, double bound) {
      return ask(options.on_progress,
                 {.phase = "lower bound",
                  .iteration = step,
                  .max_iterations = options.bound_iterations,
                  .primal_objective = cost,
                  .dual_objective = bound});
    };
    report.lower_bound = kmedoids::dual_bound(
        problem, options.k, run.neighbours, options.bound_iterations, ask_caller);
  }
  report.seconds = timer.finish();
  return result;
}

KmedoidsClustering cluster_kmedoids(const Dataset& data,
                                    Distance distance,
                                    const KmedoidsOptions& options) {
  validate(options);
  const DenseMatrix distances = distance_matrix(data.examples, distance, options.threads);
  return cluster_kmedoids(distances.view(), options, data.weights);
}

}  // namespace maxmargin
