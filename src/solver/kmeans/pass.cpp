// SPDX-License-Identifier: Apache-2.0
#include "solver/kmeans/pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "solver/kmeans/block.hpp"

namespace maxmargin::kmeans {

namespace {

/// The centres in the shapes a pass needs.
struct Centres {
  Centres(const Points& points, const DenseMatrix& matrix) : rows(matrix), squared_norms() {
    squared_norms.reserve(matrix.rows());
    for (std::size_t c = 0; c < matrix.rows(); ++c) {
      squared_norms.push_back(plain_squared_norm(matrix.row(c)));
      largest_norm = std::max(largest_norm, std::sqrt(squared_norms.back()));
    }
    if (points.is_dense() && matrix.rows() > few_centres) return;
    transposed =
        DenseMatrix(matrix.cols(), points.is_dense() ? few_lanes(matrix.rows()) : matrix.rows());
    for (std::size_t c = 0; c < matrix.rows(); ++c) {
      for (std::size_t j = 0; j < matrix.cols(); ++j) transposed(j, c) = matrix(c, j);
    }
  }

  const DenseMatrix& rows;
  std::vector<double> squared_norms;
  double largest_norm = 0;
  /// One row a feature; for sparse points, and for few centres, then with zeros behind the last.
  DenseMatrix transposed = {};
};

/// Products and running minima of one block; one per chunk, reused by its blocks.
struct Workspace {
  explicit Workspace(std::size_t k)
      : scores(DenseMatrix::uninitialized(k, block_rows)), sparse_scores(k) {}
  DenseMatrix scores;
  std::vector<double> sparse_scores;
  NearestTwo nearest;
};

/// scores(c, r) = -2 x_r . c for the rows [begin, end).
void multiply_block(const Points& points,
                    const Centres& centres,
                    std::size_t begin,
                    std::size_t end,
                    Workspace& work) {
  const std::size_t k = centres.rows.rows();
  if (points.is_dense() && k <= few_centres) {
    multiply_few(
        points.dense().middle_rows(begin, end), k, centres.transposed.data(), work.scores.data());
    return;
  }
  if (points.is_dense()) {
    gemm(Transpose::no,
         Transpose::yes,
         -2.0,
         centres.rows.view(),
         points.dense().middle_rows(begin, end),
         0.0,
         {work.scores.data(), k, end - begin, block_rows});
    return;
  }
  for (std::size_t i = begin; i < end; ++i) {
    double* score = work.sparse_scores.data();
    std::fill_n(score, k, 0.0);
    points.row(i).for_each([&](std::size_t j, double x) {
      const double* centre_entries = centres.transposed.row(j).data();
      for (std::size_t c = 0; c < k; ++c) score[c] -= 2 * x * centre_entries[c];
    });
    for (std::size_t c = 0; c < k; ++c) work.scores(c, i - begin) = score[c];
  }
}

/// Two centres are told apart by the product form only if their scores differ by more than its
/// rounding error; within this margin plain differences decide.
double rounding_margin(const Points& points, const Centres& centres, std::size_t i) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double reach = std::sqrt(points.squared_norm(i)) + centres.largest_norm;
  return 2 * epsilon * static_cast<double>(points.cols() + 4) * reach * reach;
}

/// The nearest centre by plain differences, among those whose score is at most `limit`.
std::size_t nearest_by_differences(const Points& points,
                                   const Centres& centres,
                                   const Workspace& work,
                                   std::size_t i,
                                   std::size_t place,
                                   double limit) {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < centres.rows.rows(); ++c) {
    if (work.scores(c, place) + centres.squared_norms[c] > limit) continue;
    const double distance =
        points.squared_distance(i, centres.rows.row(c), centres.squared_norms[c]);
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  return nearest;
}

/// Labels the rows [begin, end) and returns how many changed; adds their costs to `objective`.
std::size_t label_block(const Points& points,
                        const Centres& centres,
                        std::size_t begin,
                        std::size_t end,
                        Workspace& work,
                        Assignment& assignment,
                        double& objective) {
  multiply_block(points, centres, begin, end, work);
  find_nearest_two(
      work.scores.data(), block_rows, end - begin, centres.squared_norms, work.nearest);
  std::size_t changed = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t place = i - begin;
    auto nearest = static_cast<std::size_t>(work.nearest.index[place]);
    const double best = work.nearest.best[place];
    const double margin = rounding_margin(points, centres, i);
    if (work.nearest.second[place] - best <= margin) {
      nearest = nearest_by_differences(points, centres, work, i, place, best + margin);
    }
    const auto label = static_cast<std::int32_t>(nearest);
    changed += static_cast<std::size_t>(assignment.labels[i] != label);
    assignment.labels[i] = label;
    const double distance = std::max(0.0, points.squared_norm(i) + best);
    assignment.squared_distances[i] = distance;
    objective += points.weight(i) * distance;
  }
  return changed;
}

}  // namespace

