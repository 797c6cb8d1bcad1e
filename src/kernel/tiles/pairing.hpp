// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin {

/// The sum over columns that a kernel is a function of.
enum class Pairing {
  dot,               ///< x_j z_j
  squared_distance,  ///< (x_j - z_j)^2
  absolute,          ///< |x_j - z_j|
  sentropic,         ///< (x_j - z_j) ln(x_j / z_j)
  chi_square,        ///< (x_j - z_j)^2 / (x_j + z_j)
  minimum            ///< min(x_j, z_j)
};

/// Requires a kernel that is neither cosine, precomputed nor combined.
[[nodiscard]] Pairing pairing_of(const Kernel& kernel);

/// The sum between two rows, straight from its definition in double. Not for sentropic.
[[nodiscard]] double exact_pair_sum(Pairing pairing, const Row& x, const Row& z);

}  // namespace maxmargin
