// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "maxmargin/model/output_code.hpp"

namespace maxmargin {

/// The code of a reduction to two-class machines: `given` (or random_code) for ecoc. Throws
/// InvalidArgument for `direct`, and when the given code is wrong or for other classes.
[[nodiscard]] OutputCode choose_code(MulticlassKind kind,
                                     const std::optional<OutputCode>& given,
                                     std::size_t classes,
                                     std::uint64_t seed);

}  // namespace maxmargin
