// SPDX-License-Identifier: Apache-2.0
#include "cluster/kmedoids/swap.hpp"

#include <algorithm>
#include <limits>

#include "core/stoppable.hpp"

namespace maxmargin::kmedoids {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t candidate_chunk = 16;

/// Distances to the nearest medoid once `medoid` joins.
void join(const Problem& problem, std::size_t medoid, std::vector<double>& nearest) {
  const std::span<const double> row = problem.distances.row(medoid);
  for (std::size_t o = 0; o < row.size(); ++o) nearest[o] = std::min(nearest[o], row[o]);
}

/// Weight x distance to the nearest medoid so far; medoids themselves have none, so that they are
/// not chosen again.
std::vector<double> open_costs(const Problem& problem,
                               std::span<const double> nearest,
                               std::span<const std::size_t> medoids) {
  std::vector<double> costs(problem.size());
  for (std::size_t o = 0; o < costs.size(); ++o) costs[o] = problem.weights[o] * nearest[o];
  for (const std::size_t medoid : medoids) costs[medoid] = 0;
  return costs;
}

bool all_zero(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return value == 0; });
}

/// What the swaps that bring in one candidate change, by the place that is given up.
///
/// A point o nearer to the candidate than to its medoid moves to it whichever medoid goes: that
/// part is common to all places. Any other point moves only when its own medoid goes, then to the
/// candidate or to its second medoid, whichever is nearer. So one look at each point serves all k.
Swap best_place(const Problem& problem,
                const Neighbours& neighbours,
                std::size_t candidate,
                std::vector<double>& by_place) {
  std::ranges::fill(by_place, 0.0);
  const std::span<const double> to_candidate = problem.distances.row(candidate);
  double common = 0;
  for (std::size_t o = 0; o < to_candidate.size(); ++o) {
    const double distance = to_candidate[o];
    const double nearest = neighbours.nearest[o];
    if (distance < nearest) {
      common += problem.weights[o] * (distance - nearest);
    } else {
      by_place[neighbours.place[o]] +=
          problem.weights[o] * (std::min(distance, neighbours.second[o]) - nearest);
    }
  }
  const auto least = std::ranges::min_element(by_place);
  return {.change = common + *least,
          .place = static_cast<std::size_t>(least - by_place.begin()),
          .candidate = candidate};
}

}  // namespace

Neighbours find_neighbours(const Problem& problem, std::span<const std::size_t> medoids) {
  const std::size_t n = problem.size();
  Neighbours found{std::vector<std::size_t>(n, 0),
                   std::vector<double>(n, infinity),
                   std::vector<double>(n, infinity)};
  parallel_chunks(problem.threads, n, 1024, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t p = 0; p < medoids.size(); ++p) {
      const std::span<const double> row = problem.distances.row(medoids[p]);
      for (std::size_t o = begin; o < end; ++o) {
        if (row[o] < found.nearest[o]) {
          found.second[o] = found.nearest[o];
          found.nearest[o] = row[o];
          found.place[o] = p;
        } else if (row[o] < found.second[o]) {
          found.second[o] = row[o];
        }
      }
    }
  });
  return found;
}

double cost_of(const Problem& problem, const Neighbours& neighbours) {
  double cost = 0;
  for (std::size_t o = 0; o < problem.size(); ++o) {
    cost += problem.weights[o] * neighbours.nearest[o];
  }
  return cost;
}

std::vector<std::size_t> build_greedily(const Problem& problem,
                                        std::size_t k,
                                        SharedProgress& progress) {
  const std::size_t n = problem.size();
  std::vector<std::size_t> medoids;
  std::vector<double> nearest(n, infinity);
  std::vector<double> costs(n);
  while (medoids.size() < k) {
    if (!medoids.empty() && all_zero(open_costs(problem, nearest, medoids))) break;
    const ChunkBody find_costs = [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t x = begin; x < end; ++x) {
        const std::span<const double> row = problem.distances.row(x);
        double cost = 0;
        for (std::size_t o = 0; o < n; ++o) {
          cost += problem.weights[o] * std::min(nearest[o], row[o]);
        }
        costs[x] = cost;
      }
    };
    stoppable_chunks(problem.threads, n, candidate_chunk, progress, "first medoids", find_costs);
    for (const std::size_t medoid : medoids) costs[medoid] = infinity;
    const auto best = std::ranges::min_element(costs);
    medoids.push_back(static_cast<std::size_t>(best - costs.begin()));
    join(problem, medoids.back(), nearest);
  }
  return medoids;
}

std::vector<std::size_t> draw_medoids(const Problem& problem, std::size_t k, Rng& rng) {
  std::vector<std::size_t> medoids = {rng.discrete(problem.weights)};
  std::vector<double> nearest(problem.size(), infinity);
  while (true) {
    join(problem, medoids.back(), nearest);
    if (medoids.size() == k) return medoids;
    const std::vector<double> costs = open_costs(problem, nearest, medoids);
    // With odd distances few points can serve all before k are drawn; the swaps sort that out.
    if (all_zero(costs)) {
      std::size_t unused = 0;
      while (std::ranges::find(medoids, unused) != medoids.end()) ++unused;
      medoids.push_back(unused);
    } else {
      medoids.push_back(rng.discrete(costs));
    }
  }
}

std::optional<Swap> best_swap(const Problem& problem,
                              std::span<const std::size_t> medoids,
                              const Neighbours& neighbours) {
  const std::size_t n = problem.size();
  std::vector<bool> is_medoid(n, false);
  for (const std::size_t medoid : medoids) is_medoid[medoid] = true;
  std::vector<std::optional<Swap>> best(chunk_count(n, candidate_chunk));
  parallel_chunks(
      problem.threads, n, candidate_chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
        std::vector<double> by_place(medoids.size());
        for (std::size_t x = begin; x < end; ++x) {
          if (is_medoid[x]) continue;
          const Swap swap = best_place(problem, neighbours, x, by_place);
          if (!best[c] || swap.change < best[c]->change) best[c] = swap;
        }
      });
  std::optional<Swap> overall;
  for (const std::optional<Swap>& swap : best) {
    if (swap && (!overall || swap->change < overall->change)) overall = swap;
  }
  // A gain within the rounding of the sums could be none at all, and swap back and forth.
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double noise = 4 * epsilon * static_cast<double>(n) * cost_of(problem, neighbours);
  if (!overall || !(overall->change < -noise)) return std::nullopt;
  return overall;
}

}  // namespace maxmargin::kmedoids
