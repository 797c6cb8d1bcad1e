// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/model/output_code.hpp"

namespace maxmargin {

/// The rows that a reduction to two-class machines leaves open when each machine only says yes or
/// no (value >= 0 is yes): one-vs-rest where not exactly one class is claimed, one-vs-one where no
/// class beats all others, error-correcting where the signs are no code word (0 matches either).
/// decode() decides them by values, votes or distances; how many there are says how much hangs on
/// that. Two classes with one function and direct codes leave none open. Rows ascend.
[[nodiscard]] std::vector<std::size_t> ambiguous_rows(const OutputCode& code, DenseView values);

}  // namespace maxmargin
