// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/linalg/row.hpp"
#include "maxmargin/structured/task.hpp"

/// Sets of labels: docs/algorithms/multilabel.md.
namespace maxmargin {

/// For every label 1 if it is there, else 0.
using LabelFlags = std::vector<std::uint8_t>;

struct MultilabelOptions {
  /// A constant feature of this value for every label; finite, 0: none.
  double bias = 1;
  /// A weight for every pair of labels that are there together. Solved exactly, at most 20 labels.
  bool interactions = false;
};

/// One linear score a label, with the Hamming loss, and pairs of labels if wanted.
class MultilabelTask {
 public:
  using Input = Row;
  using Output = LabelFlags;

  static constexpr std::size_t most_labels_with_interactions = 20;

  /// For inputs of `features` columns. Throws InvalidArgument for wrong options and sizes.
  MultilabelTask(std::size_t features, std::size_t labels, const MultilabelOptions& options = {})
      : features_(features), labels_(labels), options_(options) {
    require_field(std::isfinite(options.bias), "MultilabelOptions.bias", options.bias, "finite");
    require(!options.interactions || labels <= most_labels_with_interactions,
            "MultilabelOptions.interactions = true with " + std::to_string(labels) +
                " labels, must be at most 20: their maximum is found by trying all sets");
    block_ = features + (options.bias != 0 ? 1 : 0);
    pairs_begin_ = checked_multiply(labels, block_);
    dimension_ = checked_add(pairs_begin_,
                             options.interactions && labels > 1 ? labels * (labels - 1) / 2 : 0);
  }

  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  [[nodiscard]] std::size_t labels() const { return labels_; }
  [[nodiscard]] std::size_t features() const { return features_; }
  [[nodiscard]] const MultilabelOptions& options() const { return options_; }

  void joint_features(const Row& x, const LabelFlags& y, FeatureVector& psi) const {
    check(y);
    for (std::size_t l = 0; l < labels_; ++l) {
      if (y[l] == 0) continue;
      const std::size_t begin = l * block_;
      x.for_each([&](std::size_t column, double value) {
        if (column < features_ && value != 0) psi.add(begin + column, value);
      });
      if (options_.bias != 0) psi.add(begin + features_, options_.bias);
      if (!options_.interactions) continue;
      for (std::size_t m = l + 1; m < labels_; ++m) {
        if (y[m] != 0) psi.add(pair(l, m), 1);
      }
    }
  }

  /// The number of labels in which they differ.
  [[nodiscard]] double loss(const LabelFlags& truth, const LabelFlags& other) const {
    check(truth);
    check(other);
    std::size_t wrong = 0;
    for (std::size_t l = 0; l < labels_; ++l) wrong += truth[l] != other[l] ? 1U : 0U;
    return static_cast<double>(wrong);
  }

  [[nodiscard]] LabelFlags predict(const Row& x, std::span<const double> w) const {
    std::vector<double> scores = label_scores(x, w);
    if (options_.interactions) {
      return best_of_all(
          scores, w, [](double score, std::size_t) { return score; }, LabelFlags(labels_, 0));
    }
    LabelFlags y(labels_);
    for (std::size_t l = 0; l < labels_; ++l) y[l] = scores[l] >= 0 ? 1 : 0;
    return y;
  }

  [[nodiscard]] LabelFlags loss_augmented_argmax(const Row& x,
                                                 const LabelFlags& truth,
                                                 std::span<const double> w) const {
    check(truth);
    std::vector<double> scores = label_scores(x, w);
    if (options_.interactions) {
      return best_of_all(
          scores,
          w,
          [](double score, std::size_t wrong) { return score + static_cast<double>(wrong); },
          truth);
    }
    LabelFlags y = truth;
    for (std::size_t l = 0; l < labels_; ++l) {
      if (margin(truth[l], scores[l]) < 1) flip(y, l);
    }
    return y;
  }

  [[nodiscard]] LabelFlags loss_scaled_argmax(const Row& x,
                                              const LabelFlags& truth,
                                              std::span<const double> w) const {
    check(truth);
    const std::vector<double> scores = label_scores(x, w);
    if (options_.interactions) {
      const double own = score_of(truth, scores, w);
      return best_of_all(
          scores,
          w,
          [own](double score, std::size_t wrong) {
            return static_cast<double>(wrong) * (1 + score - own);
          },
          truth);
    }
    // The e labels that lose least when wrong; e = 0 is the truth, of value 0.
    std::vector<std::size_t> order(labels_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t l) { return margin(truth[l], scores[l]); });
    double change = 0;
    double best = 0;
    std::size_t errors = 0;
    for (std::size_t e = 1; e <= labels_; ++e) {
      change -= margin(truth[order[e - 1]], scores[order[e - 1]]);
      const double value = static_cast<double>(e) * (1 + change);
      if (value <= best) continue;
      best = value;
      errors = e;
    }
    LabelFlags y = truth;
    for (std::size_t e = 0; e < errors; ++e) flip(y, order[e]);
    return y;
  }

