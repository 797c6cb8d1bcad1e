// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace maxmargin {

/// Appends the shortest text that reads back as the same number (format_number without a string of
/// its own: files hold millions of them).
template <class Number>
void append_number(std::string& to, Number value) {
  std::array<char, 32> text;
  to.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

}  // namespace maxmargin
