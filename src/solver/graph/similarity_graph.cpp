// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/graph/similarity_graph.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/block_eigenpairs.hpp"
#include "maxmargin/core/require.hpp"
#include "solver/cluster_numbers.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t rows_at_once = 64;

void require_similarity(std::size_t u, std::size_t v, double value, double mirror) {
  if (value >= 0 && std::isfinite(value) && value == mirror) return;
  const std::string pair =
      "the similarity of points " + std::to_string(u) + " and " + std::to_string(v);
  require_field(value >= 0 && std::isfinite(value), pair, value, "finite and >= 0 (a graph cut)");
  require_field(value == mirror,
                pair,
                value,
                "equal to that of points " + std::to_string(v) + " and " + std::to_string(u) +
                    ", " + format_number(mirror));
}

/// Square tile by square tile, so that the mirror images come in cache lines.
void check_dense(DenseView matrix, std::size_t threads) {
  require(matrix.rows == matrix.cols,
          "SimilarityGraph: the similarities are " + std::to_string(matrix.rows) + " x " +
              std::to_string(matrix.cols) + ", must be square");
  const std::size_t n = matrix.rows;
  parallel_chunks(threads, n, rows_at_once, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t first = 0; first < end; first += rows_at_once) {
      for (std::size_t u = begin; u < end; ++u) {
        const std::size_t last = std::min(first + rows_at_once, u);
        for (std::size_t v = first; v < last; ++v) {
          require_similarity(u, v, matrix(u, v), matrix(v, u));
        }
      }
    }
  });
}

double sparse_entry(const SparseMatrix& matrix, std::size_t u, std::size_t v) {
  const SparseRow row = matrix.row(u);
  const auto at =
      std::lower_bound(row.columns.begin(), row.columns.end(), static_cast<std::int32_t>(v));
  if (at == row.columns.end() || static_cast<std::size_t>(*at) != v) return 0;
  return row.values[static_cast<std::size_t>(at - row.columns.begin())];
}

/// The same without stored diagonal entries, all others checked.
SparseMatrix checked_sparse(const SparseMatrix& matrix) {
  require(matrix.rows() == matrix.cols(),
          "SimilarityGraph: the similarities are " + std::to_string(matrix.rows()) + " x " +
              std::to_string(matrix.cols()) + ", must be square");
  Buffer<std::int64_t> offsets(1, 0);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  for (std::size_t u = 0; u < matrix.rows(); ++u) {
    const SparseRow row = matrix.row(u);
    for (std::size_t e = 0; e < row.columns.size(); ++e) {
      const auto v = static_cast<std::size_t>(row.columns[e]);
      if (v == u) continue;
      require_similarity(u, v, row.values[e], sparse_entry(matrix, v, u));
      columns.push_back(row.columns[e]);
      values.push_back(row.values[e]);
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return {matrix.cols(), std::move(offsets), std::move(columns), std::move(values)};
}

std::vector<double> row_sums(const SimilarityGraph& graph, std::size_t n, std::size_t threads) {
  std::vector<double> sums(n, 0.0);
  parallel_chunks(threads, n, rows_at_once, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) {
      double sum = 0;
      graph.for_each_neighbour(u, [&](std::size_t, double s) { sum += s; });
      sums[u] = sum;
    }
  });
  return sums;
}

}  // namespace

SimilarityGraph::SimilarityGraph(DenseMatrix similarities, std::optional<std::size_t> threads)
    : matrix_(std::move(similarities)) {
  auto& matrix = std::get<DenseMatrix>(matrix_);
  const std::size_t count = thread_count(threads);
  check_dense(matrix.view(), count);
  for (std::size_t u = 0; u < matrix.rows(); ++u) matrix(u, u) = 0;
  degrees_ = row_sums(*this, matrix.rows(), count);
}

SimilarityGraph::SimilarityGraph(const SparseMatrix& similarities,
                                 std::optional<std::size_t> threads)
    : matrix_(checked_sparse(similarities)) {
  degrees_ = row_sums(*this, similarities.rows(), thread_count(threads));
}

void SimilarityGraph::multiply(DenseView vectors,
                               MutableDenseView images,
                               std::size_t threads) const {
  const std::size_t n = size();
  require(vectors.cols == n && images.cols == n && images.rows == vectors.rows,
          "SimilarityGraph.multiply: the vectors must have an entry for every point");
  if (is_dense()) {
    multiply_symmetric(dense(), vectors, images, threads);
    return;
  }
  constexpr std::size_t chunk = 256;
  parallel_chunks(threads, n, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) {
      for (std::size_t j = 0; j < vectors.rows; ++j) {
        const std::span<const double> vector = vectors.row(j);
        double sum = 0;
        for_each_neighbour(u, [&](std::size_t v, double s) { sum += s * vector[v]; });
        images(j, u) = sum;
      }
    }
  });
}

