// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/semi/semi_supervised.hpp"

/// Whether unlabelled rows help: docs/guide/unlabelled-data.md.
namespace maxmargin {

/// With fewer labelled rows than this a difference of cross-validated figures says nothing.
inline constexpr std::size_t labels_to_compare = 30;

struct SemiComparisonOptions {
  /// At least 2; with fewer labelled rows, as many folds as those.
  std::size_t folds = 5;
  /// Callback: asked before every fold; anything but yes: no more folds, and no figure.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// Shares of labelled rows that machines trained without their labels got right.
struct SemiComparison {
  /// Empty when there is no such figure: `reason` says why.
  std::optional<double> supervised = std::nullopt;
  std::optional<double> semi_supervised = std::nullopt;
  std::size_t labelled = 0;
  std::string reason = {};
  /// How the trainings ended, the worst.
  Status status = Status::solved;

  /// Enough labels to tell, and the supervised machine was right more often.
  [[nodiscard]] bool supervised_is_better() const {
    return supervised && labelled >= labels_to_compare && *supervised > *semi_supervised;
  }
};

/// Cross-validates both machines that `train` hands back. In every fold the labels of its test rows
/// are hidden, and those rows are unlabelled rows like the others: the same setting as the training
/// of the whole. Folds are stratified and run one after the other. No figure when a class has one
/// labelled row alone, or when it or a training was stopped.
[[nodiscard]] SemiComparison compare_semi_supervised(
    const Dataset& data,
    const std::function<TrainedSemiSupervised(const Dataset&)>& train,
    const SemiComparisonOptions& options = {});

}  // namespace maxmargin
