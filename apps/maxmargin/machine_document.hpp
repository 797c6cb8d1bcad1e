// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "learners.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/io/stream/input.hpp"

/// Supervised machines as model files, ours and those of LIBSVM and LIBLINEAR.
namespace maxmargin::tool {

/// The document of a trained machine: what prediction needs, the options as used, and how the
/// training on `data` ended.
[[nodiscard]] ModelDocument document_of(const LearnerSpec& learner,
                                        const TrainingAnswer& answer,
                                        const Dataset& data);

/// The document of a machine of which no more is known.
[[nodiscard]] ModelDocument document_of(const std::string& learner,
                                        TaskKind task,
                                        const Machine& machine);

/// A machine read from a file.
struct LoadedMachine {
  std::string learner = {};
  TaskKind task = TaskKind::classification;
  Machine machine = Classifier{};
  /// Empty for a file of another program.
  std::optional<ModelDocument> document = std::nullopt;
  /// Probabilities that the file of another program knows, which predicts by score all the same.
  std::optional<Calibration> calibration = std::nullopt;

  /// Files of LIBSVM do not say how many features there were: makes it at least so many.
  void widen(std::size_t features);
};

/// Is the document one that document_of made?
[[nodiscard]] bool holds_machine(const ModelDocument& document);
/// Throws ModelFormatError.
[[nodiscard]] LoadedMachine machine_of(const ModelDocument& document);
/// Reads a LIBSVM or LIBLINEAR model. Throws ModelFormatError.
[[nodiscard]] LoadedMachine foreign_machine_of(Input& input);

}  // namespace maxmargin::tool
