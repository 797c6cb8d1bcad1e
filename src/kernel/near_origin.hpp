// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/kernel/kernel.hpp"

/// docs/guide/kernels.md, "Data far from the origin"
namespace maxmargin {

/// For problems that stay what they are when all examples are moved by one vector (machines with a
/// free offset, what centres, distances): the same kernel with its linear parts x.z around the
/// mean of the examples in place of 0, where the examples are far from 0. There x.z has lost the
/// digits that tell the examples apart, (x - o).(z - o) has them all. Else, and for all other
/// kernels, the kernel as it is. Values change by g(x) + g(z), for some g, and no more. Idempotent.
[[nodiscard]] Kernel near_origin(const Kernel& kernel, const Examples& examples);

/// What near_origin was given, but for the means of centred parts: those of the moved ones.
[[nodiscard]] Kernel at_origin(const Kernel& kernel);

}  // namespace maxmargin
