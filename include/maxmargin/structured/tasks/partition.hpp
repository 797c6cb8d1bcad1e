// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/partition.hpp"
#include "maxmargin/structured/task.hpp"

/// Partitions of items as outputs: docs/algorithms/partition.md.
namespace maxmargin {

enum class PartitionLoss {
  pairs,  ///< share of pairs that are together in one partition and apart in the other
  links   ///< links missing + wrong_link times links wrong, after the MITRE score
};
template <>
inline constexpr auto names_of<PartitionLoss> =
    name_table<PartitionLoss>({{"pairs", PartitionLoss::pairs}, {"links", PartitionLoss::links}});

struct MAXMARGIN_EXPORT PartitionOptions {
  PartitionLoss loss = PartitionLoss::pairs;
  /// What a wrong link costs beside a missing one, with PartitionLoss::links alone; finite, >= 0.
  /// Less pays for recall.
  double wrong_link = 1;
  /// Up to so many items that hang together the argmax is exact; at most 16. Larger is slower, by 3
  /// an item.
  std::size_t exact_items = 12;

  /// Options loss and wrong-link.
  void describe(OptionVisitor& visit);
};

/// Joint features are the sums of pair features within clusters, with the pair loss divided by the
/// number of all pairs, as that loss is. Prediction and the loss-augmented
/// argmax are exact for few items and a local search for more, so the task calls itself inexact.
class MAXMARGIN_EXPORT PartitionTask {
 public:
  using Input = PartitionInput;
  using Output = Partition;
  static constexpr bool exact_oracle = false;
  /// Largest exact_items, and most items of an ExactPartitionTask.
  static constexpr std::size_t most_exact_items = 16;

  /// Features of pairs have indices below `features`.
  explicit PartitionTask(std::size_t features, const PartitionOptions& options = {});

  [[nodiscard]] std::size_t dimension() const noexcept { return features_; }
  [[nodiscard]] const PartitionOptions& options() const noexcept { return options_; }

  void joint_features(const Input& x, const Output& y, FeatureVector& psi) const;
  /// Throws InvalidArgument for partitions of different lengths or not numbered by first items.
  [[nodiscard]] double loss(const Output& truth, const Output& other) const;
  [[nodiscard]] Output predict(const Input& x, std::span<const double> w) const;
  /// Never below the truth in loss + w.Phi, exact or not.
  [[nodiscard]] Output loss_augmented_argmax(const Input& x,
                                             const Output& truth,
                                             std::span<const double> w) const;
  /// Memory of the tables of an argmax, at most: those of all items that may hang together. Every
  /// argmax throws InvalidArgument for more than 20,000 that do, and when their tables take more
  /// than half of the machine's memory.
  [[nodiscard]] std::size_t argmax_bytes(const Input& x) const;
  /// All set partitions, in the order of their vectors: 1, 1, 2, 5, 15, 52, 203, 877, ... of them.
  void for_each_output(const Input& x, const std::function<void(const Output&)>& visit) const;

 private:
  std::size_t features_;
  PartitionOptions options_;
};

/// The same for inputs of at most 16 items; throws InvalidArgument for more. exact_items has no
/// effect.
class MAXMARGIN_EXPORT ExactPartitionTask : public PartitionTask {
 public:
  static constexpr bool exact_oracle = true;

  explicit ExactPartitionTask(std::size_t features, PartitionOptions options = {});

  [[nodiscard]] Output predict(const Input& x, std::span<const double> w) const;
  [[nodiscard]] Output loss_augmented_argmax(const Input& x,
                                             const Output& truth,
                                             std::span<const double> w) const;
};

static_assert(MarginRescalingTask<PartitionTask> && EnumerableTask<PartitionTask> &&
              MeasuredTask<PartitionTask>);
static_assert(MarginRescalingTask<ExactPartitionTask> && EnumerableTask<ExactPartitionTask>);

}  // namespace maxmargin
