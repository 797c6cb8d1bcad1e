// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"
#include "maxmargin/model/machine.hpp"

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
/// The machine again, of whatever kind. Throws ModelFormatError where there is none.
[[nodiscard]] MAXMARGIN_EXPORT Machine machine_of(const ModelDocument& document);

/// The parts of a document that is no supervised machine: a kernel expansion (under the names that
/// a machine's functions have) and a matrix of examples, dense or sparse as it is. What comes back
/// is checked and equal bit for bit; it throws ModelFormatError as classifier_of does.
MAXMARGIN_EXPORT void add_expansion(ModelDocument& document, KernelExpansion expansion);
[[nodiscard]] MAXMARGIN_EXPORT KernelExpansion expansion_of(ModelDocument document);
MAXMARGIN_EXPORT void add_examples(ModelDocument& document, std::string name, Examples examples);
[[nodiscard]] MAXMARGIN_EXPORT Examples examples_of(ModelDocument document, std::string_view name);

/// How the training ended: status, objectives, residuals, iterations and support vectors of every
/// machine. Seconds are left out, as a model does not depend on them.
MAXMARGIN_EXPORT void add_machine_reports(ModelDocument& document,
                                          const std::vector<MachineReport>& machines);
/// Empty when the document holds none; throws ModelFormatError when what it holds is broken.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<MachineReport> machine_reports_of(
    const ModelDocument& document);

/// The dual point of the training, by which the certificate can be recomputed. Adds nothing when it
/// is empty. Throws InvalidArgument when its functions have different numbers of rows.
MAXMARGIN_EXPORT void add_dual_point(ModelDocument& document, const DualPoint& point);
/// Empty when the document holds none; throws ModelFormatError unless it has this many functions
/// and rows, and finite numbers.
[[nodiscard]] MAXMARGIN_EXPORT DualPoint dual_point_of(ModelDocument document,
                                                       std::size_t functions,
                                                       std::size_t rows);

}  // namespace maxmargin
