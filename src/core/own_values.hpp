// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/option.hpp"

namespace maxmargin {

/// The whole number that fills all of `text`, digits alone: options take no sign.
[[nodiscard]] std::optional<std::uint64_t> parse_whole(std::string_view text);

/// What OptionValue::set throws for a value that keeps its own rule, but that other options have no
/// use for: a gamma beside a kernel without one. Any other InvalidArgument of a setter says that
/// the value itself is illegal.
class OptionConflict final : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

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
