// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/solver/structural/solution.hpp"

/// Where a training of a structural machine stands, in a file: docs/guide/checkpoints.md.
namespace maxmargin {

/// The state as a document. `run` says in words what the run is (data, options): another run does
/// not resume from it.
[[nodiscard]] ModelDocument state_document(const StructuralState& state, const std::string& run);

/// The state again, equal bit for bit. Throws ModelFormatError when the document is no state, is of
/// another run, or its parts do not fit together.
[[nodiscard]] StructuralState state_of(ModelDocument document, const std::string& run);

/// Writes the file whole or not at all, so that a run that is killed leaves the one before.
void write_state(const std::string& path, const StructuralState& state, const std::string& run);
[[nodiscard]] StructuralState read_state(const std::string& path, const std::string& run);

}  // namespace maxmargin
