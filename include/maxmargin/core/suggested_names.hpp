// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "maxmargin/core/option.hpp"

namespace maxmargin {

/// Shows options to another visitor with names that completion offers for their values. What they
/// take is not changed: rules are the affair of the values.
///
///   SuggestedNames(visit, metric_names()).text({.name = "metric", ...}, metric);
class SuggestedNames final : public OptionVisitor {
 public:
  SuggestedNames(OptionVisitor& visit, std::vector<std::string_view> names)
      : visit_(visit), names_(std::move(names)) {}

  void option(const OptionHelp& help, OptionValue& value) override {
    Suggesting suggesting(value, names_);
    visit_.option(help, suggesting);
  }
  void rule(bool holds, std::string_view otherwise) override { visit_.rule(holds, otherwise); }
  void check(const std::function<void()>& rule) override { visit_.check(rule); }

 private:
  class Suggesting final : public OptionValue {
   public:
    Suggesting(OptionValue& value, const std::vector<std::string_view>& names)
        : value_(value), names_(names) {}
    [[nodiscard]] OptionKind kind() const override { return value_.kind(); }
    [[nodiscard]] std::string rule() const override { return value_.rule(); }
    [[nodiscard]] std::optional<NumberRange> range() const override { return value_.range(); }
    [[nodiscard]] bool set(std::string_view text) override { return value_.set(text); }
    [[nodiscard]] bool holds() const override { return value_.holds(); }
    [[nodiscard]] OptionScalar scalar() const override { return value_.scalar(); }
    [[nodiscard]] bool has_text() const override { return value_.has_text(); }
    [[nodiscard]] std::vector<std::string_view> names() const override { return names_; }
    [[nodiscard]] bool is_switch() const override { return value_.is_switch(); }

   private:
    OptionValue& value_;
    const std::vector<std::string_view>& names_;
  };

  OptionVisitor& visit_;
  std::vector<std::string_view> names_;
};

}  // namespace maxmargin
