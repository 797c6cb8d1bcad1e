// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/io/model/model_file.hpp"

namespace maxmargin {

/// Adds the scaler to a model (fields and sections named scaler.*), or as the whole of a document
/// of the learner "scaler". Nothing is stored for the kind `none`.
MAXMARGIN_EXPORT void store_scaler(const Scaler& scaler, ModelDocument& model);

/// The scaler of a model; of the kind `none` when it has none. Throws ModelFormatError when what is
/// stored does not fit together.
[[nodiscard]] MAXMARGIN_EXPORT Scaler load_scaler(const ModelDocument& model);

}  // namespace maxmargin
