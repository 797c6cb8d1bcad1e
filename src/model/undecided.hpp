// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "maxmargin/model/kernel/decision_function.hpp"
#include "maxmargin/model/output_code.hpp"

namespace maxmargin {

/// The rows whose predicted class could be another if every value moved by its error at most
/// (docs/algorithms/prediction.md, step 5). None when there are no errors. A row is never left out
/// wrongly; it may be named without need when several functions are in doubt at once.
[[nodiscard]] std::vector<std::size_t> undecided_rows(const OutputCode& code,
                                                      const BoundedValues& bounded);

/// The rows where a value could change its sign (0 is positive).
[[nodiscard]] std::vector<std::size_t> rows_of_undecided_sign(const BoundedValues& bounded);

}  // namespace maxmargin
