// SPDX-License-Identifier: Apache-2.0
#include "solver/kmeans/start.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "core/vector_clones.hpp"

namespace maxmargin::kmeans {

namespace {

/// Points compared for each next centre: side by side in vector registers.
constexpr std::size_t most_candidates = 8;
constexpr std::size_t chunk_rows = 4 * block_rows;
/// Numbers in the points from which on a sweep takes milliseconds.
constexpr std::size_t long_sweep = 1'000'000;
using CandidateTotals = std::array<double, most_candidates>;

/// For the rows x of `points` and every candidate c, adds weight x min(cost, |x - c|^2) to
/// totals[c]. `candidates` holds feature after feature, Width values each.
template <std::size_t Width>
MAXMARGIN_INLINE void add_lowered_costs(DenseView points,
                                        const double* costs,
                                        const double* weights,
                                        const double* candidates,
                                        double* totals) {
  for (std::size_t i = 0; i < points.rows; ++i) {
    const double* x = points.data + i * points.stride;
    double distance[Width] = {};
    for (std::size_t j = 0; j < points.cols; ++j) {
      for (std::size_t c = 0; c < Width; ++c) {
        const double difference = x[j] - candidates[j * Width + c];
        distance[c] += difference * difference;
      }
    }
    const double weight = weights == nullptr ? 1.0 : weights[i];
    for (std::size_t c = 0; c < Width; ++c) {
      const double cost = weight * distance[c];
      totals[c] += cost < costs[i] ? cost : costs[i];
    }
  }
}
MAXMARGIN_VECTOR_CLONES void add_lowered_costs_4(
    DenseView points, const double* costs, const double* weights, const double* at, double* to) {
  add_lowered_costs<4>(points, costs, weights, at, to);
}
MAXMARGIN_VECTOR_CLONES void add_lowered_costs_8(
    DenseView points, const double* costs, const double* weights, const double* at, double* to) {
  add_lowered_costs<most_candidates>(points, costs, weights, at, to);
}

/// Squared distances to the nearest centre so far, times the weight.
class SeedingCosts {
 public:
  SeedingCosts(const Points& points, std::size_t threads)
      : points_(points),
        threads_(threads),
        costs_(points.rows(), std::numeric_limits<double>::infinity()),
        chunk_totals_(chunk_count(points.rows(), chunk_rows)) {}

  void lower_by(std::span<const double> centre) {
    const double norm = plain_squared_norm(centre);
    for_each_chunk([&](std::size_t chunk, std::size_t begin, std::size_t end) {
      double total = 0;
      for (std::size_t i = begin; i < end; ++i) {
        costs_[i] =
            std::min(costs_[i], points_.weight(i) * points_.squared_distance(i, centre, norm));
        total += costs_[i];
      }
      chunk_totals_[chunk] = total;
    });
    total_ = std::accumulate(chunk_totals_.begin(), chunk_totals_.end(), 0.0);
  }
  [[nodiscard]] double total() const { return total_; }

  /// A row, with probability ~ its cost. Requires total() > 0.
  [[nodiscard]] std::size_t draw(Rng& rng) const {
    double left = rng.uniform() * total_;
    std::size_t last_possible = 0;
    for (std::size_t chunk = 0; chunk < chunk_totals_.size(); ++chunk) {
      if (chunk_totals_[chunk] <= 0) continue;
      const std::size_t begin = chunk * chunk_rows;
      const std::size_t end = std::min(begin + chunk_rows, costs_.size());
      const bool is_here = left < chunk_totals_[chunk];
      double left_here = left;
      for (std::size_t i = begin; i < end; ++i) {
        if (costs_[i] <= 0) continue;
        last_possible = i;
        left_here -= costs_[i];
        if (is_here && left_here < 0) return i;
      }
      // Rounding carried us past the chunk's end.
      if (is_here) return last_possible;
      left -= chunk_totals_[chunk];
    }
    return last_possible;
  }

  /// What total() would be with each of the rows as a further centre.
  [[nodiscard]] CandidateTotals totals_with(std::span<const std::size_t> rows) const {
    std::vector<CandidateTotals> parts(chunk_totals_.size(), CandidateTotals{});
    if (points_.is_dense()) {
      const std::size_t width = rows.size() <= 4 ? 4 : most_candidates;
      const auto add = width == 4 ? add_lowered_costs_4 : add_lowered_costs_8;
      std::vector<double> by_feature(points_.cols() * width);
      for (std::size_t c = 0; c < rows.size(); ++c) {
        const auto row = points_.dense().row(rows[c]);
        for (std::size_t j = 0; j < row.size(); ++j) by_feature[j * width + c] = row[j];
      }
      for_each_chunk([&](std::size_t chunk, std::size_t begin, std::size_t end) {
        const std::span<const double> weights = points_.weights(begin, end);
        add(points_.dense().middle_rows(begin, end),
            costs_.data() + begin,
            weights.empty() ? nullptr : weights.data(),
            by_feature.data(),
            parts[chunk].data());
      });
    } else {
      add_sparse(rows, parts);
    }
    CandidateTotals totals = {};
    for (const CandidateTotals& part : parts) {
      for (std::size_t c = 0; c < rows.size(); ++c) totals[c] += part[c];
    }
    return totals;
  }

