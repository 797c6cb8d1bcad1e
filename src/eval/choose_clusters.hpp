// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/eval/stability.hpp"
#include "maxmargin/kernel/kernel.hpp"

/// The number of clusters from the data: docs/algorithms/choosing-k.md.
namespace maxmargin {

struct ChooseClustersOptions {
  /// The numbers tried, 2 <= least <= most; those above the number of different points are not.
  std::size_t least = 2;
  std::size_t most = 10;
  /// Pairs of subsamples a number, at least 1, each of this share of the rows, in (0.5, 1].
  std::size_t pairs = 20;
  double share = 0.8;
  /// Reference sets of the gap statistic; 0: none is computed.
  std::size_t references = 10;
  /// Silhouettes are taken in the feature space of this kernel; unset: in the input space.
  std::optional<Kernel> kernel = std::nullopt;
  /// Silhouettes of larger data are those of so many rows drawn with the seed; at least 2.
  std::size_t silhouette_rows = 2000;
  /// Threads: runs go side by side. Callback: asked before the first run and after each.
  Context context = {};

  void describe(OptionVisitor& visit);
};

/// A clustering of all rows into k clusters.
struct ClusterCandidate {
  std::size_t k = 0;
  std::vector<std::int32_t> labels = {};
};

/// What is known of one number of clusters. NaN: undefined, or not run.
struct ClusterCountScore {
  std::size_t k = 0;
  /// Mean adjusted Rand index over the pairs; NaN unless all of them ran and have one.
  double stability = 0;
  /// Standard error of that mean.
  double stability_error = 0;
  /// Median over the pairs: what a few unlucky subsamples do not change.
  double median_stability = 0;
  double silhouette = 0;
  /// E*[log W_k] - log W_k, with W_k the sum of squares around the means in the input space.
  double gap = 0;
  /// Its standard error: that of the references' mean and of drawing so few of them.
  double gap_error = 0;
};

struct ClusterChoice {
  /// Of the largest stability. Numbers that the pairs cannot tell from it (their means lie within
  /// the sum of both standard errors) are held against it by their medians, then their means, then
  /// their silhouettes; the smallest of what is left. When no stability is known, the smallest
  /// number tried.
  std::size_t k = 0;
  std::vector<ClusterCountScore> scores = {};
  /// What the gap statistic would choose: the least k, from 1, with gap(k) >= gap(k+1) - error(k+1)
  /// among numbers tried without a hole; empty when there is none.
  std::optional<std::size_t> gap_k = std::nullopt;
  std::vector<std::string> warnings = {};
  /// `solved` when all runs were made; otherwise how the callback ended them. Then the choice is
  /// among the numbers that were done.
  Status status = Status::solved;
};

/// Chooses among clusterings of all rows that the caller made, in increasing order of k; `cluster`
/// makes those of subsamples and reference sets. Throws InvalidArgument for wrong options, without
/// a candidate, for candidates that do not rise in k or whose labels have another length than the
/// data. An InvalidArgument of `cluster` (points outside a kernel's domain, say) leaves the
/// stability of that k, or on a reference set the gap, undefined, with a warning; what else it
/// throws passes through.
[[nodiscard]] ClusterChoice choose_clusters(const Dataset& data,
                                            std::span<const ClusterCandidate> candidates,
                                            const ClusterFunction& cluster,
                                            const ChooseClustersOptions& options = {});

/// The same with candidates made by `cluster` with the seed of the options. A k that it refuses is
/// left out, with a warning; a run that it ends before its end ends the list. Throws
/// InvalidArgument when the data has fewer different points than options.least, and when every k is
/// refused.
[[nodiscard]] ClusterChoice choose_clusters(const Dataset& data,
                                            const ClusterFunction& cluster,
                                            const ChooseClustersOptions& options = {});

/// The numbers from `least` to `most` that the data has enough different points for.
[[nodiscard]] std::vector<std::size_t> cluster_counts_to_try(const Dataset& data,
                                                             std::size_t least,
                                                             std::size_t most);

}  // namespace maxmargin
