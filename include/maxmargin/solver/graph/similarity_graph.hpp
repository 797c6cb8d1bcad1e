// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Weighted undirected graphs and what a partition of one costs: docs/algorithms/spectral.md.
namespace maxmargin {

/// n points and a similarity S_uv = S_vu >= 0 of every two; S_uu = 0. Dense or sparse.
class MAXMARGIN_EXPORT SimilarityGraph {
 public:
  /// Takes over a square matrix; its diagonal is set (or, when sparse, taken as) 0. Throws
  /// InvalidArgument naming the pair when an entry off the diagonal is negative, not finite, or
  /// differs from its mirror image.
  explicit SimilarityGraph(DenseMatrix similarities,
                           std::optional<std::size_t> threads = std::nullopt);
  explicit SimilarityGraph(const SparseMatrix& similarities,
                           std::optional<std::size_t> threads = std::nullopt);

  [[nodiscard]] std::size_t size() const noexcept { return degrees_.size(); }
  [[nodiscard]] bool is_dense() const noexcept {
    return std::holds_alternative<DenseMatrix>(matrix_);
  }
  /// Requires is_dense().
  [[nodiscard]] DenseView dense() const { return std::get<DenseMatrix>(matrix_).view(); }
  /// r(u) = sum over v of S_uv.
  [[nodiscard]] std::span<const double> degrees() const noexcept { return degrees_; }

  /// Calls visit(v, S_uv) in ascending order of v for all v (dense; S_uu = 0 included) or for the
  /// stored entries (sparse).
  template <class Visit>
  void for_each_neighbour(std::size_t u, Visit&& visit) const {
    if (const auto* dense = std::get_if<DenseMatrix>(&matrix_)) {
      const std::span<const double> row = dense->row(u);
      for (std::size_t v = 0; v < row.size(); ++v) visit(v, row[v]);
    } else {
      const SparseRow row = std::get<SparseMatrix>(matrix_).row(u);
      for (std::size_t e = 0; e < row.columns.size(); ++e) {
        visit(static_cast<std::size_t>(row.columns[e]), row.values[e]);
      }
    }
  }

  /// Row j of `images` becomes S times row j of `vectors`. The same for any number of threads.
  void multiply(DenseView vectors, MutableDenseView images, std::size_t threads) const;

  /// The graph on some of the points, in the order given.
  [[nodiscard]] SimilarityGraph subgraph(std::span<const std::size_t> members) const;

  /// The connected component of every point: the largest is 0, then by first member.
  [[nodiscard]] std::vector<std::int32_t> components() const;

 private:
  std::variant<DenseMatrix, SparseMatrix> matrix_;
  std::vector<double> degrees_;
};

/// The costs of a partition into clusters A_1, ..., A_k, with cut(A) = sum of S over pairs with one
/// end in A and the other in another cluster, and assoc(A) the sum of the degrees in A.
struct GraphCuts {
  /// Sum of S over pairs in different clusters: half the sum of cut(A_c).
  double cut = 0;
  /// Sum of cut(A_c) / |A_c|.
  double ratio_cut = 0;
  /// Sum of cut(A_c) / assoc(A_c); a cluster without any similarity counts 0.
  double normalized_cut = 0;
  /// Sum of (similarity within A_c, both directions) / assoc(A_c): k - normalized_cut.
  double normalized_association = 0;
};

/// From the definitions, in O(edges). `clusters` are 0, ..., k-1, one a point, none empty; throws
/// InvalidArgument otherwise.
[[nodiscard]] MAXMARGIN_EXPORT GraphCuts
graph_cuts(const SimilarityGraph& graph,
           std::span<const std::int32_t> clusters,
           std::size_t k,
           std::optional<std::size_t> threads = std::nullopt);

}  // namespace maxmargin
