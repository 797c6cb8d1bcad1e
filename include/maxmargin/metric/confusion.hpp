// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/core/export.hpp"

namespace maxmargin {

/// How often (or with what weight) each class was predicted as each class. Metrics of predicted
/// labels are functions of this table alone (classification.hpp).
///
/// A row whose truth is -1 is unlabelled and left out. A prediction of -1 is "no answer": it is
/// kept apart and counts as an error of its true class. Cells that are 0 take no memory, so that
/// there may be many classes.
class MAXMARGIN_EXPORT ConfusionMatrix {
 public:
  /// All zero. Requires classes >= 1.
  explicit ConfusionMatrix(std::size_t classes);
  /// Counts the pairs. Without `classes` there are as many as the largest index asks for (at least
  /// one). Without weights every row weighs 1. Throws InvalidArgument for lengths that differ, an
  /// index below -1 or not below `classes`, a weight that is negative or not finite.
  ConfusionMatrix(std::span<const std::int32_t> truth,
                  std::span<const std::int32_t> predicted,
                  std::span<const double> weights = {},
                  std::size_t classes = 0);

  /// Adds one row of data; the same checks as the constructor's.
  void add(std::int32_t truth, std::int32_t predicted, double weight = 1);

  [[nodiscard]] std::size_t classes() const noexcept { return classes_; }
  /// Weight of the rows of class `truth` predicted as `predicted`.
  [[nodiscard]] double at(std::size_t truth, std::size_t predicted) const;
  /// visit(predicted, weight) for the classes that rows of class `truth` were predicted as,
  /// ascending.
  template <class Visit>
  void for_each_answer(std::size_t truth, const Visit& visit) const {
    const auto end = counts_.lower_bound({truth, classes_});
    for (auto cell = counts_.lower_bound({truth, 0}); cell != end; ++cell) {
      visit(cell->first.second, cell->second);
    }
  }
  /// Weight of the rows of class `truth` predicted as -1.
  [[nodiscard]] double unanswered(std::size_t truth) const;
  /// Weight of all rows of class `truth`, answered or not.
  [[nodiscard]] double truth_total(std::size_t truth) const;
  /// Weight of all rows predicted as each class. All at once: a single one takes as long.
  [[nodiscard]] std::vector<double> predicted_totals() const;
  [[nodiscard]] double total() const;
  /// The diagonal's sum.
  [[nodiscard]] double correct() const;

 private:
  /// Truth and prediction, or `classes_` for "no answer".
  using Place = std::pair<std::size_t, std::size_t>;
  [[nodiscard]] double count(const Place& place) const;

  std::size_t classes_;
  std::map<Place, double> counts_;
};

/// The four counts of a two-class question "is it the positive class?".
struct BinaryCounts {
  double true_positive = 0;
  double false_positive = 0;
  double false_negative = 0;
  double true_negative = 0;

  /// The same counts with the roles of the two classes exchanged.
  [[nodiscard]] BinaryCounts swapped() const noexcept {
    return {true_negative, false_negative, false_positive, true_positive};
  }
};

/// One class against the rest. A row without an answer counts as answered "not positive".
/// Requires positive < classes.
[[nodiscard]] MAXMARGIN_EXPORT BinaryCounts one_against_rest(const ConfusionMatrix& confusion,
                                                             std::size_t positive);

/// one_against_rest of every class, in the time of one. true_negative is what the others leave of
/// the whole, so that it may differ by rounding where weights are no integers.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<BinaryCounts> each_against_rest(
    const ConfusionMatrix& confusion);

/// Counts of a search for outliers; -1 marks an outlier in both lists, anything else an ordinary
/// point. precision(), recall() and f1() of classification.hpp take it from here. For a ranking by
/// a score, give roc_auc, average_precision or threshold_curve a truth of 1 for outliers, and a
/// score that grows with suspicion (minus eta, for an eta that is small for outliers).
[[nodiscard]] MAXMARGIN_EXPORT BinaryCounts outlier_counts(std::span<const std::int32_t> truth,
                                                           std::span<const std::int32_t> found);

}  // namespace maxmargin
