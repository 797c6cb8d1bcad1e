// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/option.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/own_values.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin {

namespace {

/// A number that fills all of `text`. One too large for a double is none, though it reads as
/// infinite: who means that says inf.
std::optional<double> parse_option_number(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  const bool has_digits = text.find_first_of("0123456789") != std::string_view::npos;
  if (value && std::isinf(*value) && has_digits) return std::nullopt;
  return value;
}

bool is_within(const WholeRule& rule, std::uint64_t value) {
  return value >= rule.least && value <= rule.most;
}

std::string words_of(const WholeRule& rule, std::uint64_t largest) {
  const std::uint64_t most = std::min(rule.most, largest);
  if (most == std::numeric_limits<std::uint64_t>::max()) {
    return "a whole number >= " + std::to_string(rule.least);
  }
  return "a whole number from " + std::to_string(rule.least) + " to " + std::to_string(most);
}

NumberRange range_of(const WholeRule& rule, std::uint64_t largest) {
  return {.least = static_cast<double>(rule.least),
          .most = static_cast<double>(std::min(rule.most, largest)),
          .has_least = true,
          .has_most = true};
}

std::string with_none(std::string words, std::string_view none) {
  if (!none.empty()) words.append(", or ").append(none);
  return words;
}

/// Seeds may be larger than a signed number: they are text then.
OptionScalar scalar_of(std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::to_string(value);
  }
  return static_cast<std::int64_t>(value);
}

OptionScalar nothing(std::string_view none) {
  return none.empty() ? OptionScalar{} : OptionScalar(std::string(none));
}

class NumberValue final : public OptionValue, public RawNumber {
 public:
  NumberValue(double& member, const NumberRule& rule) : member_(member), rule_(rule) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::number; }
  [[nodiscard]] std::string rule() const override { return std::string(rule_.words); }
  [[nodiscard]] std::optional<NumberRange> range() const override { return rule_.range; }
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<double> value = parse_option_number(text);
    if (!value || !rule_.holds(*value)) return false;
    member_ = *value;
    return true;
  }
  [[nodiscard]] bool assign(double number) override {
    member_ = number;
    return true;
  }
  [[nodiscard]] bool holds() const override { return rule_.holds(member_); }
  [[nodiscard]] OptionScalar scalar() const override { return member_; }

 private:
  double& member_;
  const NumberRule& rule_;
};

class OptionalNumberValue final : public OptionValue, public RawNumber {
 public:
  OptionalNumberValue(std::optional<double>& member, const NumberRule& rule, std::string_view none)
      : member_(member), rule_(rule), none_(none) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::number; }
  [[nodiscard]] std::string rule() const override {
    return with_none(std::string(rule_.words), none_);
  }
  [[nodiscard]] std::optional<NumberRange> range() const override { return rule_.range; }
  [[nodiscard]] bool set(std::string_view text) override {
    if (!none_.empty() && text == none_) {
      member_.reset();
      return true;
    }
    const std::optional<double> value = parse_option_number(text);
    if (!value || !rule_.holds(*value)) return false;
    member_ = value;
    return true;
  }
  [[nodiscard]] bool assign(double number) override {
    member_ = number;
    return true;
  }
  [[nodiscard]] bool holds() const override { return !member_ || rule_.holds(*member_); }
  [[nodiscard]] OptionScalar scalar() const override {
    return member_ ? OptionScalar(*member_) : nothing(none_);
  }

 private:
  std::optional<double>& member_;
  const NumberRule& rule_;
  std::string_view none_;
};

/// Is there such a T?
template <class T>
bool is_whole_of(double number) {
  return number == std::floor(number) &&
         number >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
         number < static_cast<double>(std::numeric_limits<T>::max());
}

template <class T>
class WholeValue final : public OptionValue, public RawNumber {
 public:
  WholeValue(T& member, const WholeRule& rule) : member_(member), rule_(rule) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::whole; }
  [[nodiscard]] std::string rule() const override { return words_of(rule_, largest); }
  [[nodiscard]] std::optional<NumberRange> range() const override {
    return range_of(rule_, largest);
  }
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<std::uint64_t> value = parse_whole(text);
    if (!value || *value > largest || !is_within(rule_, *value)) return false;
    member_ = static_cast<T>(*value);
    return true;
  }
  [[nodiscard]] bool assign(double number) override {
    if (!is_whole_of<T>(number)) return false;
    member_ = static_cast<T>(number);
    return true;
  }
  [[nodiscard]] bool holds() const override {
    return member_ >= T{0} && is_within(rule_, static_cast<std::uint64_t>(member_));
  }
  [[nodiscard]] OptionScalar scalar() const override {
    if (member_ < T{0}) return static_cast<std::int64_t>(member_);
    return scalar_of(static_cast<std::uint64_t>(member_));
  }

 private:
  static constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  T& member_;
  WholeRule rule_;
};

