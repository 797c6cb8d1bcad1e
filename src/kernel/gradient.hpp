// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "maxmargin/kernel/kernel.hpp"

/// Derivatives of a kernel in its first argument, entry by entry.
///
/// Where a kernel has a kink the middle of the one-sided derivatives is given: at x_j = z_j the
/// entry is 0 for laplace and absdiff, and half of dK/dx_j's jump for histogram intersection. At
/// x = z absdiff has an infinite slope (a cusp); the answer there is 0, the direction of a maximum.
namespace maxmargin {

/// out_j = d K(x, z) / d x_j. Requires out to have at least as many entries as x and z have
/// columns. Throws InvalidArgument for a kernel without input gradient (precomputed, rank_one).
void kernel_gradient(const Kernel& kernel, const Row& x, const Row& z, std::span<double> out);

/// out_j = d ln K(x, z) / d x_j, the "polarization" of the kernel. For exponential kernels it is
/// found without K itself, so it does not underflow between far points. Throws InvalidArgument,
/// in addition, where it needs K > 0 and K(x, z) <= 0.
void log_kernel_gradient(const Kernel& kernel, const Row& x, const Row& z, std::span<double> out);

}  // namespace maxmargin