  void for_each_output(const Row& /*x*/,
                       const std::function<void(const LabelFlags&)>& visit) const {
    require(labels_ <= most_labels_with_interactions,
            "MultilabelTask: too many labels to visit all sets");
    LabelFlags y(labels_);
    for (std::size_t set = 0; set < std::size_t{1} << labels_; ++set) {
      for (std::size_t l = 0; l < labels_; ++l) y[l] = static_cast<std::uint8_t>(set >> l & 1);
      visit(y);
    }
  }

  /// s_l for every label: what its being there adds, interactions aside.
  [[nodiscard]] std::vector<double> label_scores(const Row& x, std::span<const double> w) const {
    std::vector<double> scores(labels_);
    for (std::size_t l = 0; l < labels_; ++l) {
      const std::span<const double> own = w.subspan(l * block_, block_);
      scores[l] = x.dot(own.first(features_));
      if (options_.bias != 0) scores[l] += options_.bias * own.back();
    }
    return scores;
  }

 private:
  void check(const LabelFlags& y) const {
    require(y.size() == labels_, "MultilabelTask: an output must have a flag for every label");
  }
  static void flip(LabelFlags& y, std::size_t label) { y[label] = y[label] == 0 ? 1 : 0; }
  /// How far the score speaks for the flag.
  [[nodiscard]] static double margin(std::uint8_t flag, double score) {
    return flag != 0 ? score : -score;
  }
  /// Index of the pair l < m.
  [[nodiscard]] std::size_t pair(std::size_t l, std::size_t m) const {
    return pairs_begin_ + l * labels_ - l * (l + 1) / 2 + (m - l - 1);
  }
  /// What label l adds beside the others of y.
  [[nodiscard]] double score_beside(std::size_t label,
                                    const LabelFlags& y,
                                    std::span<const double> scores,
                                    std::span<const double> w) const {
    double sum = scores[label];
    for (std::size_t m = 0; m < labels_; ++m) {
      if (m == label || y[m] == 0) continue;
      sum += w[m < label ? pair(m, label) : pair(label, m)];
    }
    return sum;
  }
  [[nodiscard]] double score_of(const LabelFlags& y,
                                std::span<const double> scores,
                                std::span<const double> w) const {
    LabelFlags so_far(labels_, 0);
    double sum = 0;
    for (std::size_t l = 0; l < labels_; ++l) {
      if (y[l] == 0) continue;
      sum += score_beside(l, so_far, scores, w);
      so_far[l] = 1;
    }
    return sum;
  }

  /// The set of largest value(score, labels in which it differs from `truth`), all sets in the
  /// order of a Gray code: one label changes at a time.
  template <class Value>
  [[nodiscard]] LabelFlags best_of_all(std::span<const double> scores,
                                       std::span<const double> w,
                                       const Value& value,
                                       const LabelFlags& truth) const {
    LabelFlags y(labels_, 0);
    std::size_t wrong = 0;
    for (const std::uint8_t flag : truth) wrong += flag;
    double score = 0;
    LabelFlags best = y;
    double best_value = value(score, wrong);
    for (std::size_t set = 1; set < std::size_t{1} << labels_; ++set) {
      const auto label = static_cast<std::size_t>(std::countr_zero(set));
      const double change = score_beside(label, y, scores, w);
      score += y[label] == 0 ? change : -change;
      if (y[label] == truth[label]) {
        ++wrong;
      } else {
        --wrong;
      }
      flip(y, label);
      const double here = value(score, wrong);
      if (here <= best_value) continue;
      best_value = here;
      best = y;
    }
    return best;
  }

  std::size_t features_;
  std::size_t labels_;
  MultilabelOptions options_;
  std::size_t block_ = 0;
  std::size_t pairs_begin_ = 0;
  std::size_t dimension_ = 0;
};

static_assert(MarginRescalingTask<MultilabelTask> && SlackRescalingTask<MultilabelTask> &&
              EnumerableTask<MultilabelTask>);

}  // namespace maxmargin
