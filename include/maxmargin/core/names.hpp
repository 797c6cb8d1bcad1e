// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/suggest.hpp"

/// Enumerations by name: one table each, beside the enumeration, from which messages, help,
/// completion, options and model files take it.
///
///   enum class Linkage { single, complete };
///   template <>
///   inline constexpr auto names_of<Linkage> = name_table<Linkage>(
///       {{{"single", Linkage::single}, {"complete", Linkage::complete}}});
namespace maxmargin {

template <class E>
struct Name {
  std::string_view name;
  E value;
};

template <class E, std::size_t n>
constexpr std::array<Name<E>, n> name_table(const std::array<Name<E>, n>& table) {
  return table;
}
template <class E, std::size_t n>
constexpr std::array<Name<E>, n> name_table(const Name<E> (&table)[n]) {
  std::array<Name<E>, n> copy{};
  for (std::size_t i = 0; i < n; ++i) copy[i] = table[i];
  return copy;
}

/// Specialised beside every enumeration that users meet.
template <class E>
inline constexpr int names_of = 0;

/// An enumeration with a table of names.
template <class E>
concept Named = std::is_enum_v<E> && !std::same_as<std::remove_cvref_t<decltype(names_of<E>)>, int>;

/// The name of a value; the first where several lead to it.
template <Named E>
[[nodiscard]] constexpr std::string_view to_string(E value) noexcept {
  for (const Name<E>& known : names_of<E>) {
    if (known.value == value) return known.name;
  }
  return "unknown";
}

/// The value of that name; empty when there is none.
template <Named E>
[[nodiscard]] constexpr std::optional<E> value_named(std::string_view name) noexcept {
  for (const Name<E>& known : names_of<E>) {
    if (known.name == name) return known.value;
  }
  return std::nullopt;
}

/// All names, in the order of the table.
template <Named E>
[[nodiscard]] std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names;
  names.reserve(std::size(names_of<E>));
  for (const Name<E>& known : names_of<E>) names.push_back(known.name);
  return names;
}

/// The value of that name. Throws InvalidArgument ("linkage 'sngle' is not known; did you mean
/// single?") when there is none; `what` is what it is a name of.
template <Named E>
[[nodiscard]] E parse_name(std::string_view name, std::string_view what) {
  if (const std::optional<E> value = value_named<E>(name)) return *value;
  throw InvalidArgument(std::string(what) + " '" + std::string(name) + "' is not known" +
                        suggest_names(name, all_names<E>()));
}

}  // namespace maxmargin
