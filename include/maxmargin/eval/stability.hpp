// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dataset.hpp"

/// How well a clustering is found again when the data changes a little: docs/guide/validators.md.
namespace maxmargin {

/// A clustering method: the cluster of every row of `data`, from 0, -1 for an outlier. `k` is the
/// number of clusters wanted (methods that find it by themselves ignore it) and `seed` stands for
/// everything random. Called from several threads at once, so calls must not share mutable state; a
/// parallel loop inside runs on the calling thread. What it learns from data beyond the clusters (a
/// kernel's width, say) must be fixed before, or the runs are of different methods. No labels at
/// all for data that has rows: the run was ended before its end, and its sample counts as not run.
/// An InvalidArgument says that the method refuses these rows.
using ClusterFunction = std::function<std::vector<std::int32_t>(
    const Dataset& data, std::size_t k, std::uint64_t seed)>;

struct MAXMARGIN_EXPORT StabilityOptions {
  /// Resamples, or pairs of subsamples; at least 1.
  std::size_t samples = 20;
  /// Share of the rows in a subsample, above 1/2 (any two then have rows in common) and at most 1.
  /// A bootstrap resample always has as many rows as the data.
  double share = 0.8;
  /// Threads: samples run side by side. Callback: asked before the first sample and after each.
  Context context = {};

  void describe(OptionVisitor& visit);
};

/// Adjusted Rand indices between clusterings that ought to be equal: 1 found again, 0 chance.
struct Stability {
  /// By sample; NaN where it was not run to its end, where the sample has fewer than k different
  /// points, and where the method refused it.
  std::vector<double> of_sample = {};
  /// Mean of those that have a value; NaN without any.
  double mean = 0;
  /// Why samples were refused, in one sentence.
  std::vector<std::string> warnings = {};
  /// `solved` when all samples ran; otherwise how the callback ended the run.
  Status status = Status::solved;
};

/// Draws pairs of subsamples without replacement, clusters both, and compares the clusters of the
/// rows they have in common. Outliers count as one more cluster. Throws InvalidArgument for wrong
/// options, for k = 0 and when `cluster` returns labels of another length. An InvalidArgument of
/// `cluster` leaves its sample undefined, with a warning; what else it throws passes through, of
/// several the one of the lowest pair.
[[nodiscard]] MAXMARGIN_EXPORT Stability subsample_stability(const Dataset& data,
                                                             std::size_t k,
                                                             const ClusterFunction& cluster,
                                                             const StabilityOptions& options = {});

/// Draws resamples with replacement, clusters each, and compares the clusters of the rows drawn
/// (each counted once) with `clusters`, the clustering of all rows. Otherwise as above.
[[nodiscard]] MAXMARGIN_EXPORT Stability bootstrap_stability(const Dataset& data,
                                                             std::span<const std::int32_t> clusters,
                                                             std::size_t k,
                                                             const ClusterFunction& cluster,
                                                             const StabilityOptions& options = {});

/// The adjusted Rand index of two clusterings of the same rows, outliers (-1) as a cluster of their
/// own on either side; NaN without rows.
[[nodiscard]] MAXMARGIN_EXPORT double clustering_agreement(std::span<const std::int32_t> first,
                                                           std::span<const std::int32_t> second);

}  // namespace maxmargin
