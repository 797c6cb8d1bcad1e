// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/solver/graph/similarity_graph.hpp"
#include "maxmargin/solver/graph/spectral_embedding.hpp"

/// Two-way cuts of a graph, and k-way ones by splitting again and again:
/// docs/algorithms/spectral.md.
namespace maxmargin {

/// What a split should make small.
enum class CutKind {
  minimum,    ///< cut(A, B): Stoer and Wagner's exact method
  ratio,      ///< cut/|A| + cut/|B|: second eigenvector of L
  normalized  ///< cut/assoc(A) + cut/assoc(B): second eigenvector of R^-1/2 L R^-1/2
};

/// Where the second eigenvector is cut in two.
enum class CutThreshold {
  sign,  ///< at 0; sign(0) is +
  sweep  ///< where the objective is least; never worse than `sign`
};
template <>
inline constexpr auto names_of<CutThreshold> =
    name_table<CutThreshold>({{"sign", CutThreshold::sign}, {"sweep", CutThreshold::sweep}});

struct MAXMARGIN_EXPORT GraphSplitOptions {
  CutKind kind = CutKind::normalized;
  /// Not used by `minimum`.
  CutThreshold threshold = CutThreshold::sweep;
  /// Of the eigenvectors; `count` and `laplacian` are set here.
  SpectralEmbeddingOptions embedding = {};
  void describe(OptionVisitor& visit);
};

/// A graph in two parts, and the function that parts it: a point x with similarities s_i to the
/// members is on the upper side when
///
///   sum_i s_i values[i] / (slope sum_i s_i - offset) > threshold.
///
/// At a member itself this is its value: the eigenvector (values) extended by its own equation.
struct GraphSplit {
  /// 0 below, 1 above, for every point; both occur.
  std::vector<std::int32_t> sides = {};
  /// The cut of the wanted kind.
  double objective = 0;
  std::vector<double> values = {};
  double threshold = 0;
  double slope = 1;
  double offset = 0;
  Status status = Status::solved;
  std::size_t iterations = 0;
};

/// Splits a graph of at least two points. A graph that is not connected is parted between its
/// largest component and the rest, at no cost; a `sign` that puts all points on one side (rounding)
/// gives way to the sweep. `embedding`, if any, is that of this graph with the Laplacian of the
/// kind, two pairs or more.
[[nodiscard]] MAXMARGIN_EXPORT GraphSplit split_graph(const SimilarityGraph& graph,
                                                      const GraphSplitOptions& options,
                                                      const SpectralEmbedding* embedding = nullptr);

/// A k-way partition by k-1 splits. Each node of the tree is one: its children are nodes (>= 0) or
/// clusters (-1 - cluster).
struct RecursiveSplit {
  struct Node {
    GraphSplit split = {};
    std::vector<std::size_t> members = {};
    std::int64_t below = 0;
    std::int64_t above = 0;
  };
  std::vector<Node> nodes = {};
  /// Numbered by size, the largest first, then by first member.
  std::vector<std::int32_t> clusters = {};
  Status status = Status::solved;
  std::size_t iterations = 0;
};

/// Splits the graph, then k-2 times the part whose own split (as a graph by itself) is cheapest.
/// Throws InvalidArgument unless 1 <= k <= number of points. Nodes come in the order of the splits.
[[nodiscard]] MAXMARGIN_EXPORT RecursiveSplit
split_recursively(const SimilarityGraph& graph,
                  std::size_t k,
                  const GraphSplitOptions& options,
                  const SpectralEmbedding* embedding = nullptr);

}  // namespace maxmargin
