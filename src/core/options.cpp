// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/options.hpp"

#include <algorithm>

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

/// The rule, with the nearest name where the value is none of those known.
std::string rule_for(std::string_view text, const OptionValue& value) {
  const std::vector<std::string_view> names = value.names();
  if (value.kind() != OptionKind::name || names.empty()) return value.rule();
  return "a known name" + suggest_names(text, names);
}

bool is_named(const OptionHelp& help, std::string_view name) {
  return name == help.name || (!help.alias.empty() && name == help.alias);
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
  const std::string_view nearest = nearest_name(name, known);
  std::string message = flag_of(name) + ": " + std::string(who) + " does not take it";
  if (!nearest.empty()) message += "; did you mean " + flag_of(nearest) + "?";
  throw InvalidArgument(message);
}

}  // namespace

void refuse_unknown_options(const OptionTexts& given,
                            const std::vector<OptionDescription>& known,
                            std::string_view who) {
  for (const auto& entry : given) {
    const std::string& name = entry.first;
    const bool is_known = std::ranges::any_of(known, [&](const OptionDescription& option) {
      return option.name == name || (!option.alias.empty() && option.alias == name);
    });
    // Parameters of an expression (rbf.gamma) are known once the expression is.
    if (is_known || name.find('.') != std::string::npos) continue;
    std::vector<std::string_view> names;
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
    if (!is_named(help, name)) continue;
    is_used_[i] = true;
    if (!value.set(text)) throw InvalidArgument(breach(help.name, text, rule_for(text, value)));
  }
}

void ValueChecker::option(const OptionHelp& help, OptionValue& value) {
  for (const auto& [name, text] : given_) {
    if (!is_named(help, name)) continue;
    try {
      if (value.set(text)) continue;
    } catch (const InvalidArgument&) {
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
  const OptionScalar scalar = value.scalar();
  if (std::holds_alternative<std::monostate>(scalar)) return;
  found.emplace_back(help.name, given_text(help.name, value.kind(), scalar));
}

}  // namespace detail

}  // namespace maxmargin
