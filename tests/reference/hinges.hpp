// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "given.hpp"

namespace maxmargin::reference {

/// Hinges with margins to reach and costs of rows.
struct HingeProblem {
  Matrix gram = {};
  Vector signs = {};
  Vector wanted = {};
  Vector costs = {};
  bool free_offset = false;
  bool squared = false;
};

/// min 1/2 |w|^2 + sum cost max(0, wanted - y f)^(1 or 2) through its dual.
[[nodiscard]] Interval hinge_optimum(const HingeProblem& given);

/// The same of a function whose |w|^2 is `square`.
[[nodiscard]] Number hinge_objective(const HingeProblem& given, const Function& f, Number square);

/// Margins of 1, costs of C times the weight.
[[nodiscard]] HingeProblem hinges_of(const Given& given);

}  // namespace maxmargin::reference
