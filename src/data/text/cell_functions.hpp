// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "maxmargin/data/text/feature_templates.hpp"

namespace maxmargin {

/// The name of a function in templates, and what kind it is.
struct CellFunctionName {
  std::string_view name;
  CellFunction function;
};

/// All functions, the plain cell first.
[[nodiscard]] std::span<const CellFunctionName> cell_function_names();

/// %prefix and %suffix have a third argument.
[[nodiscard]] constexpr bool takes_length(CellFunction function) {
  return function == CellFunction::prefix || function == CellFunction::suffix;
}
/// Functions that hold or do not.
[[nodiscard]] constexpr bool is_flag(CellFunction function) {
  return function == CellFunction::has_digit || function == CellFunction::has_hyphen ||
         function == CellFunction::is_capital || function == CellFunction::all_capitals;
}

/// Appends what the function makes of a cell; a flag that holds appends its name. False, and
/// nothing appended, when there is no such affix and when a flag does not hold.
[[nodiscard]] bool append_function_of(CellFunction function,
                                      std::size_t length,
                                      std::string_view cell,
                                      std::string& to);

}  // namespace maxmargin
