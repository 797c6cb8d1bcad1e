// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/cluster/kmedoids/kmedoids.hpp"
#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Agglomerative clustering: docs/algorithms/hierarchical.md.
namespace maxmargin {

/// How far two clusters are apart.
enum class Linkage {
  single,    ///< the least distance between a point of one and a point of the other
  complete,  ///< the largest
  average,   ///< the (weighted) mean
  ward,      ///< sqrt(2 W_a W_b / (W_a + W_b)) times the distance of the means
};

template <>
inline constexpr auto names_of<Linkage> = name_table<Linkage>({{"single", Linkage::single},
                                                               {"complete", Linkage::complete},
                                                               {"average", Linkage::average},
                                                               {"ward", Linkage::ward}});

/// Two clusters become one. Numbers below n are points; n + t is the cluster that merge t made.
struct Merge {
  std::size_t first = 0;  ///< below `second`
  std::size_t second = 0;
  /// The distance of the two by the linkage.
  double height = 0;
};

/// All clusterings of n points from n clusters to one: n - 1 merges, the lowest first. The heights
/// never fall.
struct MAXMARGIN_EXPORT Dendrogram {
  std::size_t points = 0;
  std::vector<Merge> merges = {};

  /// The clusters before the last k - 1 merges, numbered by size, the largest first, then by first
  /// member. Requires 1 <= k <= points.
  [[nodiscard]] std::vector<std::int32_t> labels(std::size_t k) const;
  /// Number of clusters when all merges of at most this height are made.
  [[nodiscard]] std::size_t clusters_at(double height) const;
  /// What validate() checks: that it is what the comment above says.
  void describe(OptionVisitor& visit);
};

struct MAXMARGIN_EXPORT HierarchicalOptions {
  /// Number of clusters; at least 1, at most the number of points at distance > 0 of one another.
  std::size_t k = 2;
  Linkage linkage = Linkage::ward;
  /// Ward's linkage requires euclidean.
  Distance distance = Distance::euclidean;
  /// Puts kmeans_lower_bound into the report of Ward's linkage when min(rows, columns) is at most
  /// this; 0: never.
  std::size_t lower_bound_limit = 2000;
  /// Callback: called now and then while clusters merge. When it stops the run, the status says so
  /// and there are k clusters all the same: guesses stand in for the merges that were not found.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// What new points are held against: the training points, or with Ward's linkage the means of the
/// clusters.
struct MAXMARGIN_EXPORT HierarchicalModel {
  Linkage linkage = Linkage::ward;
  Distance distance = Distance::euclidean;
  Examples points = {};
  /// Of each of the points, and its weight (empty: all 1).
  std::vector<std::int32_t> clusters = {};
  std::vector<double> weights = {};

  /// The cluster at the least distance by the linkage, of the new point alone to the whole cluster:
  /// nearest member (single), nearest farthest member (complete), least mean distance (average),
  /// nearest mean (Ward). The lowest of equals. Sparse examples may have fewer or more features
  /// (missing ones are 0, further ones count as distance); dense ones of another width throw
  /// InvalidArgument, and so does a value that is not finite.
  [[nodiscard]] std::vector<std::int32_t> predict(
      const Examples& examples, std::optional<std::size_t> threads = std::nullopt) const;
};

/// The tree and its cut. Clusters are numbered by size, the largest first, then by first member.
struct HierarchicalClustering {
  Dendrogram tree = {};
  std::vector<std::int32_t> labels = {};
  std::vector<std::size_t> sizes = {};
  /// Empty (no points) when the clustering came from a matrix of distances.
  HierarchicalModel model = {};
  /// Height of the highest merge made (0 when there is none) and of the next one (infinite when
  /// there is none): cutting anywhere between gives these clusters.
  double cut_height = 0;
  double next_height = 0;
  /// primal_objective: with Ward's linkage the sum of squares around the clusters' means, half the
  /// sum of the squared heights of the merges made; otherwise cut_height. lower_bound: with Ward's
  /// linkage on points, that of k-means. Of a run that was stopped, the heights above the merges
  /// found are distances of points, and the objective is there with Ward's linkage on points alone.
  SolveReport report = {};
};

/// The tree behind a symmetric matrix of distances, finite and >= 0. `weights` is empty (all 1) or
/// has one weight > 0 a point: a point of weight 2 counts as two points in one place. Ward's
/// linkage takes the distances as Euclidean. Equal distances: the lowest numbers merge first.
/// O(n^2) time; 8 n^2 bytes for a copy, except with single linkage. Throws InvalidArgument, also
/// for distances so large that their products with the weights overflow.
[[nodiscard]] MAXMARGIN_EXPORT Dendrogram build_dendrogram(DenseView distances,
                                                           Linkage linkage,
                                                           std::span<const double> weights = {});

/// The tree of a data set, with its weights, cut at k clusters. Single linkage needs O(n) memory
/// beside the data, Ward's (with no more features than points) that of the points as a dense
/// matrix, the others 8 n^2 bytes.
[[nodiscard]] MAXMARGIN_EXPORT HierarchicalClustering
cluster_hierarchical(const Dataset& data, const HierarchicalOptions& options = {});

/// The same from distances; HierarchicalOptions::distance does not matter.
[[nodiscard]] MAXMARGIN_EXPORT HierarchicalClustering cluster_hierarchical(
    DenseView distances, const HierarchicalOptions& options, std::span<const double> weights = {});

}  // namespace maxmargin