 private:
  template <class F>
  void for_each_chunk(const F& f) const {
    parallel_chunks(threads_, points_.rows(), chunk_rows, f);
  }
  void add_sparse(std::span<const std::size_t> rows, std::vector<CandidateTotals>& parts) const {
    std::vector<double> centre(points_.cols());
    for (std::size_t c = 0; c < rows.size(); ++c) {
      points_.copy_row(rows[c], centre);
      const double norm = plain_squared_norm(centre);
      for_each_chunk([&](std::size_t chunk, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          parts[chunk][c] +=
              std::min(costs_[i], points_.weight(i) * points_.squared_distance(i, centre, norm));
        }
      });
    }
  }

  const Points& points_;
  std::size_t threads_;
  std::vector<double> costs_;
  std::vector<double> chunk_totals_;
  double total_ = 0;
};

/// Rows like none of `taken`, the lowest first.
std::vector<std::size_t> further_rows(const Points& points,
                                      std::span<const std::size_t> taken,
                                      std::size_t count) {
  std::vector<std::size_t> rows;
  for (const std::size_t row : distinct_rows(points, taken.size() + count)) {
    const auto equals = [&](std::size_t other) { return points.compare(row, other) == 0; };
    if (rows.size() < count && std::ranges::none_of(taken, equals)) rows.push_back(row);
  }
  return rows;
}

/// The rows of greedy k-means++. Ends early when may_continue says no or when all costs vanish,
/// which they can although points differ: squares of tiny differences underflow.
std::vector<std::size_t> plus_plus(const Points& points,
                                   std::size_t k,
                                   Rng& rng,
                                   std::size_t threads,
                                   const std::function<bool()>& may_continue) {
  std::vector<double> weights(points.rows());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = points.weight(i);
  std::vector<std::size_t> rows = {rng.discrete(weights)};
  SeedingCosts costs(points, threads);
  const auto wanted = 2 + static_cast<std::size_t>(std::log(static_cast<double>(k)));
  std::vector<std::size_t> candidates(std::min(wanted, most_candidates));
  std::vector<double> centre(points.cols());
  const bool is_long = points.rows() * points.cols() >= long_sweep;
  while (rows.size() < k) {
    if (is_long && !may_continue()) break;
    points.copy_row(rows.back(), centre);
    costs.lower_by(centre);
    if (!(costs.total() > 0)) break;
    for (std::size_t& candidate : candidates) candidate = costs.draw(rng);
    const CandidateTotals totals = costs.totals_with(candidates);
    const auto end = totals.begin() + static_cast<std::ptrdiff_t>(candidates.size());
    const auto best = std::min_element(totals.begin(), end) - totals.begin();
    rows.push_back(candidates[static_cast<std::size_t>(best)]);
  }
  return rows;
}

}  // namespace

std::vector<std::size_t> distinct_rows(const Points& points,
                                       std::size_t limit,
                                       std::span<const std::size_t> order) {
  const auto less = [&](std::size_t a, std::size_t b) { return points.compare(a, b) < 0; };
  std::set<std::size_t, decltype(less)> seen(less);
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < points.rows() && found.size() < limit; ++at) {
    const std::size_t i = order.empty() ? at : order[at];
    if (points.weight(i) > 0 && seen.insert(i).second) found.push_back(i);
  }
  return found;
}

DenseMatrix choose_centres(const Points& points,
                           std::size_t k,
                           KmeansStart start,
                           Rng& rng,
                           std::size_t threads,
                           const std::function<bool()>& may_continue) {
  std::vector<std::size_t> rows;
  if (start == KmeansStart::plus_plus) {
    rows = plus_plus(points, k, rng, threads, may_continue);
    const std::vector<std::size_t> rest = further_rows(points, rows, k - rows.size());
    rows.insert(rows.end(), rest.begin(), rest.end());
  } else {
    rows = distinct_rows(points, k, rng.permutation(points.rows()));
  }
  DenseMatrix centres(k, points.cols());
  for (std::size_t c = 0; c < k; ++c) points.copy_row(rows.at(c), centres.row(c));
  return centres;
}

}  // namespace maxmargin::kmeans
