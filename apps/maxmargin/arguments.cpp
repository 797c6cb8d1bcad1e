// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/suggest.hpp"

namespace maxmargin::tool {

namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view rule) {
  throw UsageError("--" + std::string(name) + " " + std::string(value) + ": must be " +
                   std::string(rule));
}

}  // namespace

std::optional<std::string> Arguments::text(std::string_view name) const {
  const auto found = given.find(name);
  if (found == given.end()) return std::nullopt;
  return found->second;
}

std::string Arguments::text_or(std::string_view name, std::string_view fallback) const {
  return text(name).value_or(std::string(fallback));
}

std::string Arguments::choice_or(std::string_view name,
                                 std::string_view fallback,
                                 const std::vector<std::string>& choices) const {
  std::string value = text_or(name, fallback);
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  const std::vector<std::string_view> known(choices.begin(), choices.end());
  refuse(name, value, "a known name" + suggest_names(value, known));
}

std::optional<std::uint64_t> Arguments::whole(std::string_view name, std::uint64_t least) const {
  const std::optional<std::string> value = text(name);
  if (!value) return std::nullopt;
  const std::optional<std::int64_t> number = parse_integer(*value);
  if (!number || *number < 0 || static_cast<std::uint64_t>(*number) < least) {
    refuse(name, *value, "a whole number >= " + std::to_string(least));
  }
  return static_cast<std::uint64_t>(*number);
}

std::optional<double> Arguments::positive(std::string_view name) const {
  const std::optional<std::string> value = text(name);
  if (!value) return std::nullopt;
  const std::optional<double> number = parse_number(*value);
  if (!number || !(*number > 0)) refuse(name, *value, "a number > 0");
  return number;
}

}  // namespace maxmargin::tool
