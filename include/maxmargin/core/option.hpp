// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"

/// Options described once. A struct of options has one member function
///
///   void describe(OptionVisitor& visit);
///
/// which shows every member with its name, its help and its rule. Parsing, validation, defaults,
/// help, completion, reports, model files and grids are visitors of it (core/options.hpp). Other
/// structs of options are members, whose own `describe` is called in turn.
namespace maxmargin {

/// What kind of value an option has.
enum class OptionKind { number, whole, yes_no, name, text };
template <>
inline constexpr auto names_of<OptionKind> = name_table<OptionKind>({{"number", OptionKind::number},
                                                                     {"whole", OptionKind::whole},
                                                                     {"yes-no", OptionKind::yes_no},
                                                                     {"name", OptionKind::name},
                                                                     {"text", OptionKind::text}});

/// A value as reports and model files hold it; monostate: there is none.
using OptionScalar = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// What users are told of an option. The texts must live as long as the program.
struct OptionHelp {
  /// Long name without dashes. A name of one letter is a short flag: C is -C.
  std::string_view name = {};
  /// What it does, in one line; larger values do what?
  std::string_view help = {};
  /// What help calls its value; by default from the kind. "[=KIND]" is a switch that may have a
  /// value.
  std::string_view value = {};
  /// The default in words, where it depends on data or other options; by default the value itself.
  std::string_view fallback = {};
  /// Another long name, or letter, that means the same.
  std::string_view alias = {};
};

/// The numbers between two ends, each of which belongs to it or not. No NaN does.
struct NumberRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool has_least = false;
  bool has_most = false;
  /// Below `most` where that is infinite and finite numbers near it are refused.
  double most_finite = most;
  [[nodiscard]] constexpr bool contains(double x) const noexcept {
    const bool is_below = x < most && x <= most_finite;
    return (x > least || (has_least && x == least)) && (is_below || (has_most && x == most));
  }
  bool operator==(const NumberRange&) const = default;
};

/// A range of numbers, in the words of messages: "must be ...".
struct NumberRule {
  std::string_view words = {};
  NumberRange range = {};
  [[nodiscard]] constexpr bool holds(double x) const noexcept { return range.contains(x); }
};

/// The rules that options have in common.
namespace rules {
inline constexpr NumberRule finite{"a finite number", {}};
inline constexpr NumberRule positive{"a finite number > 0", {.least = 0}};
inline constexpr NumberRule positive_or_infinite{"a number > 0, or inf",
                                                 {.least = 0, .has_most = true}};
inline constexpr NumberRule not_negative{"a finite number >= 0", {.least = 0, .has_least = true}};
inline constexpr NumberRule not_negative_or_infinite{
    "a number >= 0, or inf", {.least = 0, .has_least = true, .has_most = true}};
inline constexpr NumberRule share_above_zero{"a number in (0, 1]",
                                             {.least = 0, .most = 1, .has_most = true}};
inline constexpr NumberRule share_below_one{"a number in [0, 1)",
                                            {.least = 0, .most = 1, .has_least = true}};
inline constexpr NumberRule share_inside{"a number in (0, 1)", {.least = 0, .most = 1}};
inline constexpr NumberRule share{"a number in [0, 1]",
                                  {.least = 0, .most = 1, .has_least = true, .has_most = true}};
}  // namespace rules

/// A range of whole numbers.
struct WholeRule {
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
};

/// One member of a struct of options, seen as text. Made by the functions of OptionVisitor; a type
/// of its own (a kernel, class weights) brings a class derived from this.
class MAXMARGIN_EXPORT OptionValue {
 public:
  virtual ~OptionValue() = default;
  [[nodiscard]] virtual OptionKind kind() const = 0;
  /// What it must be: "a finite number > 0".
  [[nodiscard]] virtual std::string rule() const = 0;
  /// The same of numbers as data; words (`none` of an optional member) stand beside it.
  [[nodiscard]] virtual std::optional<NumberRange> range() const { return std::nullopt; }
  /// Reads a value. False when the text breaks the rule; the member is unchanged then. May throw
  /// InvalidArgument with a message of its own, which begins with the option's flag.
  [[nodiscard]] virtual bool set(std::string_view text) = 0;
  /// Does the member keep the rule?
  [[nodiscard]] virtual bool holds() const = 0;
  /// The member; monostate where it has no value.
  [[nodiscard]] virtual OptionScalar scalar() const = 0;
  /// False for a value that no text says: a matrix in memory.
  [[nodiscard]] virtual bool has_text() const { return true; }
  /// The names it may have, for help and completion; empty when it is no choice of names.
  [[nodiscard]] virtual std::vector<std::string_view> names() const { return {}; }
  /// Does the flag stand alone on a command line (kind yes_no)?
  [[nodiscard]] virtual bool is_switch() const { return kind() == OptionKind::yes_no; }
};

