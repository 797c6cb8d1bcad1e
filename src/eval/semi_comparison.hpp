// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/semi/semi_supervised.hpp"

/// Whether unlabelled rows help: docs/guide/unlabelled-data.md.
namespace maxmargin {

/// What a comparison says of the unlabelled rows.
enum class SemiVerdict { cannot_tell, help, do_not_help };
template <>
inline constexpr auto names_of<SemiVerdict> =
    name_table<SemiVerdict>({{"cannot-tell", SemiVerdict::cannot_tell},
                             {"help", SemiVerdict::help},
                             {"do-not-help", SemiVerdict::do_not_help}});

/// A difference says something from so many of its standard errors on: a hint, no proof, as more of
/// them would leave most runs without an answer.
inline constexpr double telling_errors = 1;

struct SemiComparisonOptions {
  /// At least 2; with fewer labelled rows, as many folds as those.
  std::size_t folds = 5;
  /// Times that the rows are parted anew.
  std::size_t repeats = 4;
  /// Callback: asked before every fold; anything but yes: no more folds, and no figure.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// Shares of labelled rows that machines trained without their labels got right.
struct SemiComparison {
  /// Means over the repeats; empty when there is no such figure: `reason` says why.
  std::optional<double> supervised = std::nullopt;
  std::optional<double> semi_supervised = std::nullopt;
  /// Of their difference: from the differences of the rows.
  std::optional<double> standard_error = std::nullopt;
  std::size_t labelled = 0;
  std::string reason = {};
  /// How the trainings ended, the worst.
  Status status = Status::solved;

  [[nodiscard]] SemiVerdict verdict() const;
};

/// Cross-validates both machines that `train` hands back. In every fold the labels of its test rows
/// are hidden, and those rows are unlabelled rows like the others: the same setting as the training
/// of the whole. Folds are stratified and run one after the other. The repeats end after the first
/// one when both machines were right on the same rows, when the difference is plain, or when every
/// row is a fold of its own. No figure when a class has one labelled row alone, or when it or a
/// training was stopped.
[[nodiscard]] SemiComparison compare_semi_supervised(
    const Dataset& data,
    const std::function<TrainedSemiSupervised(const Dataset&)>& train,
    const SemiComparisonOptions& options = {});

}  // namespace maxmargin
