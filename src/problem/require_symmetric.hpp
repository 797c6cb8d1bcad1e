// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin::detail {

/// Throws InvalidArgument, naming the field `name`, unless the matrix is square, not empty, finite,
/// nowhere negative on the diagonal, and symmetric up to a share 1e-9 of its largest entry.
inline void require_symmetric(DenseView matrix, const std::string& name) {
  constexpr double symmetry = 1e-9;
  require(matrix.rows == matrix.cols && matrix.rows > 0, name + ": must be square and not empty");
  double largest = 0;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (const double entry : matrix.row(i)) {
      require(std::isfinite(entry),
              name + ": row " + std::to_string(i) + " holds a number that is not finite");
      largest = std::max(largest, std::abs(entry));
    }
    require(matrix(i, i) >= 0,
            name + ": diagonal entry " + std::to_string(i) + " = " + format_number(matrix(i, i)) +
                ", must be >= 0");
  }
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      require(std::abs(matrix(i, j) - matrix(j, i)) <= symmetry * largest,
              name + ": entry (" + std::to_string(i) + ", " + std::to_string(j) +
                  ") and its mirror image differ, must be symmetric");
    }
  }
}

}  // namespace maxmargin::detail
