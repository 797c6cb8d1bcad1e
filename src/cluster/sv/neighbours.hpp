// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/sv/watch.hpp"
#include "maxmargin/data/examples.hpp"

/// Nearest rows in the Euclidean distance by brute force over blocks: O(m n d) time, no m x n
/// array. Distances are found as |x|^2 + |z|^2 - 2 x.z about the mean of dense points, so rows
/// whose distances differ by less than a 10,000th may change places; where that difference of large
/// numbers is worth less, the row is scanned again with differences. Distances handed back are
/// those of differences. Throws InvalidArgument when one overflows. Ties go to the lowest row. The
/// caller is asked after every slab of queries.
namespace maxmargin::sv_clustering {

inline constexpr const char* too_far =
    "squared distances between the points overflow: scale the features";

struct Neighbour {
  std::uint32_t row = 0;
  double squared_distance = 0;
};

/// For each of several rows its k nearest, in order.
struct NeighbourLists {
  std::size_t k = 0;
  std::vector<Neighbour> entries = {};
  [[nodiscard]] std::span<const Neighbour> of(std::size_t i) const {
    return {entries.data() + i * k, k};
  }
};

/// The min(k, rows - 1) nearest other rows of every row.
[[nodiscard]] NeighbourLists nearest_others(const Examples& points,
                                            std::size_t k,
                                            std::size_t threads,
                                            Watch& watch);

/// The min(k, rows) points nearest to every query. Both of the same form and width.
[[nodiscard]] NeighbourLists nearest_points(const Examples& queries,
                                            const Examples& points,
                                            std::size_t k,
                                            std::size_t threads,
                                            Watch& watch);

/// For each of `rows` the nearest row of another group. Requires that there is one.
[[nodiscard]] std::vector<Neighbour> nearest_foreign(const Examples& points,
                                                     std::span<const std::size_t> rows,
                                                     std::span<const std::int32_t> group,
                                                     std::size_t threads,
                                                     Watch& watch);

}  // namespace maxmargin::sv_clustering
