// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maxmargin/linalg/matrix.hpp"
#include "solver/saddle/form.hpp"

/// Private to solver: docs/algorithms/saddle.md, step 6.
namespace maxmargin::saddle {

/// Unit rows near `v` whose constraints are in their intervals; none when a few rounds do not get
/// there.
[[nodiscard]] std::optional<DenseMatrix> repaired(const Form& form, DenseView v);

}  // namespace maxmargin::saddle
