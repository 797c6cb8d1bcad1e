// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "maxmargin/io/input.hpp"

namespace maxmargin::detail {

/// Throws FileError when the input is empty, and ParseError when its first part holds bytes that no
/// text has: "binary data (...); expected ...". Consumes nothing.
void require_text(Input& input, std::string_view expected);
/// ';' when the first line that is no comment has more of them than commas, else ','. Consumes
/// nothing.
[[nodiscard]] char csv_delimiter(Input& input);

}  // namespace maxmargin::detail
