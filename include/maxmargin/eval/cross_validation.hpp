// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/data/splits.hpp"
#include "maxmargin/eval/learner.hpp"
#include "maxmargin/metric/registry.hpp"

namespace maxmargin {

struct CrossValidationOptions {
  /// Threads: folds run side by side. Callback: asked before the first fold and after each; its
  /// answer may end the run between folds.
  Context context = {};
};

/// A metric on rows that were not trained on.
struct CrossValidation {
  /// By fold; NaN where the metric is undefined on the fold's test rows or the fold was not run.
  std::vector<double> of_fold = {};
  /// Mean of the folds that have a value; NaN without any.
  double mean = 0;
  /// Standard deviation of those values (divisor m - 1) over sqrt(m); NaN for fewer than two. The
  /// folds share training rows, so it understates the uncertainty a little.
  double standard_error = 0;
  /// The metric over all tested rows at once: for ratios such as F1 or AUC not the mean.
  double pooled = 0;
  /// Rows tested, increasing, and what was predicted for each of them.
  std::vector<std::size_t> tested_rows = {};
  Predictions out_of_fold = {};
  std::size_t folds_run = 0;
  /// `solved` when all folds ran; otherwise how the callback ended the run.
  Status status = Status::solved;
};

/// Runs the learner once for every fold and measures its predictions of the test rows. Example
/// weights of the data reach both the learner and the metric.
///
/// Throws InvalidArgument when the data is invalid or has no labels; when there is no fold, or a
/// fold has no training or no test rows, names a row that does not exist or tests a row it trains
/// on; when a row is tested by two folds; when a prediction is missing or malformed. An exception
/// of a learner passes through; of several, the one of the lowest fold.
[[nodiscard]] MAXMARGIN_EXPORT CrossValidation
cross_validate(const Dataset& data,
               std::span<const Fold> folds,
               const FoldLearner& learner,
               const Metric& metric,
               const CrossValidationOptions& options = {});

}  // namespace maxmargin
