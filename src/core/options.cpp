// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/options.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/own_values.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/suggest.hpp"

namespace maxmargin {

std::string text_of(const OptionScalar& value) {
  struct Visitor {
    std::string operator()(std::monostate /*nothing*/) const { return {}; }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(std::int64_t whole) const { return std::to_string(whole); }
    std::string operator()(double number) const { return format_number(number); }
    std::string operator()(const std::string& text) const { return text; }
  };
  return std::visit(Visitor{}, value);
}

std::string given_text(std::string_view name, OptionKind kind, const OptionScalar& value) {
  std::string text = text_of(value);
  if (kind != OptionKind::yes_no || !is_switched_off(name)) return text;
  // What is neither is left to the rule.
  return text == "true" ? "false" : text == "false" ? "true" : text;
}

namespace {

/// Of descriptions and of what describes itself.
template <class Option>
bool has_name(const Option& option, std::string_view name) {
  return option.name == name || (!option.alias.empty() && option.alias == name);
}

/// Digits alone, of a number that is too large to be held.
bool is_too_large(std::string_view text) {
  const bool is_digits = text.find_first_not_of("0123456789") == std::string_view::npos;
  return !text.empty() && is_digits && !parse_whole(text);
}

/// The rule, with the nearest name where the value is none of those known. A whole number's upper
/// end goes without saying unless the value is above it.
std::string rule_for(std::string_view text, const OptionValue& value) {
  const std::vector<std::string_view> names = value.names();
  if (value.kind() != OptionKind::name || names.empty()) {
    std::string rule = value.rule();
    constexpr std::string_view open = "a whole number >= ";
    if (!rule.starts_with(open) || !is_too_large(text)) return rule;
    const std::size_t end = std::min(rule.find(','), rule.size());
    rule.insert(end, " to " + std::to_string(std::numeric_limits<std::uint64_t>::max()));
    return rule.replace(0, open.size(), "a whole number from ");
  }
  return "a known name" + suggest_names(text, names);
}

std::string placeholder(const OptionValue& value) {
  switch (value.kind()) {
    case OptionKind::number:
      return "X";
    case OptionKind::whole:
      return "N";
    case OptionKind::yes_no:
      return {};
    case OptionKind::name:
      return "NAME";
    case OptionKind::text:
      return "TEXT";
  }
  return "VALUE";
}

[[noreturn]] void refuse_name(const std::string& name,
                              const std::vector<std::string_view>& known,
                              std::string_view who) {
  // Any two single letters are near to each other.
  std::vector<std::string_view> words;
  for (const std::string_view each : known) {
    if (name.size() > 1 && each.size() > 1) words.push_back(each);
  }
  const std::string_view nearest = nearest_name(name, words);
  std::string message = flag_of(name) + ": " + std::string(who) + " does not take it";
  if (!nearest.empty()) message += "; did you mean " + flag_of(nearest) + "?";
  throw InvalidArgument(message);
}

}  // namespace

bool is_named(const OptionDescription& option, std::string_view name) {
  return has_name(option, name);
}

void refuse_unknown_options(const OptionTexts& given,
                            const std::vector<OptionDescription>& known,
                            std::string_view who) {
  for (const auto& entry : given) {
    const std::string& name = entry.first;
    const bool is_known = std::ranges::any_of(
        known, [&](const OptionDescription& option) { return is_named(option, name); });
    // Parameters of an expression (rbf.gamma) are known once the expression is.
    if (is_known || name.find('.') != std::string::npos) continue;
    std::vector<std::string_view> names;
    names.reserve(known.size());
    for (const OptionDescription& option : known) names.push_back(option.name);
    refuse_name(name, names, who);
  }
}

namespace detail {

void Validator::option(const OptionHelp& help, OptionValue& value) {
  if (value.holds()) return;
  throw InvalidArgument(breach(help.name, text_of(value.scalar()), value.rule()));
}

void Validator::rule(bool holds, std::string_view otherwise) {
  if (!holds) throw InvalidArgument(std::string(otherwise));
}

void Validator::check(const std::function<void()>& rule) { rule(); }

void Setter::option(const OptionHelp& help, OptionValue& value) {
  known_.emplace_back(help.name);
  for (std::size_t i = 0; i < given_.size(); ++i) {
    const auto& [name, text] = given_[i];
    if (!has_name(help, name)) continue;
    is_used_[i] = true;
    if (!value.set(text)) throw InvalidArgument(breach(help.name, text, rule_for(text, value)));
  }
}

void ValueChecker::option(const OptionHelp& help, OptionValue& value) {
  for (const auto& [name, text] : given_) {
    if (!has_name(help, name)) continue;
    try {
      if (value.set(text)) continue;
    } catch (const OptionConflict&) {
      continue;  // it is legal, and another option has no use for it
    }
    throw InvalidArgument(breach(help.name, text, rule_for(text, value)));
  }
}

void Setter::refuse_unused(std::string_view who) const {
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (is_used_[i]) continue;
    refuse_name(given_[i].first, {known_.begin(), known_.end()}, who);
  }
}

void Describer::option(const OptionHelp& help, OptionValue& value) {
  OptionDescription described{.name = std::string(help.name),
                              .help = std::string(help.help),
                              .value = std::string(help.value),
                              .kind = value.kind(),
                              .rule = value.rule(),
                              .range = value.range(),
                              .fallback = std::string(help.fallback),
                              .alias = std::string(help.alias),
                              .is_switch = value.is_switch()};
  for (const std::string_view name : value.names()) described.names.emplace_back(name);
  if (described.value.empty()) described.value = placeholder(value);
  if (described.fallback.empty() && !described.is_switch) {
    described.fallback = text_of(value.scalar());
  }
  found.push_back(std::move(described));
}

void Reader::option(const OptionHelp& help, OptionValue& value) {
  OptionScalar scalar = value.scalar();
  if (std::holds_alternative<std::monostate>(scalar)) return;
  found.emplace_back(key_of(help.name), std::move(scalar));
}

void Writer::option(const OptionHelp& help, OptionValue& value) {
  if (!value.has_text()) {
    throw InvalidArgument(flag_of(help.name) +
                          ": this value has no name, a training by name cannot be told of it");
  }
  const OptionScalar scalar = value.scalar();
  if (std::holds_alternative<std::monostate>(scalar)) return;
  found.emplace_back(help.name, given_text(help.name, value.kind(), scalar));
}

}  // namespace detail

}  // namespace maxmargin