ClusterSums::ClusterSums(const Points& points, std::size_t k)
    : chunk_(points.chunk(k)),
      k_(k),
      part_sums_(DenseMatrix::uninitialized(chunk_count(points.rows(), chunk_) * k, points.cols())),
      part_weights_(part_sums_.rows()),
      part_members_(part_sums_.rows()),
      sums_(k, points.cols()),
      weights_(k),
      members_(k) {}

void ClusterSums::clear(std::size_t c) {
  for (std::size_t place = c * k_; place < (c + 1) * k_; ++place) {
    std::ranges::fill(part_sums_.row(place), 0.0);
    part_weights_[place] = 0;
    part_members_[place] = 0;
  }
}

void ClusterSums::add_rows(const Points& points,
                           std::span<const std::int32_t> labels,
                           std::size_t c,
                           std::size_t begin,
                           std::size_t end) {
  if (points.is_dense()) {
    add_dense_rows(points.dense().middle_rows(begin, end),
                   labels.subspan(begin, end - begin),
                   points.weights(begin, end),
                   part_sums_.data() + c * k_ * part_sums_.cols());
  }
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t place = c * k_ + static_cast<std::size_t>(labels[i]);
    const double weight = points.weight(i);
    if (!points.is_dense()) points.row(i).axpy_into(weight, part_sums_.row(place));
    part_weights_[place] += weight;
    part_members_[place] += weight > 0 ? 1 : 0;
  }
}

void ClusterSums::collect() {
  const std::size_t width = k_ * part_sums_.cols();
  std::ranges::fill(sums_.values(), 0.0);
  std::ranges::fill(weights_, 0.0);
  std::ranges::fill(members_, std::size_t{0});
  for (std::size_t first = 0; first < part_weights_.size(); first += k_) {
    axpy(1.0, {part_sums_.data() + first * part_sums_.cols(), width}, sums_.values());
    for (std::size_t c = 0; c < k_; ++c) {
      weights_[c] += part_weights_[first + c];
      members_[c] += part_members_[first + c];
    }
  }
}

void assign_and_sum(const Points& points,
                    const DenseMatrix& centres,
                    std::size_t threads,
                    Assignment& assignment,
                    ClusterSums& sums) {
  const std::size_t n = points.rows();
  assignment.labels.resize(n, -1);
  assignment.squared_distances.resize(n);
  const Centres prepared(points, centres);
  const std::size_t chunks = chunk_count(n, sums.chunk());
  std::vector<double> objectives(chunks, 0.0);
  std::vector<std::size_t> changes(chunks, 0);
  parallel_chunks(threads, n, sums.chunk(), [&](std::size_t c, std::size_t begin, std::size_t end) {
    Workspace work(centres.rows());
    sums.clear(c);
    double objective = 0;
    std::size_t changed = 0;
    for (std::size_t i = begin; i < end; i += block_rows) {
      const std::size_t stop = std::min(end, i + block_rows);
      changed += label_block(points, prepared, i, stop, work, assignment, objective);
      sums.add_rows(points, assignment.labels, c, i, stop);
    }
    objectives[c] = objective;
    changes[c] = changed;
  });
  assignment.objective = 0;
  assignment.changed = 0;
  for (std::size_t c = 0; c < chunks; ++c) {
    assignment.objective += objectives[c];
    assignment.changed += changes[c];
  }
  sums.collect();
}

void sum_members(const Points& points,
                 std::span<const std::int32_t> labels,
                 std::size_t threads,
                 ClusterSums& sums) {
  parallel_chunks(
      threads, points.rows(), sums.chunk(), [&](std::size_t c, std::size_t begin, std::size_t end) {
        sums.clear(c);
        sums.add_rows(points, labels, c, begin, end);
      });
  sums.collect();
}

double plain_inertia(const Points& points,
                     const DenseMatrix& centres,
                     std::span<const std::int32_t> labels,
                     std::size_t threads) {
  const Centres prepared(points, centres);
  return parallel_sum(threads,
                      points.rows(),
                      4 * block_rows,
                      0.0,
                      [&](std::size_t, std::size_t begin, std::size_t end) {
                        double sum = 0;
                        for (std::size_t i = begin; i < end; ++i) {
                          const auto c = static_cast<std::size_t>(labels[i]);
                          sum +=
                              points.weight(i) *
                              points.squared_distance(i, centres.row(c), prepared.squared_norms[c]);
                        }
                        return sum;
                      });
}

}  // namespace maxmargin::kmeans
