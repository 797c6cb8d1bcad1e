// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Private parts of k-medoids (docs/algorithms/kmedoids.md).
namespace maxmargin::kmedoids {

/// The distances and weights of one solve.
struct Problem {
  DenseView distances = {};
  std::vector<double> weights = {};
  std::size_t threads = 1;

  [[nodiscard]] std::size_t size() const { return distances.rows; }
};

/// For every point its nearest medoid (as a place in the list of medoids; the lowest of equals) and
/// the distances to it and to the nearest of the others (infinite with one medoid).
struct Neighbours {
  std::vector<std::size_t> place = {};
  std::vector<double> nearest = {};
  std::vector<double> second = {};
};

[[nodiscard]] Neighbours find_neighbours(const Problem& problem,
                                         std::span<const std::size_t> medoids);

/// Sum of weight x distance to the nearest medoid.
[[nodiscard]] double cost_of(const Problem& problem, const Neighbours& neighbours);

/// Greedy choice: each next medoid lowers the cost most (the lowest of equals). Fewer than k when
/// all points of positive weight lie on a medoid already. Throws Stopped.
[[nodiscard]] std::vector<std::size_t> build_greedily(const Problem& problem,
                                                      std::size_t k,
                                                      SharedProgress& progress);

/// Random choice: each next medoid with probability ~ weight x distance to the nearest so far.
/// Requires that build_greedily finds k.
[[nodiscard]] std::vector<std::size_t> draw_medoids(const Problem& problem,
                                                    std::size_t k,
                                                    Rng& rng);

/// One medoid goes, one point comes.
struct Swap {
  double change = 0;
  std::size_t place = 0;
  std::size_t candidate = 0;
};

/// The swap that lowers the cost most; of equals the one with the lowest candidate, then place.
/// Empty when none lowers it by more than rounding. O(n^2).
[[nodiscard]] std::optional<Swap> best_swap(const Problem& problem,
                                            std::span<const std::size_t> medoids,
                                            const Neighbours& neighbours);

}  // namespace maxmargin::kmedoids
