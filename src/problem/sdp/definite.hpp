// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// Whether matrix - shift I (lower triangle) is positive semidefinite, proven beyond rounding.
/// False says nothing.
[[nodiscard]] bool is_proven_above(const DenseMatrix& matrix, double shift);

/// A number that is proven to be no more than the least eigenvalue of a symmetric matrix, and near
/// it: its rounding aside, of the order of n epsilon |A|. Requires a row.
[[nodiscard]] double proven_least_eigenvalue(const DenseMatrix& matrix);

}  // namespace maxmargin
