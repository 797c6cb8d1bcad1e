// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "maxmargin/io/stream/input.hpp"

/// docs/guide/builtin-data.md, "Files of other kinds"
namespace maxmargin {

/// A file, or one of builtin_files() by "builtin:NAME". Throws InvalidArgument for another built-in
/// name, and as Input::open does.
[[nodiscard]] Input open_data_file(const std::string& where);

}  // namespace maxmargin
