// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/sv-clustering.md, step 3
#include "cluster/sv/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/parallel.hpp"
#include "kernel/gram/cross_blocks.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/point_rows.hpp"

namespace maxmargin::sv_clustering {

namespace {

constexpr std::size_t row_chunk = 256;

/// The rows less `shift`; sparse rows as they are.
Examples shifted(const Examples& examples, std::span<const double> shift) {
  if (!examples.is_dense()) return examples;
  DenseMatrix copy = examples.to_dense();
  for (std::size_t i = 0; i < copy.rows(); ++i) {
    const std::span<double> row = copy.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] -= shift[j];
  }
  return copy;
}

std::vector<double> squared_norms(const Examples& examples, std::size_t threads) {
  std::vector<double> norms(examples.rows());
  parallel_chunks(
      threads, norms.size(), row_chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) norms[i] = examples.row(i).squared_norm();
      });
  return norms;
}

/// The part of scan_distances for the queries from row `begin` on.
template <class Visit>
void scan_slab(const Examples& slab,
               std::size_t begin,
               const std::vector<double>& query_norms,
               const Examples& points,
               const std::vector<double>& point_norms,
               std::size_t threads,
               const Visit& visit) {
  visit_cross_blocks(Linear{}, slab, points, threads, [&](const CrossBlock<double>& block) {
    std::vector<double> distances(block.values.cols);
    for (std::size_t r = 0; r < block.values.rows; ++r) {
      const std::size_t i = begin + block.row_begin + r;
      const double* products = block.values.row(r).data();
      const double* norms = point_norms.data() + block.col_begin;
      for (std::size_t c = 0; c < distances.size(); ++c) {
        distances[c] = query_norms[i] + norms[c] - 2 * products[c];
      }
      visit(i, block.col_begin, std::span<const double>(distances));
    }
  });
}

/// Queries between two questions to the caller: about 2^27 distances, some tenths of a second.
std::size_t slab_rows(std::size_t points) {
  constexpr std::size_t distances = std::size_t{1} << 27;
  return std::clamp<std::size_t>(distances / points, 8 * cross_block_rows, 64 * cross_block_rows);
}

/// Calls visit(i, first column, distances) for blocks of columns from left to right, the rows from
/// several threads, until the caller stops it. Returns the squared norms of the queries as shifted.
template <class Visit>
std::vector<double> scan_distances(const Examples& queries,
                                   const Examples& points,
                                   std::size_t threads,
                                   Watch& watch,
                                   const Visit& visit) {
  if (queries.rows() == 0 || points.rows() == 0) return {};
  std::vector<double> shift;
  if (points.is_dense()) {
    shift = column_means(PointRows(points.dense()), {}, threads).value;
  }
  const Examples left = shifted(queries, shift);
  const Examples right = shifted(points, shift);
  std::vector<double> left_norms = squared_norms(left, threads);
  const std::vector<double> right_norms = squared_norms(right, threads);
  const std::size_t slab = slab_rows(points.rows());
  for (std::size_t begin = 0; begin < left.rows(); begin += slab) {
    std::vector<std::size_t> rows(std::min(slab, left.rows() - begin));
    std::iota(rows.begin(), rows.end(), begin);
    scan_slab(left.select(rows), begin, left_norms, right, right_norms, threads, visit);
    if (!watch.goes_on("graph", begin + rows.size())) break;
  }
  return left_norms;
}

/// Whether |x|^2 + |z|^2 - 2 x.z has lost so much that nearer rows may have been missed: rows
/// within the distance have about the norm of x, and the error is a few eps of its square.
bool is_blurred(double squared_distance, double squared_norm) {
  constexpr double digits = 1e4 * std::numeric_limits<double>::epsilon();
  return squared_distance < digits * squared_norm;
}

/// Calls again(i) for the given queries, from several threads, until the caller stops it.
template <class Again>
void scan_again(const std::vector<std::size_t>& queries,
                std::size_t points,
                std::size_t threads,
                Watch& watch,
                const Again& again) {
  const std::size_t slab = slab_rows(points) / 8;
  for (std::size_t first = 0; first < queries.size(); first += slab) {
    const std::size_t count = std::min(slab, queries.size() - first);
    constexpr std::size_t chunk = 8;
    parallel_chunks(threads, count, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) again(queries[first + q]);
    });
    if (!watch.goes_on("graph", first + count)) return;
  }
}

/// The nearest of the rows offered so far, in order; `filled` of them hold a row.
class Nearest {
 public:
  Nearest(std::span<Neighbour> places, std::size_t& filled) : places_(places), filled_(filled) {}

  void offer(std::size_t row, double distance) {
    if (filled_ == places_.size()) {
      if (!(distance < places_.back().squared_distance)) return;
    } else {
      ++filled_;
    }
    std::size_t at = filled_ - 1;
    for (; at > 0 && distance < places_[at - 1].squared_distance; --at) {
      places_[at] = places_[at - 1];
    }
    places_[at] = {static_cast<std::uint32_t>(row), distance};
  }
  /// What a row must be below to be taken.
  [[nodiscard]] double bound() const {
    return filled_ < places_.size() ? std::numeric_limits<double>::infinity()
                                    : places_.back().squared_distance;
  }

 private:
  std::span<Neighbour> places_;
  std::size_t& filled_;
};

