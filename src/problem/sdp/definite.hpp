// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// Whether matrix - shift I (lower triangle) is positive semidefinite, proven beyond rounding.
/// False says nothing.
[[nodiscard]] bool is_proven_above(const DenseMatrix& matrix, double shift);

}  // namespace maxmargin
