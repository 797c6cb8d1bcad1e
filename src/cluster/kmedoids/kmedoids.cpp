// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/kmedoids/kmedoids.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "cluster/kmedoids/stoppable_distances.hpp"
#include "cluster/kmedoids/swap.hpp"
#include "core/cluster_count.hpp"
#include "core/settle.hpp"
#include "core/stoppable.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/cluster_numbers.hpp"

namespace maxmargin {

namespace {

using kmedoids::Neighbours;
using kmedoids::Problem;

/// The dual function at prices v: what every point would pay, less what k medoids would give back.
class DualFunction {
 public:
  DualFunction(const Problem& problem, std::size_t k)
      : problem_(problem), k_(k), savings_(problem.size()), order_(problem.size()) {}

  /// The value at v, lowered by an allowance for rounding; writes a subgradient.
  double evaluate(std::span<const double> prices, std::vector<double>& subgradient) {
    const std::size_t n = problem_.size();
    parallel_chunks(problem_.threads, n, 16, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t x = begin; x < end; ++x) savings_[x] = saving(x, prices);
    });
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto last = order_.begin() + static_cast<std::ptrdiff_t>(k_);
    std::partial_sort(order_.begin(), last, order_.end(), [&](std::size_t a, std::size_t b) {
      return savings_[a] != savings_[b] ? savings_[a] < savings_[b] : a < b;
    });
    double value = 0;
    double size = 0;
    for (const double price : prices) {
      value += price;
      size += std::abs(price);
    }
    subgradient.assign(n, 1.0);
    for (auto x = order_.begin(); x != last; ++x) {
      value += savings_[*x];
      size -= savings_[*x];
      const std::span<const double> row = problem_.distances.row(*x);
      for (std::size_t o = 0; o < n; ++o) {
        if (problem_.weights[o] * row[o] < prices[o]) subgradient[o] -= 1;
      }
    }
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    return value - 2 * epsilon * static_cast<double>(n + k_) * size;
  }

 private:
  [[nodiscard]] double saving(std::size_t x, std::span<const double> prices) const {
    const std::span<const double> row = problem_.distances.row(x);
    double sum = 0;
    for (std::size_t o = 0; o < row.size(); ++o) {
      sum += std::min(0.0, problem_.weights[o] * row[o] - prices[o]);
    }
    return sum;
  }

  const Problem& problem_;
  std::size_t k_;
  std::vector<double> savings_;
  std::vector<std::size_t> order_;
};

/// Each point's price lies between what its first and its second medoid cost it: at such prices the
/// medoids of an optimal solution without slack choose themselves.
std::vector<double> starting_prices(const Problem& problem, const Neighbours& neighbours) {
  double largest = 0;
  for (std::size_t x = 0; x < problem.size(); ++x) {
    for (const double distance : problem.distances.row(x)) largest = std::max(largest, distance);
  }
  std::vector<double> prices(problem.size());
  for (std::size_t o = 0; o < prices.size(); ++o) {
    const bool has_second = std::isfinite(neighbours.second[o]);
    prices[o] = problem.weights[o] *
                (has_second ? (neighbours.nearest[o] + neighbours.second[o]) / 2 : largest);
  }
  return prices;
}

/// A number that no choice of k medoids can cost less than: the best value of the Lagrangian dual
/// met in up to `steps` subgradient steps from a start made of a known solution (kmedoids.md
/// derives it). `ask` is called with the step and the bound so far. Requires k >= 1 medoids behind
/// `neighbours`.
double dual_bound(const Problem& problem,
                  std::size_t k,
                  const Neighbours& neighbours,
                  std::size_t steps,
                  const std::function<Continue(std::size_t, double)>& ask) {
  constexpr std::size_t patience = 10;
  const double target = cost_of(problem, neighbours);
  std::vector<double> prices = starting_prices(problem, neighbours);
  std::vector<double> best_prices = prices;
  std::vector<double> subgradient;
  DualFunction dual(problem, k);
  double best = 0;  // costs are never negative
  double length = 1;
  std::size_t since_best = 0;
  for (std::size_t step = 0; step < steps && length > 1e-4; ++step) {
    const double value = dual.evaluate(prices, subgradient);
    const double squared =
        std::inner_product(subgradient.begin(), subgradient.end(), subgradient.begin(), 0.0);
    if (value > best) {
      best = value;
      best_prices = prices;
      since_best = 0;
    } else if (++since_best == patience) {
      length /= 2;
      since_best = 0;
      prices = best_prices;
      continue;
    }
    // A zero subgradient is a maximum of the dual.
    if (target - best <= 1e-9 * target || squared == 0) break;
    if (ask(step + 1, best) != Continue::yes) break;
    const double stride = length * (target - value) / squared;
    for (std::size_t o = 0; o < prices.size(); ++o) prices[o] += stride * subgradient[o];
  }
  return std::min(best, target);
}

