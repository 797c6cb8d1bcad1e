// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "maxmargin/problem/linear_program.hpp"

namespace maxmargin {

/// A program written out in full; columns lie in [0, inf).
inline LinearProgram dense_program(const std::vector<std::vector<double>>& matrix,
                                   std::vector<double> row_lower,
                                   std::vector<double> row_upper,
                                   std::vector<double> cost) {
  DenseMatrix dense(matrix.size(), cost.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = 0; j < cost.size(); ++j) dense(i, j) = matrix[i][j];
  }
  const std::size_t columns = cost.size();
  return {.matrix = to_sparse(dense.view()),
          .cost = std::move(cost),
          .column_lower = std::vector<double>(columns, 0.0),
          .column_upper = std::vector<double>(columns, std::numeric_limits<double>::infinity()),
          .row_lower = std::move(row_lower),
          .row_upper = std::move(row_upper)};
}

}  // namespace maxmargin
