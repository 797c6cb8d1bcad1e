// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "maxmargin/problem/linear_risk.hpp"
#include "solver/default_steps.hpp"
#include "solver/linear/linear.hpp"

namespace maxmargin::linear {

/// The options with a limit, where the caller gave none: every solver that counts passes has it,
/// whoever calls it.
[[nodiscard]] inline LinearOptions with_default_passes(
    LinearOptions options, const std::variant<SparseView, DenseView>& examples) {
  if (options.max_iterations) return options;
  double entries = 0;
  double rows = 0;
  if (const auto* sparse = std::get_if<SparseView>(&examples)) {
    entries = static_cast<double>(sparse->values.size());
    rows = static_cast<double>(sparse->rows());
  } else {
    const DenseView& dense = std::get<DenseView>(examples);
    rows = static_cast<double>(dense.rows);
    entries = rows * static_cast<double>(dense.cols);
  }
  // A pass looks at every entry twice.
  options.max_iterations = default_steps(2 * entries + 8 * rows);
  return options;
}

}  // namespace maxmargin::linear