Problem checked_problem(DenseView distances, std::span<const double> weights, std::size_t threads) {
  const std::size_t n = distances.rows;
  require(n > 0, "there must be at least one point");
  require(distances.cols == n,
          "the distances are " + std::to_string(n) + " x " + std::to_string(distances.cols) +
              ", must be square");
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (distances(i, j) >= 0 && std::isfinite(distances(i, j))) continue;
      require_field(false,
                    "distance (" + std::to_string(i) + ", " + std::to_string(j) + ")",
                    distances(i, j),
                    "finite and >= 0");
    }
  }
  require(weights.empty() || weights.size() == n, "there must be one weight a point");
  Problem problem{distances, {weights.begin(), weights.end()}, threads};
  if (weights.empty()) problem.weights.assign(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    require_field(problem.weights[i] >= 0 && std::isfinite(problem.weights[i]),
                  "the weight of row " + std::to_string(i) + " (from 0)",
                  problem.weights[i],
                  "finite and >= 0");
  }
  require(std::ranges::any_of(problem.weights, [](double w) { return w > 0; }),
          "the weights must not all be 0");
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
    const Continue answer = options.context.ask({.phase = "swap",
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
  SharedProgress progress(options.context.on_progress);
  std::vector<std::size_t> greedy = build_greedily(problem, options.k, progress);
  require_cluster_count(greedy.size() == options.k,
                        options.k,
                        "at most the number of points of positive weight that lie apart, " +
                            std::to_string(greedy.size()));
  std::pair<Run, std::size_t> best{run_swaps(problem, std::move(greedy), options), 0};
  Status last = best.first.status;
  for (std::size_t restart = 1; restart < options.restarts && !was_stopped(last); ++restart) {
    Rng rng(options.context.seed, "kmedoids", restart);
    Run run = run_swaps(problem, draw_medoids(problem, options.k, rng), options);
    last = run.status;
    if (run.cost < best.first.cost) best = {std::move(run), restart};
  }
  if (was_stopped(last)) best.first.status = last;
  return best;
}

/// Where there was no time for medoids: the first k points that lie apart, and each point with the
/// nearest of them. `between` is the distance of two points, of which n k are asked.
template <class Between>
KmedoidsClustering nearest_to_first(std::size_t n,
                                    const KmedoidsOptions& options,
                                    std::span<const double> weights,
                                    Status status,
                                    const Between& between) {
  KmedoidsClustering result;
  Run run{
      .neighbours = {.place = std::vector<std::size_t>(n, 0),
                     .nearest = std::vector<double>(n, std::numeric_limits<double>::infinity())}};
  for (std::size_t i = 0; i < n && run.medoids.size() < options.k; ++i) {
    if (run.neighbours.nearest[i] == 0 || (!weights.empty() && weights[i] == 0)) continue;
    for (std::size_t o = 0; o < n; ++o) {
      const double distance = o == i ? 0.0 : between(i, o);
      if (!(distance < run.neighbours.nearest[o])) continue;
      run.neighbours.nearest[o] = distance;
      run.neighbours.place[o] = run.medoids.size();
    }
    run.medoids.push_back(i);
  }
  require_cluster_count(run.medoids.size() == options.k,
                        options.k,
                        "at most the number of points of positive weight that lie apart, " +
                            std::to_string(run.medoids.size()));
  for (std::size_t o = 0; o < n; ++o) {
    result.cost += (weights.empty() ? 1.0 : weights[o]) * run.neighbours.nearest[o];
  }
  write_clusters(run, result);
  result.report.status = status;
  result.report.message =
      "stopped before there were medoids: the first points that lie apart stand for them";
  result.report.primal_objective = result.cost;
  return result;
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
  const Problem problem =
      checked_problem(distances, weights, thread_count(options.context.threads));
  std::pair<Run, std::size_t> best;
  try {
    best = run_restarts(problem, options);
  } catch (const Stopped& stopped) {
    return nearest_to_first(problem.size(),
                            options,
                            weights,
                            status_of(stopped.answer()),
                            [&](std::size_t i, std::size_t o) { return distances(i, o); });
  }
  const auto& [run, restart] = best;

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
      return options.context.ask({.phase = "lower bound",
                                  .iteration = step,
                                  .max_iterations = options.bound_iterations,
                                  .primal_objective = cost,
                                  .dual_objective = bound});
    };
    report.lower_bound =
        dual_bound(problem, options.k, run.neighbours, options.bound_iterations, ask_caller);
  }
  settle_end(report, Ending::search);
  report.seconds = timer.finish();
  return result;
}

KmedoidsClustering cluster_kmedoids(const Dataset& data,
                                    Distance distance,
                                    const KmedoidsOptions& options) {
  validate(options);
  DenseMatrix distances;
  try {
    distances = stoppable_distances(data.examples, distance, options.context);
  } catch (const Stopped& stopped) {
    return nearest_to_first(data.size(),
                            options,
                            data.weights,
                            status_of(stopped.answer()),
                            [&](std::size_t i, std::size_t o) {
                              return distance_between(
                                  distance, data.examples.row(i), data.examples.row(o));
                            });
  }
  return cluster_kmedoids(distances.view(), options, data.weights);
}

std::vector<std::int32_t> KmedoidsModel::predict(const Examples& examples,
                                                 std::optional<std::size_t> threads) const {
  const bool both_dense = examples.is_dense() && medoids.is_dense();
  require(!both_dense || examples.cols() == medoids.cols(),
          "k-medoids: the examples have " + std::to_string(examples.cols()) +
              " features, the medoids " + std::to_string(medoids.cols()));
  std::vector<std::int32_t> clusters(examples.rows());
  constexpr std::size_t rows_at_once = 256;
  parallel_chunks(thread_count(threads),
                  examples.rows(),
                  rows_at_once,
                  [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                      double least = std::numeric_limits<double>::infinity();
                      for (std::size_t c = 0; c < medoids.rows(); ++c) {
                        const double d =
                            distance_between(distance, examples.row(i), medoids.row(c));
                        if (d < least) {
                          least = d;
                          clusters[i] = static_cast<std::int32_t>(c);
                        }
                      }
                    }
                  });
  return clusters;
}

}  // namespace maxmargin
