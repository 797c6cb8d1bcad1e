// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "maxmargin/core/option.hpp"

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

}  // namespace maxmargin
