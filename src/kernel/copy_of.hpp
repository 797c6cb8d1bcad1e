// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

[[nodiscard]] inline DenseMatrix copy_of(DenseView matrix) {
  DenseMatrix copy = DenseMatrix::uninitialized(matrix.rows, matrix.cols);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    std::ranges::copy(matrix.row(i), copy.row(i).begin());
  }
  return copy;
}

}  // namespace maxmargin
