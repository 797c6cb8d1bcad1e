// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/linalg/point_rows.hpp"
#include "maxmargin/problem/structural/feature_vector.hpp"

namespace maxmargin {

/// Writes sum_i coefficients[i] row_(begin + i) to `sum`, settled. Rows of coefficient 0 are not
/// touched. `constant` != 0: every row has one more feature of that value, behind the columns.
/// Sparse rows are added up in a dense vector or by sorting entries, whichever is shorter, with the
/// same bits.
void combine_rows(const PointRows& rows,
                  std::size_t begin,
                  std::span<const double> coefficients,
                  double constant,
                  FeatureVector& sum);

/// Scores w.x of rows [begin, end), with the constant feature when there is one.
void score_rows(const PointRows& rows,
                std::size_t begin,
                std::size_t end,
                double constant,
                std::span<const double> w,
                std::vector<double>& scores);

}  // namespace maxmargin
