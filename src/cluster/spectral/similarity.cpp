// SPDX-License-Identifier: Apache-2.0
//
// From kernel and examples to the similarity graph: all pairs, or nearest neighbours.
#include <algorithm>
#include <utility>

#include "cluster/spectral/neighbour_lists.hpp"
#include "cluster/spectral/require_similarity.hpp"
#include "cluster/spectral/stoppable_graph.hpp"
#include "core/stoppable.hpp"
#include "kernel/gram/cross_blocks.hpp"
#include "kernel/gram/stoppable.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// The most similar other points of every point.
std::vector<spectral::NeighbourList> nearest_neighbours(const Kernel& kernel,
                                                        const Examples& examples,
                                                        std::size_t count,
                                                        std::size_t threads) {
  std::vector<spectral::NeighbourList> lists(examples.rows(), spectral::NeighbourList(count));
  const auto visit = [&](const CrossBlock<double>& block) {
    for (std::size_t i = 0; i < block.values.rows; ++i) {
      const std::size_t u = block.row_begin + i;
      for (std::size_t j = 0; j < block.values.cols; ++j) {
        const std::size_t v = block.col_begin + j;
        if (u == v) continue;
        spectral::require_similarity(block.values(i, j), "points", u, v);
        lists[u].offer(v, block.values(i, j));
      }
    }
  };
  visit_cross_blocks(kernel, examples, examples, threads, visit);
  return lists;
}

/// An edge where either end counts the other among its nearest; its value is the one computed for
/// the lower end, so that both directions agree to the last bit.
SparseMatrix symmetric_matrix(const std::vector<spectral::NeighbourList>& lists) {
  const std::size_t n = lists.size();
  struct Edge {
    std::int32_t to = 0;
    bool from_lower = false;
    double value = 0;
  };
  std::vector<std::vector<Edge>> rows(n);
  for (std::size_t u = 0; u < n; ++u) {
    for (const auto& [value, v] : lists[u].entries()) {
      rows[u].push_back({static_cast<std::int32_t>(v), u < v, value});
      rows[v].push_back({static_cast<std::int32_t>(u), u < v, value});
    }
  }
  Buffer<std::int64_t> offsets(1, 0);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  for (std::vector<Edge>& row : rows) {
    std::ranges::sort(row, [](const Edge& a, const Edge& b) {
      return a.to != b.to ? a.to < b.to : a.from_lower && !b.from_lower;
    });
    for (std::size_t e = 0; e < row.size(); ++e) {
      if (e > 0 && row[e].to == row[e - 1].to) continue;
      columns.push_back(row[e].to);
      values.push_back(row[e].value);
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return {n, std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace

SimilarityGraph similarity_graph(const Kernel& kernel,
                                 const Examples& examples,
                                 std::optional<std::size_t> neighbours,
                                 std::optional<std::size_t> threads) {
  return stoppable_similarity_graph(kernel, examples, neighbours, {.threads = threads});
}

SimilarityGraph stoppable_similarity_graph(const Kernel& kernel,
                                           const Examples& examples,
                                           std::optional<std::size_t> neighbours,
                                           const Context& context) {
  const std::size_t n = examples.rows();
  const std::optional<std::size_t> threads = context.threads;
  if (!neighbours) {
    require_memory_for_numbers(n, n, "the similarities of all pairs (neighbours would keep few)");
    StoppableGram found = gram_unless_stopped(kernel, examples, context);
    if (found.answer != Continue::yes) throw Stopped(found.answer);
    return SimilarityGraph(std::move(found.matrix), threads);
  }
  require_field(*neighbours >= 1, "neighbours", static_cast<double>(*neighbours), ">= 1");
  validate(kernel);
  check_domain(kernel, examples);
  const std::size_t kept = std::min(*neighbours, n > 0 ? n - 1 : 0);
  require_memory(checked_multiply(checked_multiply(n, kept), 64), "the nearest neighbours");
  return SimilarityGraph(
      symmetric_matrix(nearest_neighbours(kernel, examples, kept, thread_count(threads))), threads);
}

}  // namespace maxmargin
