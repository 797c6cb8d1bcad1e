// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/linalg/row.hpp"

/// Strings as examples: entry j of a row is byte j of its string plus 1, so that no entry is 0 and
/// rows end with their strings. Kernels of strings read them; the entries are no features.
namespace maxmargin {

/// One string a row, sparse; as many columns as the longest has bytes.
[[nodiscard]] MAXMARGIN_EXPORT Examples encode_strings(std::span<const std::string> strings);

/// The string of a row. Throws InvalidArgument for a row that is none.
[[nodiscard]] MAXMARGIN_EXPORT std::string decode_string(const Row& row);

}  // namespace maxmargin
