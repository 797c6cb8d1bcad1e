// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/data/splits.hpp"
#include "maxmargin/eval/learner.hpp"
#include "maxmargin/metric/registry.hpp"

namespace maxmargin {

/// Checked data and folds with the truth laid ready: the common part of cross-validation and grid
/// search. Immutable after construction; used by several threads at once.
class FoldEvaluator {
 public:
  /// Keeps references. Checks what cross_validate promises to check; `function` names the caller.
  FoldEvaluator(std::string_view function,
                const Dataset& data,
                std::span<const Fold> folds,
                const Metric& metric,
                std::uint64_t seed);

  /// Trains on the given rows and predicts the fold's test rows; the predictions are checked,
  /// except unfinished ones.
  [[nodiscard]] Predictions predict(std::size_t fold,
                                    std::span<const std::size_t> train_rows,
                                    const FoldLearner& learner) const;
  /// The same for a learner that makes `count` sets of predictions at once.
  using ManyLearner = std::function<std::vector<Predictions>(
      const Dataset& train, const Dataset& test, const FoldContext&)>;
  [[nodiscard]] std::vector<Predictions> predict_many(std::size_t fold,
                                                      std::span<const std::size_t> train_rows,
                                                      std::size_t count,
                                                      const ManyLearner& learner) const;
  /// The metric of predictions for the given rows, in that order.
  [[nodiscard]] double measure(std::span<const std::size_t> rows,
                               const Predictions& predictions) const;

  [[nodiscard]] std::span<const Fold> folds() const noexcept { return folds_; }
  /// Class of each row, -1 unlabelled; empty when the metric compares real targets.
  [[nodiscard]] std::span<const std::int32_t> class_of_row() const noexcept {
    return classes_.of_row;
  }

 private:
  void check_data() const;
  void check_folds() const;
  void check_predictions(std::size_t fold, const Predictions& predictions) const;
  void check_labels(std::size_t fold, std::span<const std::int32_t> labels) const;
  [[noreturn]] void refuse(const std::string& problem) const;

  std::string_view function_;
  const Dataset& data_;
  std::span<const Fold> folds_;
  const Metric& metric_;
  std::uint64_t seed_;
  Classes classes_;
};

/// Mean, standard error and number of the values that are not NaN.
struct FoldSummary {
  double mean = 0;
  double standard_error = 0;
  std::size_t defined = 0;
};
[[nodiscard]] FoldSummary summarise_folds(std::span<const double> values);

}  // namespace maxmargin
