// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/io/stream/input.hpp"

/// Property files: lines `key = value`, as Java programs are configured by
/// (docs/guide/property-files.md).
namespace maxmargin {

/// A line of a property file. Keys and values hold bytes; \uXXXX became UTF-8.
struct Property {
  std::string key = {};
  std::string value = {};
  /// Where it begins, from 1; 0 when it comes from nowhere.
  std::size_t line = 0;
};

/// The properties of a file, in its order; every key occurs once.
struct MAXMARGIN_EXPORT Properties {
  /// The file's name for messages.
  std::string source = {};
  std::vector<Property> entries = {};

  /// Unset when there is no such key.
  [[nodiscard]] const Property* find(std::string_view key) const noexcept;
};

/// Reads a property file. A line is `key = value`, `key : value` or `key value`; blanks around both
/// go. A line whose first character is # or ! is a comment. A line that ends in an odd number of
/// backslashes goes on in the next one, whose leading blanks go. In both parts \t \n \r \f are what
/// they are in C, \uXXXX is a character, and a backslash before anything else is that character.
/// Throws ParseError with the line for a key that was there already, an empty key, a NUL, and a
/// \u that is no character.
[[nodiscard]] MAXMARGIN_EXPORT Properties read_properties(Input& input);

/// The text that reads back as the same keys and values in the same order. Throws InvalidArgument
/// for an empty key, one that occurs twice, and a NUL.
[[nodiscard]] MAXMARGIN_EXPORT std::string to_text(const Properties& properties);

}  // namespace maxmargin