/// Sees the options of a struct one by one.
class MAXMARGIN_EXPORT OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;
  virtual void option(const OptionHelp& help, OptionValue& value) = 0;
  /// A rule between members: `otherwise` is the message of a breach.
  virtual void rule(bool holds, std::string_view otherwise);
  /// A rule that throws InvalidArgument itself where it is broken, for data that is described with
  /// its numbers; run by validate() alone.
  virtual void check(const std::function<void()>& rule);
  /// A number of threads is no option of a struct (it comes from the run), but 0 are refused.
  void threads(const std::optional<std::size_t>& member);

  void number(const OptionHelp& help, double& member, const NumberRule& rule);
  /// `none` is the word for no value ("auto", "none"); empty: it cannot be said.
  void number(const OptionHelp& help,
              std::optional<double>& member,
              const NumberRule& rule,
              std::string_view none = {});
  void whole(const OptionHelp& help, std::uint64_t& member, const WholeRule& rule = {});
  void whole(const OptionHelp& help, std::uint32_t& member, const WholeRule& rule = {});
  void whole(const OptionHelp& help, int& member, const WholeRule& rule = {});
  void whole(const OptionHelp& help,
             std::optional<std::uint64_t>& member,
             const WholeRule& rule = {},
             std::string_view none = {});
  void yes_no(const OptionHelp& help, bool& member);
  /// A flag such as no-bias, which makes the member false; reports show it without "no-".
  void switched_off(const OptionHelp& help, bool& member);
  void text(const OptionHelp& help, std::string& member);
  void text(const OptionHelp& help, std::optional<std::string>& member);
  /// One of the names of the enumeration, or of `allowed` alone.
  template <Named E>
  void name(const OptionHelp& help, E& member, std::vector<E> allowed = {});
  /// The same of a member that may have no value; `none` as above.
  template <Named E>
  void name(const OptionHelp& help,
            std::optional<E>& member,
            std::string_view none = {},
            std::vector<E> allowed = {});
};

/// The flag of an option as messages and help write it: "--gamma", "-C".
[[nodiscard]] MAXMARGIN_EXPORT std::string flag_of(std::string_view name);
/// The key of an option in reports and model files: '-' becomes '_', "no-bias" is "bias".
[[nodiscard]] MAXMARGIN_EXPORT std::string key_of(std::string_view name);
/// Is it the name of a flag that makes its member false: "no-bias"?
[[nodiscard]] MAXMARGIN_EXPORT bool is_switched_off(std::string_view name);
/// "--gamma -1: must be a finite number > 0", the one form of such messages.
[[nodiscard]] MAXMARGIN_EXPORT std::string breach(std::string_view name,
                                                  std::string_view value,
                                                  std::string_view rule);

namespace detail {

/// What all choices of names share.
class MAXMARGIN_EXPORT NameChoice : public OptionValue {
 public:
  explicit NameChoice(std::vector<std::string_view> names) : names_(std::move(names)) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::name; }
  [[nodiscard]] std::string rule() const override;
  [[nodiscard]] std::vector<std::string_view> names() const override { return names_; }

 private:
  std::vector<std::string_view> names_;
};

template <Named E>
bool is_allowed(E value, const std::vector<E>& allowed) {
  if (allowed.empty()) return to_string(value) != "unknown";
  for (const E each : allowed) {
    if (each == value) return true;
  }
  return false;
}

template <Named E>
std::vector<std::string_view> names_allowed(const std::vector<E>& allowed, std::string_view none) {
  std::vector<std::string_view> names =
      allowed.empty() ? all_names<E>() : std::vector<std::string_view>{};
  for (const E each : allowed) names.push_back(to_string(each));
  if (!none.empty()) names.push_back(none);
  return names;
}

template <Named E>
class NameValue final : public NameChoice {
 public:
  NameValue(E& member, std::vector<E> allowed)
      : NameChoice(names_allowed(allowed, {})), member_(member), allowed_(std::move(allowed)) {}
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<E> value = value_named<E>(text);
    if (!value || !is_allowed(*value, allowed_)) return false;
    member_ = *value;
    return true;
  }
  [[nodiscard]] bool holds() const override { return is_allowed(member_, allowed_); }
  [[nodiscard]] OptionScalar scalar() const override { return std::string(to_string(member_)); }

 private:
  E& member_;
  std::vector<E> allowed_;
};

template <Named E>
class OptionalNameValue final : public NameChoice {
 public:
  OptionalNameValue(std::optional<E>& member, std::string_view none, std::vector<E> allowed)
      : NameChoice(names_allowed(allowed, none)),
        member_(member),
        none_(none),
        allowed_(std::move(allowed)) {}
  [[nodiscard]] bool set(std::string_view text) override {
    if (!none_.empty() && text == none_) {
      member_.reset();
      return true;
    }
    const std::optional<E> value = value_named<E>(text);
    if (!value || !is_allowed(*value, allowed_)) return false;
    member_ = *value;
    return true;
  }
  [[nodiscard]] bool holds() const override { return !member_ || is_allowed(*member_, allowed_); }
  [[nodiscard]] OptionScalar scalar() const override {
    if (member_) return std::string(to_string(*member_));
    return none_.empty() ? OptionScalar{} : OptionScalar(std::string(none_));
  }

 private:
  std::optional<E>& member_;
  std::string_view none_;
  std::vector<E> allowed_;
};

}  // namespace detail

template <Named E>
void OptionVisitor::name(const OptionHelp& help, E& member, std::vector<E> allowed) {
  detail::NameValue<E> value(member, std::move(allowed));
  option(help, value);
}

template <Named E>
void OptionVisitor::name(const OptionHelp& help,
                         std::optional<E>& member,
                         std::string_view none,
                         std::vector<E> allowed) {
  detail::OptionalNameValue<E> value(member, none, std::move(allowed));
  option(help, value);
}

}  // namespace maxmargin
