// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"

/// What can be done with a struct of options that describes itself (core/option.hpp).
namespace maxmargin {

template <class T>
concept DescribesOptions = requires(T& options, OptionVisitor& visit) {
  options.describe(visit);
};

/// Calls `describe` of options that the visitor leaves as they are.
template <DescribesOptions T>
void look_at(const T& options, OptionVisitor& visit) {
  const_cast<T&>(options).describe(visit);  // NOLINT: one description serves readers and writers
}

/// An option with everything that help, completion and other languages show of it.
struct OptionDescription {
  std::string name = {};
  std::string help = {};
  /// What its value is called; empty for a switch.
  std::string value = {};
  OptionKind kind = OptionKind::text;
  /// What a value must be.
  std::string rule = {};
  /// The same of a number as data.
  std::optional<NumberRange> range = std::nullopt;
  /// The names a value may have, where it is a choice.
  std::vector<std::string> names = {};
  /// The default as help shows it: a value, or words; empty: none.
  std::string fallback = {};
  /// Another name that means the same.
  std::string alias = {};
  bool is_switch = false;

  bool operator==(const OptionDescription&) const = default;
};

/// Is that its name, or its alias?
[[nodiscard]] MAXMARGIN_EXPORT bool is_named(const OptionDescription& option,
                                             std::string_view name);

/// Options in their order, as text or as values.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;
using OptionScalars = std::vector<std::pair<std::string, OptionScalar>>;

/// A scalar as an option's text takes it back; empty for monostate.
[[nodiscard]] MAXMARGIN_EXPORT std::string text_of(const OptionScalar& value);

namespace detail {

/// Throws InvalidArgument at the first member that breaks its rule.
class MAXMARGIN_EXPORT Validator final : public OptionVisitor {
 public:
  void option(const OptionHelp& help, OptionValue& value) override;
  void rule(bool holds, std::string_view otherwise) override;
  void check(const std::function<void()>& rule) override;
};

/// Writes what is given into the members.
class MAXMARGIN_EXPORT Setter final : public OptionVisitor {
 public:
  explicit Setter(const OptionTexts& given) : given_(given), is_used_(given.size(), false) {}
  void option(const OptionHelp& help, OptionValue& value) override;
  /// Throws InvalidArgument, with the nearest name, for the first that no member has. `who` does
  /// not take it: "the learner svc".
  void refuse_unused(std::string_view who) const;

 private:
  const OptionTexts& given_;
  std::vector<bool> is_used_;
  std::vector<std::string> known_;
};

/// Throws InvalidArgument at the first text that breaks the rule of its own option.
class MAXMARGIN_EXPORT ValueChecker final : public OptionVisitor {
 public:
  explicit ValueChecker(const OptionTexts& given) : given_(given) {}
  void option(const OptionHelp& help, OptionValue& value) override;

 private:
  const OptionTexts& given_;
};

class MAXMARGIN_EXPORT Describer final : public OptionVisitor {
 public:
  void option(const OptionHelp& help, OptionValue& value) override;
  std::vector<OptionDescription> found = {};
};

class MAXMARGIN_EXPORT Reader final : public OptionVisitor {
 public:
  void option(const OptionHelp& help, OptionValue& value) override;
  OptionScalars found = {};
};

class MAXMARGIN_EXPORT Writer final : public OptionVisitor {
 public:
  void option(const OptionHelp& help, OptionValue& value) override;
  OptionTexts found = {};
};

}  // namespace detail

/// What set_options takes back of a value under this name: no-bias is true where bias is false.
[[nodiscard]] MAXMARGIN_EXPORT std::string given_text(std::string_view name,
                                                      OptionKind kind,
                                                      const OptionScalar& value);

/// Throws InvalidArgument, with the nearest name, for the first of `given` that no option of
/// `known` is called. `who` does not take it: "the learner svc".
MAXMARGIN_EXPORT void refuse_unknown_options(const OptionTexts& given,
                                             const std::vector<OptionDescription>& known,
                                             std::string_view who);

/// Throws InvalidArgument naming option, value and rule unless all members keep their rules.
template <DescribesOptions T>
void validate(const T& options) {
  detail::Validator visit;
  look_at(options, visit);
}

/// Sets members by name from text, later entries over earlier ones. Throws InvalidArgument for a
/// text that breaks a rule and for a name that no member has.
template <DescribesOptions T>
void set_options(T& options, const OptionTexts& given, std::string_view who) {
  detail::Setter visit(given);
  options.describe(visit);
  visit.refuse_unused(who);
}

/// Throws InvalidArgument, as set_options does, for a text that breaks the rule of its own option.
/// What options say of each other is not asked, and names that no member has are left alone: for
/// options as they were used, which are more than were given.
template <DescribesOptions T>
void check_option_values(T options, const OptionTexts& given) {
  detail::ValueChecker visit(given);
  options.describe(visit);
}

/// All options of the struct with its present values as the defaults.
template <DescribesOptions T>
[[nodiscard]] std::vector<OptionDescription> describe_options(const T& options) {
  detail::Describer visit;
  look_at(options, visit);
  return std::move(visit.found);
}

/// The values of all members that have one, under their keys (key_of).
template <DescribesOptions T>
[[nodiscard]] OptionScalars option_values(const T& options) {
  detail::Reader visit;
  look_at(options, visit);
  return std::move(visit.found);
}

/// The same as texts by name: set_options makes the same options of them.
template <DescribesOptions T>
[[nodiscard]] OptionTexts option_texts(const T& options) {
  detail::Writer visit;
  look_at(options, visit);
  return std::move(visit.found);
}

}  // namespace maxmargin
