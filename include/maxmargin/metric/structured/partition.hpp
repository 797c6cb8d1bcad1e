// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "maxmargin/core/export.hpp"

/// Scores of predicted partitions, as coreference resolution has them:
/// docs/guide/metrics/partition.md.
///
/// A document has mentions; `key` and `response` give the cluster of every mention in the truth and
/// in the answer: any numbers >= 0, and -1 for a mention that this side does not have. Scores are
/// sums over documents, divided at the end, so long documents weigh more.
namespace maxmargin {

/// Two quotients and their harmonic mean. A zero denominator gives NaN.
struct MAXMARGIN_EXPORT PartitionScore {
  double recall_sum = 0;
  double recall_total = 0;
  double precision_sum = 0;
  double precision_total = 0;

  [[nodiscard]] double recall() const noexcept;
  [[nodiscard]] double precision() const noexcept;
  /// 2 P R / (P + R); 0 when both are 0, or one is and the other has no value; NaN when neither
  /// has a value.
  [[nodiscard]] double f1() const noexcept;
  void add(const PartitionScore& other) noexcept;
};

struct MAXMARGIN_EXPORT PartitionScores {
  std::size_t documents = 0;
  /// Mentions found, whatever their clusters.
  PartitionScore mentions = {};
  /// Pairs of mentions in one cluster.
  PartitionScore pairs = {};
  /// Links of Vilain et al. (MUC-6, also called MITRE).
  PartitionScore muc = {};
  /// Bagga and Baldwin, over mentions.
  PartitionScore b_cubed = {};
  /// Luo's best matching of clusters: by common mentions (phi 3) and by their share (phi 4).
  PartitionScore ceaf_mention = {};
  PartitionScore ceaf_entity = {};
  /// Pairs of mentions together on one side and not on the other, and all pairs.
  double wrong_pairs = 0;
  double all_pairs = 0;

  /// wrong_pairs / all_pairs.
  [[nodiscard]] double pair_loss() const noexcept;
  /// 1 - F1 of muc.
  [[nodiscard]] double muc_loss() const noexcept;
  /// Mean F1 of muc, b_cubed and ceaf_entity, as in the shared tasks CoNLL-2011 and 2012.
  [[nodiscard]] double conll_average() const noexcept;
  void add(const PartitionScores& other) noexcept;
};

/// Scores of one document. Throws InvalidArgument for lengths that differ or a number below -1, and
/// when the machine has no memory for a matching. O(n log n); O(k^3) and k^2 numbers for the
/// matchings of every k clusters that hang together by common mentions.
[[nodiscard]] MAXMARGIN_EXPORT PartitionScores
score_partition(std::span<const std::int32_t> key, std::span<const std::int32_t> response);

/// The same for partitions of the same items.
[[nodiscard]] MAXMARGIN_EXPORT PartitionScores
score_partition(std::span<const std::uint32_t> key, std::span<const std::uint32_t> response);

}  // namespace maxmargin
