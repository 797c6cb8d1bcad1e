// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/option.hpp"

namespace maxmargin {

/// Of options that are numbers: writes the member as a C++ program does that fills in the struct,
/// past the rule, which is for validate() to hold up. Tests walk all options by it.
class RawNumber {
 public:
  virtual ~RawNumber() = default;
  /// False, and the member unchanged: its type has no such number.
  [[nodiscard]] virtual bool assign(double number) = 0;
};

/// The same of any option; false where it is no number.
[[nodiscard]] inline bool assign_raw(OptionValue& value, double number) {
  auto* const raw = dynamic_cast<RawNumber*>(&value);
  return raw != nullptr && raw->assign(number);
}

}  // namespace maxmargin
