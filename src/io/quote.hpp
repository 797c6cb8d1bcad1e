// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace maxmargin {

/// Text of a file for an error message: in quotes, control and non-ASCII bytes as \xNN, cut when
/// long; `when_empty` when it is empty.
[[nodiscard]] inline std::string quote(std::string_view text,
                                       std::string_view when_empty = "the end of the line") {
  if (text.empty()) return std::string(when_empty);
  constexpr std::size_t longest = 40;
  constexpr std::string_view hex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      quoted += c;
    } else {
      quoted += "\\x";
      quoted += hex[byte >> 4];
      quoted += hex[byte & 15];
    }
  }
  return quoted + (text.size() > longest ? "...\"" : "\"");
}

}  // namespace maxmargin
