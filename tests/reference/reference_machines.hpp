// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "long_double_qp.hpp"
#include "maxmargin/learner/learner.hpp"

/// What a trained machine of two classes, of one or of numbers is worth, from its definition in
/// long double. Of the library only the numbers that a model holds are read: options, coefficients,
/// offsets.
namespace maxmargin::reference {

struct Verdict {
  /// The learner's objective at the model's function.
  Number objective = 0;
  /// Holds the least objective of all functions (and choices of outliers).
  Interval optimum = {};
  /// What the last digits of function values in double precision can change of the objective.
  Number rounding = 0;
};

/// Empty: the reference does not know the problem (three classes, another loss) or it is too large
/// for it (choices of outliers of more than a few rows).
[[nodiscard]] std::optional<Verdict> judge(const Model& model, const Dataset& data);

}  // namespace maxmargin::reference
