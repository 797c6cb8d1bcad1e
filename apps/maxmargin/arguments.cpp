// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <cctype>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/suggest.hpp"
#include "option_table.hpp"

namespace maxmargin::tool {

namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view rule) {
  throw UsageError(main_flag(name) + " " + std::string(value) + ": must be " + std::string(rule));
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
  require_choice(name, value, choices);
  return value;
}

void require_choice(std::string_view option,
                    std::string_view value,
                    const std::vector<std::string>& choices) {
  if (std::ranges::find(choices, value) != choices.end()) return;
  const std::vector<std::string_view> known(choices.begin(), choices.end());
  refuse(option, value, "a known name" + suggest_names(value, known));
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

void refuse_other_options(const Arguments& arguments,
                          std::initializer_list<std::span<const std::string_view>> taken,
                          std::string_view who) {
  for (const auto& [option, value] : arguments.given) {
    const std::string_view name = option;
    const auto has_it = [&](std::span<const std::string_view> list) {
      return std::ranges::find(list, name) != list.end();
    };
    if (std::ranges::any_of(taken, has_it)) continue;
    throw UsageError(main_flag(name) + ": " + std::string(who) + " does not take it");
  }
}

std::string in_words_of_the_tool(std::string message) {
  constexpr std::string_view mark = "Options.";
  for (std::size_t at = message.find(mark); at != message.npos; at = message.find(mark)) {
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    std::size_t begin = at;
    while (begin > 0 && is_word(message[begin - 1])) --begin;
    std::size_t end = at + mark.size();
    while (end < message.size() && is_word(message[end])) ++end;
    std::string name = message.substr(at + mark.size(), end - at - mark.size());
    for (const std::string_view suffix : {"_file", "_seconds"}) {
      if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
    }
    std::ranges::replace(name, '_', '-');
    if (name == "c") name = "C";
    message.replace(begin, end - begin, (name.size() == 1 ? "-" : "--") + name);
  }
  return message;
}

}  // namespace maxmargin::tool
