// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/own_values.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {

/// Shows options to another visitor as they are; who changes some of them overrides that alone.
class ForwardingOptions : public OptionVisitor {
 public:
  explicit ForwardingOptions(OptionVisitor& visit) : visit_(visit) {}

  void option(const OptionHelp& help, OptionValue& value) override { visit_.option(help, value); }
  void rule(bool holds, std::string_view otherwise) override { visit_.rule(holds, otherwise); }
  void check(const std::function<void()>& rule) override { visit_.check(rule); }

 protected:
  [[nodiscard]] OptionVisitor& other() noexcept { return visit_; }

 private:
  OptionVisitor& visit_;
};

/// Shows options that mean something under a condition alone, such as the temperature of an
/// annealing, to another visitor. Where the condition does not hold they are refused when given
/// ("--temperature: needs --anneal"), and reports leave them out; help shows them all the same.
/// What the condition is made of must be described before.
class ConditionalOptions final : public ForwardingOptions {
 public:
  /// `refusal` is what follows the flag.
  ConditionalOptions(OptionVisitor& visit, bool holds, std::string refusal)
      : ForwardingOptions(visit), holds_(holds), refusal_(std::move(refusal)) {}

  void option(const OptionHelp& help, OptionValue& value) override {
    if (holds_) {
      other().option(help, value);
      return;
    }
    Refused refused(value, flag_of(help.name) + ": " + refusal_);
    const std::string fallback = text_of(value.scalar());
    OptionHelp with_default = help;
    if (help.fallback.empty()) with_default.fallback = fallback;
    other().option(with_default, refused);
  }
  void rule(bool holds, std::string_view otherwise) override {
    if (holds_) other().rule(holds, otherwise);
  }
  void check(const std::function<void()>& rule) override {
    if (holds_) other().check(rule);
  }

 private:
  class Refused final : public OptionValue, public RawNumber {
   public:
    Refused(OptionValue& value, std::string message)
        : value_(value), message_(std::move(message)) {}
    [[nodiscard]] OptionKind kind() const override { return value_.kind(); }
    [[nodiscard]] std::string rule() const override { return value_.rule(); }
    [[nodiscard]] std::optional<NumberRange> range() const override { return value_.range(); }
    /// A value that breaks its own rule is refused for that first.
    [[nodiscard]] bool set(std::string_view text) override {
      if (!value_.set(text)) return false;
      throw OptionConflict(message_);
    }
    [[nodiscard]] bool assign(double number) override { return assign_raw(value_, number); }
    [[nodiscard]] bool holds() const override { return value_.holds(); }
    [[nodiscard]] OptionScalar scalar() const override {
      // A value that breaks its rule is named by the message.
      return value_.holds() ? OptionScalar{} : value_.scalar();
    }
    [[nodiscard]] bool has_text() const override { return value_.has_text(); }
    [[nodiscard]] std::vector<std::string_view> names() const override { return value_.names(); }
    [[nodiscard]] bool is_switch() const override { return value_.is_switch(); }

   private:
    OptionValue& value_;
    std::string message_;
  };

  bool holds_;
  std::string refusal_;
};

/// The same for some of the options shown: the others pass as they are.
class ConditionalNames final : public OptionVisitor {
 public:
  ConditionalNames(OptionVisitor& visit,
                   std::vector<std::string_view> conditional,
                   bool holds,
                   const std::string& refusal)
      : visit_(visit), conditional_(visit, holds, refusal), names_(std::move(conditional)) {}

  void option(const OptionHelp& help, OptionValue& value) override {
    const bool is_named = std::find(names_.begin(), names_.end(), help.name) != names_.end();
    (is_named ? static_cast<OptionVisitor&>(conditional_) : visit_).option(help, value);
  }
  void rule(bool holds, std::string_view otherwise) override { visit_.rule(holds, otherwise); }
  void check(const std::function<void()>& rule) override { visit_.check(rule); }

 private:
  OptionVisitor& visit_;
  ConditionalOptions conditional_;
  std::vector<std::string_view> names_;
};

}  // namespace maxmargin
