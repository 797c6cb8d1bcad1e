// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/problem/structural/feature_vector.hpp"
#include "maxmargin/structured/task.hpp"
#include "maxmargin/structured/tasks/chain_rules.hpp"

/// Labels for the positions of a sequence, chosen together: docs/algorithms/chain.md.
namespace maxmargin {

struct ChainOptions {
  /// At least 1.
  std::size_t labels = 1;
  /// Observed features of positions, and of steps between positions. An input's features beyond
  /// these have no weight and are ignored.
  std::size_t features = 0;
  std::size_t step_features = 0;
  /// 1: weights of neighbouring labels. 2: of three in a row, too; labels times slower. 0: neither,
  /// so that only rules and features of steps tie positions together.
  std::size_t order = 1;
  /// Weights of the first and of the last label (order 2: of the first two and the last two, too).
  bool begin = true;
  bool end = true;
  /// What it costs to predict b where a is true, at [a * labels + b]: finite, >= 0, 0 where a = b.
  /// Empty: 1 for every wrong label, the Hamming loss.
  std::vector<double> costs = {};
  ChainRules rules = {};
};

/// Costs of a weight for every label: any wrong label costs the weight of the true one.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> costs_of_label_weights(
    std::span<const double> weights);

struct ScoredLabels {
  LabelSequence labels = {};
  double score = 0;
};

/// The linear chain. Every argmax is exact; ties go to the smallest label, at the last position
/// first. What takes labels throws InvalidArgument when there is not one below `labels` for every
/// position; what takes w, when it has not dimension() numbers; an argmax, when the rules leave no
/// output of that length or w is not finite.
class MAXMARGIN_EXPORT ChainTask {
 public:
  using Input = Sequence;
  using Output = LabelSequence;
  static constexpr bool exact_oracle = true;

  /// Throws InvalidArgument naming the field.
  explicit ChainTask(ChainOptions options);

  [[nodiscard]] const ChainOptions& options() const noexcept { return options_; }
  [[nodiscard]] std::size_t labels() const noexcept { return options_.labels; }
  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }

  void joint_features(const Sequence& x, const LabelSequence& y, FeatureVector& psi) const;
  /// Phi(x, y) - Phi(x, rival), from where they differ alone.
  void feature_difference(const Sequence& x,
                          const LabelSequence& y,
                          const LabelSequence& rival,
                          FeatureVector& psi) const;
  [[nodiscard]] double loss(const LabelSequence& truth, const LabelSequence& predicted) const;
  /// w.Phi(x, y)
  [[nodiscard]] double score(const Sequence& x,
                             const LabelSequence& y,
                             std::span<const double> w) const;

  [[nodiscard]] LabelSequence predict(const Sequence& x, std::span<const double> w) const;
  [[nodiscard]] LabelSequence loss_augmented_argmax(const Sequence& x,
                                                    const LabelSequence& truth,
                                                    std::span<const double> w) const;
  /// Throws InvalidArgument when costs are not whole multiples of one unit (cost_unit()).
  [[nodiscard]] LabelSequence loss_scaled_argmax(const Sequence& x,
                                                 const LabelSequence& truth,
                                                 std::span<const double> w) const;
  /// Memory of the tables of an argmax; with a truth, of loss_scaled_argmax. Every argmax throws
  /// InvalidArgument when its tables take more than half of the machine's memory.
  [[nodiscard]] std::size_t argmax_bytes(const Sequence& x) const;
  [[nodiscard]] std::size_t loss_scaled_argmax_bytes(const Sequence& x,
                                                     const LabelSequence& truth) const;
  /// The outputs that the rules allow, by labels, the first position first.
  void for_each_output(const Sequence& x,
                       const std::function<void(const LabelSequence&)>& visit) const;

  /// The outputs of largest score, best first: `count`, or as many as there are. The first is what
  /// predict says.
  [[nodiscard]] std::vector<ScoredLabels> n_best(const Sequence& x,
                                                 std::span<const double> w,
                                                 std::size_t count) const;
  /// For every position: the best score less the best of outputs with another label there than
  /// predict has. Infinite where no other label is possible.
  [[nodiscard]] std::vector<double> margins(const Sequence& x, std::span<const double> w) const;

  /// The largest number of which every cost is a whole multiple, where one was found.
  [[nodiscard]] std::optional<double> cost_unit() const noexcept { return cost_unit_; }
  /// What predicting b costs where a is true, for all b.
  [[nodiscard]] std::span<const double> costs_of(std::size_t truth) const {
    return std::span(options_.costs).subspan(truth * labels(), labels());
  }

  // Where weights lie: those of one feature side by side for all labels.
  [[nodiscard]] std::size_t emission_index(std::size_t feature, std::size_t label) const noexcept {
    return feature * labels() + label;
  }
  [[nodiscard]] std::size_t step_index(std::size_t feature,
                                       std::size_t before,
                                       std::size_t label) const noexcept {
    return steps_ + (feature * labels() + before) * labels() + label;
  }
  /// Not with order 0.
  [[nodiscard]] std::size_t pair_index(std::size_t before, std::size_t label) const noexcept {
    return pairs_ + before * labels() + label;
  }
  /// With `begin` and `end` alone; pairs and triples with order 2 alone.
  [[nodiscard]] std::size_t begin_index(std::size_t label) const noexcept { return begin_ + label; }
  [[nodiscard]] std::size_t end_index(std::size_t label) const noexcept { return end_ + label; }
  [[nodiscard]] std::size_t begin_pair_index(std::size_t first, std::size_t second) const noexcept {
    return begin_pairs_ + first * labels() + second;
  }
  [[nodiscard]] std::size_t end_pair_index(std::size_t before, std::size_t last) const noexcept {
    return end_pairs_ + before * labels() + last;
  }
  [[nodiscard]] std::size_t triple_index(std::size_t two_before,
                                         std::size_t before,
                                         std::size_t label) const noexcept {
    return triples_ + (two_before * labels() + before) * labels() + label;
  }

 private:
  void check(const Sequence& x, const LabelSequence& y) const;
  void check(std::span<const double> w) const;
  /// Phi(x, y) times factor, without the parts that `other` has as well.
  void add_parts(const Sequence& x,
                 const LabelSequence& y,
                 const LabelSequence* other,
                 double factor,
                 FeatureVector& psi) const;

  ChainOptions options_;
  std::optional<double> cost_unit_;
  std::size_t steps_ = 0;
  std::size_t pairs_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t triples_ = 0;
  std::size_t begin_pairs_ = 0;
  std::size_t end_pairs_ = 0;
  std::size_t dimension_ = 0;
};

static_assert(MarginRescalingTask<ChainTask> && SlackRescalingTask<ChainTask> &&
              EnumerableTask<ChainTask> && FeatureDifferenceTask<ChainTask> &&
              MeasuredTask<ChainTask>);

}  // namespace maxmargin
