// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"

namespace maxmargin {

/// Fisher's Iris measurements: 150 flowers, four lengths in centimetres (sepal_length, sepal_width,
/// petal_length, petal_width), labels "setosa", "versicolor", "virginica", fifty rows each in that
/// order. The rows are those of Fisher's table; rows 35 and 38 of the UCI copy differ from it. Rows
/// 102 and 143 (counted from 1) are equal.
[[nodiscard]] MAXMARGIN_EXPORT Dataset iris();

}  // namespace maxmargin
