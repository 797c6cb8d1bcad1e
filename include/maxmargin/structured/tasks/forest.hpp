// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/partition.hpp"
#include "maxmargin/structured/latent_task.hpp"

/// Partitions by hidden forests: docs/algorithms/coreference.md.
namespace maxmargin {

/// Links that hold clusters together.
struct LinkForest {
  /// Of a truth the true clusters, of any other forest its trees.
  Partition clusters = {};
  /// Increasing, without a circle.
  std::vector<ItemPair> links = {};

  friend bool operator==(const LinkForest&, const LinkForest&) = default;
};

struct MAXMARGIN_EXPORT ForestOptions {
  /// What a wrong link costs beside a missing one; finite, > 0. Less pays for recall.
  double wrong_link = 1;

  /// Option wrong-link.
  void describe(OptionVisitor& visit);
};

/// Joint features are the sums of pair features over the links of a forest. Links are candidates:
/// listed pairs, and every item with the one before it. All argmaxes are exact. A truth is a forest
/// that completes true clusters, made by chain, random_completion or complete; all of them have the
/// same number of links, which the loss counts on.
class MAXMARGIN_EXPORT ForestTask {
 public:
  using Input = PartitionInput;
  using Output = LinkForest;
  static constexpr bool exact_oracle = true;

  /// Features of pairs have indices below `features`.
  explicit ForestTask(std::size_t features, const ForestOptions& options = {});

  [[nodiscard]] std::size_t dimension() const noexcept { return features_; }
  [[nodiscard]] const ForestOptions& options() const noexcept { return options_; }

  /// Throws InvalidArgument for a link that is no candidate.
  void joint_features(const Input& x, const Output& y, FeatureVector& psi) const;
  /// Missing links + wrong_link times wrong ones, of a truth that is complete. Throws
  /// InvalidArgument for a link beyond the items of the truth.
  [[nodiscard]] double loss(const Output& truth, const Output& other) const;
  [[nodiscard]] Output predict(const Input& x, std::span<const double> w) const;
  [[nodiscard]] Output loss_augmented_argmax(const Input& x,
                                             const Output& truth,
                                             std::span<const double> w) const;

  /// The best forest that completes the truth's clusters: its links lie within them and connect
  /// all that candidates can.
  [[nodiscard]] Output complete(const Input& x,
                                const Output& truth,
                                std::span<const double> w) const;
  /// Whether there is no other.
  [[nodiscard]] bool has_one_completion(const Input& x, const Output& truth) const;
  /// The one of random weights.
  [[nodiscard]] Output random_completion(const Input& x, const Output& truth, Rng& rng) const;
  /// The one that links every item of a cluster to the next one of it, where that is a candidate,
  /// and to near ones else.
  [[nodiscard]] Output chain(const Input& x, const Partition& clusters) const;

  /// Memory of an argmax.
  [[nodiscard]] std::size_t argmax_bytes(const Input& x) const;
  /// All forests of candidates: 1, 1, 2, 7, 38, 291, 2932, ... where all pairs are listed.
  void for_each_output(const Input& x, const std::function<void(const Output&)>& visit) const;

 private:
  std::size_t features_;
  ForestOptions options_;
};

static_assert(RandomlyCompletedTask<ForestTask> && PartlySeenTask<ForestTask> &&
              EnumerableTask<ForestTask> && MeasuredTask<ForestTask>);

}  // namespace maxmargin
