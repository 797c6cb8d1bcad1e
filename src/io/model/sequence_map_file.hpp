// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "maxmargin/data/text/sequence_map.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/io/stream/input.hpp"

/// Templates in files, and the map from text to sequences in model files
/// (docs/guide/sequence-templates.md).
namespace maxmargin {

/// Reads a template file. Throws ParseError as parse_templates does, and what Input throws.
[[nodiscard]] FeatureTemplates read_templates(Input& input);

/// The standard templates of that name, or those of the file at that path when no standard ones
/// have the name.
[[nodiscard]] FeatureTemplates find_templates(const std::string& name_or_path);

/// Adds the map to a model (fields and sections named map.*). Throws InvalidArgument for an index
/// that is not frozen.
void store_sequence_map(const SequenceMap& map, ModelDocument& model);

/// The map again: it makes the same sequences of the same text. Throws ModelFormatError when
/// something is missing or does not fit together.
[[nodiscard]] SequenceMap load_sequence_map(const ModelDocument& model);

/// Does the model hold a map? One that was trained on numbers (SVM-hmm files) holds none.
[[nodiscard]] bool has_sequence_map(const ModelDocument& model);

}  // namespace maxmargin
