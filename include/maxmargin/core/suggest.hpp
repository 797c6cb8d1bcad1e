// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "maxmargin/core/export.hpp"

/// Help for mistyped names.
namespace maxmargin {

/// Least number of letters to insert, delete or change, or of neighbours to swap, that turns `a`
/// into `b`. Case does not count. Time |a| |b|.
[[nodiscard]] MAXMARGIN_EXPORT std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name nearest to `word` by edit_distance, the first of equals; empty when none is
/// within a third of the longer one's length (at least one letter).
[[nodiscard]] MAXMARGIN_EXPORT std::string_view nearest_name(
    std::string_view word, std::span<const std::string_view> known);

/// "; did you mean circles? Known: iris, circles, moons" for the end of an error message; without
/// the question when nothing is near.
[[nodiscard]] MAXMARGIN_EXPORT std::string suggest_names(std::string_view word,
                                                         std::span<const std::string_view> known);

}  // namespace maxmargin