SimilarityGraph SimilarityGraph::subgraph(std::span<const std::size_t> members) const {
  for (const std::size_t u : members) {
    require(u < size(), "SimilarityGraph.subgraph: there is no point " + std::to_string(u));
  }
  if (is_dense()) {
    auto part = DenseMatrix::uninitialized(members.size(), members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::span<const double> row = dense().row(members[i]);
      for (std::size_t j = 0; j < members.size(); ++j) part(i, j) = row[members[j]];
    }
    return SimilarityGraph(std::move(part));
  }
  std::vector<std::int32_t> place(size(), -1);
  for (std::size_t i = 0; i < members.size(); ++i) {
    place[members[i]] = static_cast<std::int32_t>(i);
  }
  Buffer<std::int64_t> offsets(1, 0);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  std::vector<std::pair<std::int32_t, double>> row;
  for (const std::size_t u : members) {
    row.clear();
    for_each_neighbour(u, [&](std::size_t v, double s) {
      if (place[v] >= 0) row.emplace_back(place[v], s);
    });
    std::ranges::sort(row);
    for (const auto& [column, value] : row) {
      columns.push_back(column);
      values.push_back(value);
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return SimilarityGraph(
      SparseMatrix(members.size(), std::move(offsets), std::move(columns), std::move(values)));
}

std::vector<std::int32_t> SimilarityGraph::components() const {
  std::vector<std::int32_t> component(size(), -1);
  std::vector<std::size_t> open;
  std::int32_t count = 0;
  std::size_t unseen = size();
  const auto reach = [&](std::size_t u) {
    component[u] = count;
    open.push_back(u);
    --unseen;
  };
  for (std::size_t first = 0; first < size(); ++first) {
    if (component[first] >= 0) continue;
    reach(first);
    while (!open.empty() && unseen > 0) {  // one row of a dense graph mostly reaches all others
      const std::size_t u = open.back();
      open.pop_back();
      for_each_neighbour(u, [&](std::size_t v, double s) {
        if (s > 0 && component[v] < 0) reach(v);
      });
    }
    open.clear();
    ++count;
  }
  return number_by_size(component, static_cast<std::size_t>(count)).labels;
}

GraphCuts graph_cuts(const SimilarityGraph& graph,
                     std::span<const std::int32_t> clusters,
                     std::size_t k,
                     std::optional<std::size_t> threads) {
  const std::size_t n = graph.size();
  require(clusters.size() == n, "graph_cuts: there must be one cluster a point");
  for (const std::int32_t c : clusters) {
    require(c >= 0 && static_cast<std::size_t>(c) < k,
            "graph_cuts: cluster " + std::to_string(c) + ", must be from 0 to k - 1");
  }
  // Across and within are summed apart: a difference would lose a small cut beside large degrees.
  std::vector<double> across(n);
  std::vector<double> within(n);
  parallel_chunks(
      thread_count(threads), n, rows_at_once, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t u = begin; u < end; ++u) {
          const std::int32_t own = clusters[u];
          double outside = 0;
          double inside = 0;
          graph.for_each_neighbour(u, [&](std::size_t v, double s) {
            if (clusters[v] == own) {
              inside += s;
            } else {
              outside += s;
            }
          });
          across[u] = outside;
          within[u] = inside;
        }
      });
  std::vector<double> cut(k, 0.0);
  std::vector<double> inside(k, 0.0);
  std::vector<double> sizes(k, 0.0);
  for (std::size_t u = 0; u < n; ++u) {
    const auto c = static_cast<std::size_t>(clusters[u]);
    cut[c] += across[u];
    inside[c] += within[u];
    sizes[c] += 1;
  }
  GraphCuts costs;
  for (std::size_t c = 0; c < k; ++c) {
    require(sizes[c] > 0, "graph_cuts: cluster " + std::to_string(c) + " is empty");
    costs.cut += cut[c] / 2;
    costs.ratio_cut += cut[c] / sizes[c];
    const double assoc = cut[c] + inside[c];
    costs.normalized_cut += assoc > 0 ? cut[c] / assoc : 0.0;
    costs.normalized_association += assoc > 0 ? inside[c] / assoc : 1.0;
  }
  return costs;
}

}  // namespace maxmargin
