// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/core/export.hpp"
#include "maxmargin/metric/confusion.hpp"

/// Metrics of predicted classes. Values are shares in [0, 1] unless said otherwise; NaN means
/// "undefined": the denominator is zero.
namespace maxmargin {

// Two classes -------------------------------------------------------------------------------

/// TP / (TP + FN): the share of the positives that were found. SN of Merat 3.3; also recall.
[[nodiscard]] MAXMARGIN_EXPORT double sensitivity(const BinaryCounts& counts);
/// TN / (TN + FP): the share of the negatives left alone, the classical specificity. nSN of
/// Merat 3.3. Not the "SP" of the bioinformatics papers, which is precision.
[[nodiscard]] MAXMARGIN_EXPORT double specificity(const BinaryCounts& counts);
/// TP / (TP + FP): the share of the positive answers that are right. SP of Merat 3.3.
[[nodiscard]] MAXMARGIN_EXPORT double precision(const BinaryCounts& counts);
/// TN / (TN + FN): the share of the negative answers that are right. nSP of Merat 3.3.
[[nodiscard]] MAXMARGIN_EXPORT double negative_predictive_value(const BinaryCounts& counts);
/// The same as sensitivity.
[[nodiscard]] MAXMARGIN_EXPORT double recall(const BinaryCounts& counts);
/// 2 TP / (2 TP + FP + FN), the harmonic mean of precision and recall; 0 when TP = 0 and there are
/// errors, NaN when there is neither a positive row nor a positive answer.
[[nodiscard]] MAXMARGIN_EXPORT double f1(const BinaryCounts& counts);

/// The four measures of Merat 3.3 under the names used there.
struct MeratMeasures {
  double sn = 0;   ///< sensitivity
  double sp = 0;   ///< precision (not the classical specificity)
  double nsn = 0;  ///< classical specificity
  double nsp = 0;  ///< negative predictive value
};
[[nodiscard]] MAXMARGIN_EXPORT MeratMeasures merat_measures(const BinaryCounts& counts);

// Any number of classes ---------------------------------------------------------------------

/// Share of the rows predicted right; NaN without rows.
[[nodiscard]] MAXMARGIN_EXPORT double accuracy(const ConfusionMatrix& confusion);
/// 1 - accuracy, counted from the errors.
[[nodiscard]] MAXMARGIN_EXPORT double error_rate(const ConfusionMatrix& confusion);
/// 100 * accuracy: the name this has in secondary-structure prediction (three classes there).
[[nodiscard]] MAXMARGIN_EXPORT double q3(const ConfusionMatrix& confusion);
/// Mean recall over the classes that occur in the truth; NaN without rows.
[[nodiscard]] MAXMARGIN_EXPORT double balanced_accuracy(const ConfusionMatrix& confusion);
/// Matthews correlation in [-1, 1], in Gorodkin's form for several classes; for two it is
/// (TP TN - FP FN) / sqrt((TP+FP)(TP+FN)(TN+FP)(TN+FN)). NaN when the truth or the prediction is
/// one class alone. Unanswered rows are a further column of the table.
[[nodiscard]] MAXMARGIN_EXPORT double matthews_correlation(const ConfusionMatrix& confusion);

/// Macro averages: the plain mean over the classes that occur in the truth or in the prediction. A
/// class without positive answers has precision 0 here, one without rows recall 0.
[[nodiscard]] MAXMARGIN_EXPORT double macro_precision(const ConfusionMatrix& confusion);
[[nodiscard]] MAXMARGIN_EXPORT double macro_recall(const ConfusionMatrix& confusion);
/// The mean of the classes' F1 (not the F1 of the mean precision and recall).
[[nodiscard]] MAXMARGIN_EXPORT double macro_f1(const ConfusionMatrix& confusion);
/// F1 of the counts summed over classes. Equals the accuracy when every row was answered.
[[nodiscard]] MAXMARGIN_EXPORT double micro_f1(const ConfusionMatrix& confusion);

// Two learners ------------------------------------------------------------------------------

/// (baseline - improved) / baseline, for error rates; NaN for a baseline of 0.
[[nodiscard]] MAXMARGIN_EXPORT double relative_improvement(double baseline, double improved);

/// Share of wrong predictions among the rows the learner saw without a label: `given` is -1 there,
/// and the class elsewhere. Rows without a known truth (-1) are left out; a prediction of -1 is
/// wrong. NaN when no such row exists. Throws InvalidArgument for lengths that differ or a number
/// below -1.
[[nodiscard]] MAXMARGIN_EXPORT double transductive_error(std::span<const std::int32_t> truth,
                                                         std::span<const std::int32_t> predicted,
                                                         std::span<const std::int32_t> given);

}  // namespace maxmargin
