// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Text and numbers for SVG documents.
namespace maxmargin::svg {

/// `text` for an XML document: markup characters escaped, characters XML forbids and bytes that are
/// not UTF-8 replaced by "?".
[[nodiscard]] std::string escaped(std::string_view text);

/// At most `limit` characters of `text`; a longer one ends in "...".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t limit);

/// Number of UTF-8 characters.
[[nodiscard]] std::size_t length(std::string_view text);

/// A coordinate in pixels with at most two decimals.
[[nodiscard]] std::string pixels(double value);

/// One mark of an axis.
struct Tick {
  double value = 0;
  std::string text = {};
};

/// Round numbers (1, 2 or 5 times a power of ten apart) within [low, high], about `wanted` of them.
/// Requires low < high, both finite.
[[nodiscard]] std::vector<Tick> round_ticks(double low, double high, std::size_t wanted);

}  // namespace maxmargin::svg
