// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "maxmargin/core/option.hpp"

namespace maxmargin {

/// Option no-bias of a machine whose bias is the weight of a constant feature: on, the feature is
/// 0; off, it is 1 unless code made it another number, which no text says.
class ConstantFeature final : public OptionValue {
 public:
  explicit ConstantFeature(double& value) : value_(value) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::yes_no; }
  [[nodiscard]] std::string rule() const override { return "true or false"; }
  [[nodiscard]] bool set(std::string_view text) override {
    if (text != "true" && text != "false") return false;
    if (text == "true") {
      value_ = 0;
    } else if (value_ == 0) {
      value_ = 1;
    }
    return true;
  }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override { return value_ != 0; }
  [[nodiscard]] bool has_text() const override { return value_ == 0 || value_ == 1; }

 private:
  double& value_;
};

}  // namespace maxmargin
