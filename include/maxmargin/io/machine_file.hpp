// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/io/model_file.hpp"
#include "maxmargin/model/classifier.hpp"

/// Supervised machines in model files (docs/guide/model-file.md, "Supervised machines").
namespace maxmargin {

/// Adds everything that prediction and inspection need to a document, under fixed names. Throw
/// InvalidArgument when the parts of the model do not fit together, and for a kernel that no file
/// can hold (rank_one: its function is code). Of a precomputed kernel the number of columns is
/// kept, not the matrix.
MAXMARGIN_EXPORT void add_classifier(ModelDocument& document, Classifier model);
MAXMARGIN_EXPORT void add_regressor(ModelDocument& document, Regressor model);

/// The model again, equal bit for bit. Large parts move out of a document that is given up
/// (`std::move`). Throw ModelFormatError, naming the file and the field, when something is missing,
/// out of range or does not fit the rest. A precomputed kernel comes back with a matrix of no rows
/// and the n columns of the training: put the m x n matrix of new examples in its place.
[[nodiscard]] MAXMARGIN_EXPORT Classifier classifier_of(ModelDocument document);
[[nodiscard]] MAXMARGIN_EXPORT Regressor regressor_of(ModelDocument document);

/// What a document holds beside its learner's name.
enum class MachineKind { none, classifier, regressor };
/// Throws ModelFormatError for a kind of machine this library does not know.
[[nodiscard]] MAXMARGIN_EXPORT MachineKind machine_kind(const ModelDocument& document);

/// How the training ended: status, objectives, residuals, iterations and support vectors of every
/// machine. Seconds are left out, as a model does not depend on them.
MAXMARGIN_EXPORT void add_machine_reports(ModelDocument& document,
                                          const std::vector<MachineReport>& machines);
/// Empty when the document holds none; throws ModelFormatError when what it holds is broken.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<MachineReport> machine_reports_of(
    const ModelDocument& document);

}  // namespace maxmargin
