// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/model/model_file.hpp"

#include "io/model/parts.hpp"
#include "io/stream/whole_input.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {

std::string unknown_version(std::string_view version) {
  return "this model has format version " + std::string(version) +
         ", and this maxmargin reads versions " + std::to_string(oldest_model_version) + " to " +
         std::to_string(model_version) + "; update maxmargin to read it";
}

bool looks_like_model(Input& input) {
  const std::string_view start = input.peek(model_text_magic.size());
  return start.starts_with(model_text_magic) || start.starts_with(model_binary_magic);
}

ModelDocument read_model(Input& input) {
  const bool binary = input.peek(model_binary_magic.size()) == model_binary_magic;
  if (!binary && input.peek(model_text_magic.size()) != model_text_magic) {
    throw ModelFormatError(input.name(),
                           {.line = 1, .column = 1},
                           "not a model file, expected '" + std::string(model_text_magic) + " " +
                               std::to_string(model_version) + "' or the start of a binary model");
  }
  const WholeInput whole(input);
  return binary ? parse_model_binary(input.name(), whole.bytes())
                : parse_model_text(input.name(), whole.bytes());
}

void write_model(const ModelDocument& model, OutputFile& output, ModelFormat format) {
  if (format == ModelFormat::binary) {
    write_model_binary(model, output);
  } else {
    write_model_text(model, output);
  }
}

}  // namespace maxmargin
