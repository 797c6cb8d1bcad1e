// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "maxmargin/model/output_code.hpp"

namespace maxmargin {

/// The code of a reduction to two-class machines: the chosen one for ecoc. Throws
/// InvalidArgument for `direct`, and when the given code is wrong or for other classes.
[[nodiscard]] OutputCode choose_code(MulticlassKind kind,
                                     const CodeChoice& choice,
                                     std::size_t classes,
                                     std::uint64_t seed);

}  // namespace maxmargin
