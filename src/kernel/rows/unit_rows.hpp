// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/data/examples.hpp"
#include "maxmargin/linalg/row.hpp"

namespace maxmargin {

/// |x|_2, safe against overflow and underflow of the squares.
[[nodiscard]] double euclidean_norm(const Row& x);

/// Every row divided by its norm; zero rows stay.
[[nodiscard]] Examples unit_rows(const Examples& examples);

}  // namespace maxmargin
