// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

#include "maxmargin/core/export.hpp"
#include "maxmargin/io/input.hpp"
#include "maxmargin/io/model_file.hpp"
#include "maxmargin/io/output.hpp"
#include "maxmargin/model/classifier.hpp"

/// Supervised machines in model files (docs/guide/model-file.md).
namespace maxmargin {

/// Adds everything that prediction and inspection need to a document, under fixed names.
MAXMARGIN_EXPORT void add_classifier(ModelDocument& document, const Classifier& model);
MAXMARGIN_EXPORT void add_regressor(ModelDocument& document, const Regressor& model);
/// The parts again. Throw ModelFormatError when something is missing or does not fit together.
[[nodiscard]] MAXMARGIN_EXPORT Classifier classifier_of(const ModelDocument& document);
[[nodiscard]] MAXMARGIN_EXPORT Regressor regressor_of(const ModelDocument& document);

/// How the training ended: objectives, iterations, support vectors of every machine.
MAXMARGIN_EXPORT void add_machine_reports(ModelDocument& document,
                                          const std::vector<MachineReport>& machines);
[[nodiscard]] MAXMARGIN_EXPORT std::vector<MachineReport> machine_reports_of(
    const ModelDocument& document);

}  // namespace maxmargin
