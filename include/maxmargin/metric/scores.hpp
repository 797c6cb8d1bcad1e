// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Metrics of real-valued answers: rankings by a score, and probabilities.
///
/// Common rules. `truth` holds class indices, -1 for an unlabelled row, which is left out. The
/// two-class functions take 1 as the positive class and 0 as the negative one, and a larger score
/// means "more positive". Lengths that differ, an index outside the classes, a NaN score, or a
/// weight that is negative or not finite throw InvalidArgument. NaN means undefined.
namespace maxmargin {

/// Area under the ROC curve: the probability that a random positive scores above a random negative,
/// a tie counting one half (Mann-Whitney). NaN unless both classes occur. O(n log n).
[[nodiscard]] MAXMARGIN_EXPORT double roc_auc(std::span<const std::int32_t> truth,
                                              std::span<const double> scores,
                                              std::span<const double> weights = {});

/// Average precision: the sum over the distinct scores, from high to low, of the recall gained
/// there times the precision reached there. It is the area under the step curve without
/// interpolation between its points (straight lines there would be too kind). Equal scores enter
/// together. NaN without positives.
[[nodiscard]] MAXMARGIN_EXPORT double average_precision(std::span<const std::int32_t> truth,
                                                        std::span<const double> scores,
                                                        std::span<const double> weights = {});

/// What calling everything with score >= threshold positive would give.
struct ThresholdPoint {
  double threshold = 0;
  double true_positive_rate = 0;   ///< recall
  double false_positive_rate = 0;  ///< 1 - specificity
  double precision = 0;            ///< NaN when nothing is called positive
  double f1 = 0;
};

/// One point for every distinct score from high to low, after a first one at +inf that calls
/// nothing positive. The points of the ROC and of the precision-recall curve.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<ThresholdPoint> threshold_curve(
    std::span<const std::int32_t> truth,
    std::span<const double> scores,
    std::span<const double> weights = {});

/// Mean of -log p(true class). `probabilities` has a row for every row of truth and a column for
/// every class. Values must lie in [0, 1]; rows need not sum to 1 and are not rescaled. A true
/// class of probability 0 gives +inf: nothing is clipped. NaN without rows.
[[nodiscard]] MAXMARGIN_EXPORT double log_loss(std::span<const std::int32_t> truth,
                                               DenseView probabilities,
                                               std::span<const double> weights = {});

/// Mean squared distance of the probability vector to the indicator of the true class, in [0, 2]
/// (Brier's original form). For two classes this is twice brier_score_binary.
[[nodiscard]] MAXMARGIN_EXPORT double brier_score(std::span<const std::int32_t> truth,
                                                  DenseView probabilities,
                                                  std::span<const double> weights = {});

/// Mean of (p - [truth is 1])^2 in [0, 1], the usual two-class form.
[[nodiscard]] MAXMARGIN_EXPORT double brier_score_binary(std::span<const std::int32_t> truth,
                                                         std::span<const double> probability,
                                                         std::span<const double> weights = {});

/// Fisher's ratio (m1 - m0)^2 / (v1 + v0) of real projections of two classes, with m the mean and v
/// the variance (divisor: the number of points) of each. Invariant under scaling and shifting of
/// the projections; larger is better separated; +inf when both classes are single, different
/// values. `truth` holds 0, 1 or -1 (left out). NaN unless both classes occur, or when all
/// projections are equal.
[[nodiscard]] MAXMARGIN_EXPORT double fisher_ratio(std::span<const double> projections,
                                                   std::span<const std::int32_t> truth);

}  // namespace maxmargin
