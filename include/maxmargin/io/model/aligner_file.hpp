// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/export.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/model/structured/aligner.hpp"

/// Aligners in model files (docs/guide/model-file.md).
namespace maxmargin {

/// Adds all that prediction needs. Weights that are 0 take no room.
MAXMARGIN_EXPORT void add_aligner(ModelDocument& document, const Aligner& aligner);

/// The aligner again, equal bit for bit. Throws ModelFormatError when something is missing or does
/// not fit the rest.
[[nodiscard]] MAXMARGIN_EXPORT Aligner aligner_of(const ModelDocument& document);

}  // namespace maxmargin
