// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "maxmargin/io/table/read_data.hpp"

namespace maxmargin {

/// Throws FileError when the input is empty, and ParseError when its first part holds bytes that no
/// text has: "binary data (...); expected ...". Consumes nothing.
void require_text(Input& input, std::string_view expected);
/// May a table consist of labels (and weights) alone?
enum class Features { needed, not_needed };
/// read_data, and with `not_needed` also of such a table.
[[nodiscard]] Dataset read_data_of(Input& input, const ReadOptions& options, Features features);
/// ';' when the first line that is no comment has more of them than commas, else ','. Consumes
/// nothing.
[[nodiscard]] char csv_delimiter(Input& input);

}  // namespace maxmargin