class OptionalWholeValue final : public OptionValue, public RawNumber {
 public:
  OptionalWholeValue(std::optional<std::uint64_t>& member,
                     const WholeRule& rule,
                     std::string_view none)
      : member_(member), rule_(rule), none_(none) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::whole; }
  [[nodiscard]] std::string rule() const override {
    return with_none(words_of(rule_, std::numeric_limits<std::uint64_t>::max()), none_);
  }
  [[nodiscard]] std::optional<NumberRange> range() const override {
    return range_of(rule_, std::numeric_limits<std::uint64_t>::max());
  }
  [[nodiscard]] bool set(std::string_view text) override {
    if (!none_.empty() && text == none_) {
      member_.reset();
      return true;
    }
    const std::optional<std::uint64_t> value = parse_whole(text);
    if (!value || !is_within(rule_, *value)) return false;
    member_ = value;
    return true;
  }
  [[nodiscard]] bool assign(double number) override {
    if (!is_whole_of<std::uint64_t>(number)) return false;
    member_ = static_cast<std::uint64_t>(number);
    return true;
  }
  [[nodiscard]] bool holds() const override { return !member_ || is_within(rule_, *member_); }
  [[nodiscard]] OptionScalar scalar() const override {
    return member_ ? scalar_of(*member_) : nothing(none_);
  }

 private:
  std::optional<std::uint64_t>& member_;
  WholeRule rule_;
  std::string_view none_;
};

/// `when_set` is what the member becomes when the flag stands alone.
class SwitchValue final : public OptionValue {
 public:
  SwitchValue(bool& member, bool when_set) : member_(member), when_set_(when_set) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::yes_no; }
  [[nodiscard]] std::string rule() const override { return "true or false"; }
  [[nodiscard]] bool set(std::string_view text) override {
    if (text != "true" && text != "false") return false;
    member_ = (text == "true") == when_set_;
    return true;
  }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override { return member_; }

 private:
  bool& member_;
  bool when_set_;
};

class TextValue final : public OptionValue {
 public:
  explicit TextValue(std::string& member) : member_(member) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override { return "a text that is not empty"; }
  [[nodiscard]] bool set(std::string_view text) override {
    if (text.empty()) return false;
    member_ = text;
    return true;
  }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override {
    return member_.empty() ? OptionScalar{} : OptionScalar(member_);
  }

 private:
  std::string& member_;
};

class OptionalTextValue final : public OptionValue {
 public:
  explicit OptionalTextValue(std::optional<std::string>& member) : member_(member) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override { return "a text that is not empty"; }
  [[nodiscard]] bool set(std::string_view text) override {
    if (text.empty()) return false;
    member_ = std::string(text);
    return true;
  }
  [[nodiscard]] bool holds() const override { return !member_ || !member_->empty(); }
  [[nodiscard]] OptionScalar scalar() const override {
    return member_ ? OptionScalar(*member_) : OptionScalar{};
  }

 private:
  std::optional<std::string>& member_;
};

constexpr std::string_view switched_off_prefix = "no-";

}  // namespace

bool is_switched_off(std::string_view name) { return name.starts_with(switched_off_prefix); }

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

void OptionVisitor::rule(bool /*holds*/, std::string_view /*otherwise*/) {}

void OptionVisitor::check(const std::function<void()>& /*rule*/) {}

void OptionVisitor::threads(const std::optional<std::size_t>& member) {
  rule(!member || *member > 0, "--threads 0: must be a whole number >= 1");
}

void OptionVisitor::number(const OptionHelp& help, double& member, const NumberRule& rule) {
  NumberValue value(member, rule);
  option(help, value);
}

void OptionVisitor::number(const OptionHelp& help,
                           std::optional<double>& member,
                           const NumberRule& rule,
                           std::string_view none) {
  OptionalNumberValue value(member, rule, none);
  option(help, value);
}

void OptionVisitor::whole(const OptionHelp& help, std::uint64_t& member, const WholeRule& rule) {
  WholeValue<std::uint64_t> value(member, rule);
  option(help, value);
}

void OptionVisitor::whole(const OptionHelp& help, std::uint32_t& member, const WholeRule& rule) {
  WholeValue<std::uint32_t> value(member, rule);
  option(help, value);
}

void OptionVisitor::whole(const OptionHelp& help, int& member, const WholeRule& rule) {
  WholeValue<int> value(member, rule);
  option(help, value);
}

void OptionVisitor::whole(const OptionHelp& help,
                          std::optional<std::uint64_t>& member,
                          const WholeRule& rule,
                          std::string_view none) {
  OptionalWholeValue value(member, rule, none);
  option(help, value);
}

void OptionVisitor::yes_no(const OptionHelp& help, bool& member) {
  SwitchValue value(member, true);
  option(help, value);
}

void OptionVisitor::switched_off(const OptionHelp& help, bool& member) {
  SwitchValue value(member, false);
  option(help, value);
}

void OptionVisitor::text(const OptionHelp& help, std::string& member) {
  TextValue value(member);
  option(help, value);
}

void OptionVisitor::text(const OptionHelp& help, std::optional<std::string>& member) {
  OptionalTextValue value(member);
  option(help, value);
}

std::string detail::NameChoice::rule() const {
  std::string words;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (i > 0) words += i + 1 < names_.size() ? ", " : " or ";
    words += names_[i];
  }
  return words;
}

std::string flag_of(std::string_view name) {
  return (name.size() == 1 ? "-" : "--") + std::string(name);
}

std::string key_of(std::string_view name) {
  if (is_switched_off(name)) name.remove_prefix(switched_off_prefix.size());
  std::string key(name);
  std::ranges::replace(key, '-', '_');
  return key;
}

std::string breach(std::string_view name, std::string_view value, std::string_view rule) {
  return flag_of(name) + " " + std::string(value) + ": must be " + std::string(rule);
}

}  // namespace maxmargin
