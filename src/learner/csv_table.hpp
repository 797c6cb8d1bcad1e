// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin::learning {

/// CSV with a header, numbers printed shortest; cells of the header are quoted where they must be.
[[nodiscard]] std::string csv_table(const std::vector<std::string>& header, DenseView values);

}  // namespace maxmargin::learning
