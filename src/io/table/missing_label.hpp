// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace maxmargin {

/// Does this text of a label say that there is none? `?`, nothing, and what programs write for a
/// missing value: as a class of its own it would be an answer. Na and Null are names.
[[nodiscard]] inline bool is_missing_label(std::string_view text) noexcept {
  constexpr std::array<std::string_view, 10> words = {
      "", "?", "NaN", "nan", "NAN", "NULL", "null", "NA", "<NA>", "N/A"};
  return std::ranges::find(words, text) != words.end();
}

}  // namespace maxmargin
