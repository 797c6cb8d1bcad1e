// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace maxmargin {

/// The whole number that fills all of `text`, digits alone: options take no sign.
[[nodiscard]] std::optional<std::uint64_t> parse_whole(std::string_view text);

}  // namespace maxmargin