/// Distances from differences, in their order.
void measure_again(const Examples& queries,
                   const Examples& points,
                   std::size_t threads,
                   NeighbourLists& lists) {
  parallel_chunks(
      threads, queries.rows(), row_chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::span<Neighbour> list(lists.entries.data() + i * lists.k, lists.k);
          for (Neighbour& entry : list) {
            entry.squared_distance = queries.row(i).squared_distance(points.row(entry.row));
          }
          std::ranges::sort(list, [](const Neighbour& a, const Neighbour& b) {
            return a.squared_distance != b.squared_distance
                       ? a.squared_distance < b.squared_distance
                       : a.row < b.row;
          });
        }
      });
}

NeighbourLists nearest(const Examples& queries,
                       const Examples& points,
                       std::size_t k,
                       bool skip_self,
                       std::size_t threads,
                       Watch& watch) {
  NeighbourLists lists{k, std::vector<Neighbour>(queries.rows() * k)};
  if (k == 0) return lists;
  std::vector<std::size_t> filled(queries.rows(), 0);
  const auto best_of = [&](std::size_t i) {
    return Nearest({lists.entries.data() + i * k, k}, filled[i]);
  };
  const std::vector<double> norms =
      scan_distances(queries,
                     points,
                     threads,
                     watch,
                     [&](std::size_t i, std::size_t first, std::span<const double> distances) {
                       Nearest best = best_of(i);
                       double bound = best.bound();
                       for (std::size_t c = 0; c < distances.size(); ++c) {
                         if (!(distances[c] < bound) || (skip_self && first + c == i)) continue;
                         best.offer(first + c, distances[c]);
                         bound = best.bound();
                       }
                     });
  if (watch.stopped()) return lists;
  const auto all_filled = [&] {
    return std::ranges::all_of(filled, [&](std::size_t count) { return count == k; });
  };
  require(all_filled(), too_far);
  std::vector<std::size_t> blurred;
  for (std::size_t i = 0; i < queries.rows(); ++i) {
    if (is_blurred(lists.of(i).back().squared_distance, norms[i])) blurred.push_back(i);
  }
  scan_again(blurred, points.rows(), threads, watch, [&](std::size_t i) {
    filled[i] = 0;
    Nearest best = best_of(i);
    const Row x = queries.row(i);
    for (std::size_t j = 0; j < points.rows(); ++j) {
      const double distance = x.squared_distance(points.row(j));
      if (distance < best.bound() && !(skip_self && j == i)) best.offer(j, distance);
    }
  });
  if (watch.stopped()) return lists;
  require(all_filled(), too_far);
  measure_again(queries, points, threads, lists);
  require(std::ranges::all_of(
              lists.entries,
              [](const Neighbour& entry) { return std::isfinite(entry.squared_distance); }),
          too_far);
  return lists;
}

}  // namespace

NeighbourLists nearest_others(const Examples& points,
                              std::size_t k,
                              std::size_t threads,
                              Watch& watch) {
  const std::size_t others = points.rows() > 0 ? points.rows() - 1 : 0;
  return nearest(points, points, std::min(k, others), true, threads, watch);
}

NeighbourLists nearest_points(const Examples& queries,
                              const Examples& points,
                              std::size_t k,
                              std::size_t threads,
                              Watch& watch) {
  return nearest(queries, points, std::min(k, points.rows()), false, threads, watch);
}

std::vector<Neighbour> nearest_foreign(const Examples& points,
                                       std::span<const std::size_t> rows,
                                       std::span<const std::int32_t> group,
                                       std::size_t threads,
                                       Watch& watch) {
  const Examples queries = points.select(rows);
  std::vector<Neighbour> found(rows.size(), {0, std::numeric_limits<double>::infinity()});
  const std::vector<double> norms =
      scan_distances(queries,
                     points,
                     threads,
                     watch,
                     [&](std::size_t q, std::size_t first, std::span<const double> distances) {
                       const std::int32_t own = group[rows[q]];
                       double bound = found[q].squared_distance;
                       for (std::size_t c = 0; c < distances.size(); ++c) {
                         // One rare branch instead of two: near rows of the own group are many.
                         const int better = static_cast<int>(distances[c] < bound) &
                                            static_cast<int>(group[first + c] != own);
                         if (better == 0) continue;
                         bound = distances[c];
                         found[q] = {static_cast<std::uint32_t>(first + c), distances[c]};
                       }
                     });
  if (watch.stopped()) return found;
  std::vector<std::size_t> blurred;
  for (std::size_t q = 0; q < rows.size(); ++q) {
    if (is_blurred(found[q].squared_distance, norms[q])) blurred.push_back(q);
  }
  scan_again(blurred, points.rows(), threads, watch, [&](std::size_t q) {
    found[q].squared_distance = std::numeric_limits<double>::infinity();
    const Row x = queries.row(q);
    for (std::size_t j = 0; j < points.rows(); ++j) {
      if (group[j] == group[rows[q]]) continue;
      const double distance = x.squared_distance(points.row(j));
      if (distance < found[q].squared_distance) {
        found[q] = {static_cast<std::uint32_t>(j), distance};
      }
    }
  });
  if (watch.stopped()) return found;
  for (std::size_t q = 0; q < rows.size(); ++q) {
    require(std::isfinite(found[q].squared_distance), too_far);
    found[q].squared_distance = queries.row(q).squared_distance(points.row(found[q].row));
    require(std::isfinite(found[q].squared_distance), too_far);
  }
  return found;
}

}  // namespace maxmargin::sv_clustering
