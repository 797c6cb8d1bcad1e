// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/label.hpp"
#include "maxmargin/metric/confusion.hpp"

/// Measures of predicted sets of labels: docs/guide/metrics/multilabel.md. NaN means undefined.
namespace maxmargin {

/// What all measures are made of. Precision, recall and F1 of single labels are those of
/// metric/classification.hpp on `of_label`.
struct MAXMARGIN_EXPORT MultilabelCounts {
  /// The labels counted, sorted.
  std::vector<Label> labels = {};
  /// For each of them, over all rows.
  std::vector<BinaryCounts> of_label = {};
  std::size_t rows = 0;
  /// Rows whose predicted set is the true one.
  std::size_t exact = 0;

  MultilabelCounts() = default;
  /// One set a row, sorted, each label once. Counted are the labels that occur in either, and those
  /// of `known` (of the model, say), which changes the Hamming loss alone. Throws InvalidArgument
  /// for numbers of rows that differ and a set that is not sorted.
  MultilabelCounts(std::span<const std::vector<Label>> truth,
                   std::span<const std::vector<Label>> predicted,
                   std::span<const Label> known = {});
};

/// Share of the pairs (row, label) that are wrong; NaN without rows or labels.
[[nodiscard]] MAXMARGIN_EXPORT double hamming_loss(const MultilabelCounts& counts);
/// Share of the rows whose set is right; NaN without rows.
[[nodiscard]] MAXMARGIN_EXPORT double subset_accuracy(const MultilabelCounts& counts);
/// F1 of the counts summed over labels; NaN when no label occurs.
[[nodiscard]] MAXMARGIN_EXPORT double micro_f1(const MultilabelCounts& counts);
/// Mean F1 over the labels that occur in the truth or in the prediction; NaN when none does.
[[nodiscard]] MAXMARGIN_EXPORT double macro_f1(const MultilabelCounts& counts);

}  // namespace maxmargin
