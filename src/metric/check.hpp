// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/weights.hpp"
#include "maxmargin/core/require.hpp"

/// Argument checks the metrics share. `function` names the caller in the message.
namespace maxmargin {

inline void check_same_length(std::string_view function,
                              std::string_view what,
                              std::size_t length,
                              std::size_t rows) {
  if (length == rows) return;
  throw InvalidArgument(std::string(function) + ": " + std::to_string(length) + " " +
                        std::string(what) + " for " + std::to_string(rows) + " rows");
}

/// Throws "function: what[row] = value, must be rule" unless `holds`; the text is made on failure
/// alone, as this stands in loops over rows.
inline void check_row(bool holds,
                      std::string_view function,
                      std::string_view what,
                      std::size_t row,
                      double value,
                      std::string_view rule) {
  if (holds) return;
  const std::string place =
      std::string(function) + ": " + std::string(what) + "[" + std::to_string(row) + "]";
  require_field(false, place, value, rule);
}

inline void check_class(std::string_view what, std::int32_t index) {
  require_field(index >= -1, what, index, ">= -1");
}

inline void check_weight(double weight) {
  require_field(std::isfinite(weight) && weight >= 0, "weight", weight, "finite and >= 0");
}

/// No weights, or one a row.
inline void check_weights(std::string_view function,
                          std::span<const double> weights,
                          std::size_t rows) {
  if (weights.empty()) return;
  check_same_length(function, "weights", weights.size(), rows);
  for (const double weight : weights) check_weight(weight);
}

}  // namespace maxmargin
