// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace maxmargin::tool {

/// What help lists below a command's options: its methods, metrics or built-in data sets, one
/// line each. Empty when there is nothing to list.
[[nodiscard]] std::string listing_for(std::string_view command);

}  // namespace maxmargin::tool
