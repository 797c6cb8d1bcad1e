// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"

/// Metrics that compare a clustering with known classes.
///
/// Rules. Class and cluster numbers are names only: any numbers >= 0, in any order, with gaps. A
/// row of class -1 is unlabelled and left out. A row of cluster -1 is an outlier: no cluster holds
/// it. Misassignment, majority error and purity count it as wrong; the adjusted Rand index and the
/// mutual information see it as a cluster of its own.
namespace maxmargin {

/// How many rows of each class lie in each cluster. Classes and clusters are numbered by rank among
/// the numbers that occur; only cells that are not 0 are stored.
class MAXMARGIN_EXPORT Contingency {
 public:
  struct Cell {
    std::size_t class_rank = 0;
    std::size_t cluster_rank = 0;
    double count = 0;
  };

  /// Throws InvalidArgument for lengths that differ or a number below -1. O(n log n).
  Contingency(std::span<const std::int32_t> classes, std::span<const std::int32_t> clusters);

  /// Labelled rows, outliers among them.
  [[nodiscard]] double total() const noexcept { return total_; }
  /// Labelled rows that are outliers.
  [[nodiscard]] double outliers() const noexcept { return outliers_; }
  /// Sorted by class, then cluster.
  [[nodiscard]] std::span<const Cell> cells() const noexcept { return cells_; }
  /// The class and cluster numbers that occur, sorted.
  [[nodiscard]] std::span<const std::int32_t> class_numbers() const noexcept {
    return class_numbers_;
  }
  [[nodiscard]] std::span<const std::int32_t> cluster_numbers() const noexcept {
    return cluster_numbers_;
  }
  /// Labelled rows of each class, outliers among them.
  [[nodiscard]] std::span<const double> class_sizes() const noexcept { return class_sizes_; }
  /// Labelled rows of each cluster.
  [[nodiscard]] std::span<const double> cluster_sizes() const noexcept { return cluster_sizes_; }
  /// Outliers of each class.
  [[nodiscard]] std::span<const double> class_outliers() const noexcept { return class_outliers_; }

 private:
  std::vector<std::int32_t> class_numbers_;
  std::vector<std::int32_t> cluster_numbers_;
  std::vector<Cell> cells_;
  std::vector<double> class_sizes_;
  std::vector<double> cluster_sizes_;
  std::vector<double> class_outliers_;
  double total_ = 0;
  double outliers_ = 0;
};

/// The class matched to a cluster; empty for a cluster left over.
struct ClusterMatch {
  std::int32_t cluster = 0;
  std::optional<std::int32_t> matched_class = std::nullopt;
};

/// The one-to-one matching of clusters and classes that gets most rows right (Hungarian method on
/// the counts), by cluster number. O(k^3) for k the larger of the two numbers.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<ClusterMatch> match_clusters(const Contingency& table);

/// Share of the rows that are wrong under the best one-to-one matching of clusters and classes:
/// outliers, rows of clusters left over, and rows whose cluster is matched to another class. For
/// two classes and two clusters this is min(error, 1 - error). NaN without labelled rows.
[[nodiscard]] MAXMARGIN_EXPORT double misassignment(const Contingency& table);

/// 1 - misassignment; for two classes and two clusters max(accuracy, 1 - accuracy).
[[nodiscard]] MAXMARGIN_EXPORT double matched_accuracy(const Contingency& table);

/// Share of the rows that are wrong when every cluster is named by its largest class (several
/// clusters may share a class) and outliers are wrong. Never larger than the misassignment; 0 for
/// singletons, so compare it at equal numbers of clusters only.
[[nodiscard]] MAXMARGIN_EXPORT double majority_error(const Contingency& table);

/// 1 - majority_error. Without outliers never below the largest class share.
[[nodiscard]] MAXMARGIN_EXPORT double purity(const Contingency& table);

/// Hubert and Arabie's adjusted Rand index: the share of pairs on which the two partitions agree,
/// shifted and scaled so that chance gives 0 on average and equal partitions give 1. It may be
/// negative. 1 when both are one block or both are all singletons. NaN without labelled rows.
[[nodiscard]] MAXMARGIN_EXPORT double adjusted_rand_index(const Contingency& table);

/// Mutual information over the arithmetic mean of the two entropies, in [0, 1]. 1 when both
/// entropies are 0. Not adjusted for chance: it rises with the number of clusters. NaN without
/// labelled rows.
[[nodiscard]] MAXMARGIN_EXPORT double normalized_mutual_information(const Contingency& table);

}  // namespace maxmargin
