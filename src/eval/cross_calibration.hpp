// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/calibration/calibration.hpp"
#include "maxmargin/model/classifier.hpp"

/// Calibration on scores of rows that were not trained on: docs/algorithms/calibration.md.
namespace maxmargin {

/// Trains a classifier on the given rows: all options but the rows are the same in every call.
/// Called from several threads at once; a parallel loop inside it runs on the calling thread.
using ClassifierTrainer = std::function<TrainedClassifier(const Dataset& train)>;

struct CrossCalibrationOptions {
  CalibrationKind kind = CalibrationKind::platt;
  /// Stratified; >= 2.
  std::size_t folds = 5;
  /// Threads: folds run side by side. Callback: asked before the first fold and after each; its
  /// answer may end the run between folds.
  Context context = {};
  void describe(OptionVisitor& visit);
};

struct CrossCalibration {
  /// Empty when the run was stopped.
  std::optional<Calibration> calibration = std::nullopt;
  /// `solved` when all folds were trained; otherwise how the run ended.
  Status status = Status::solved;
};

/// Fits a calibration for `model`, which was trained on all of `data`: every row is given the
/// values of a machine that did not see it (one pass over the folds), and the curves are fitted on
/// those. Throws InvalidArgument when the data does not have the classes of the model, when a class
/// has fewer than two rows (it would be missing from a training part), and what the trainer throws.
[[nodiscard]] CrossCalibration cross_calibrate(const Classifier& model,
                                               const Dataset& data,
                                               const ClassifierTrainer& trainer,
                                               const CrossCalibrationOptions& options = {});

}  // namespace maxmargin
