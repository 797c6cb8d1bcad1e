// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "maxmargin/problem/sdp/sdp.hpp"

/// Sizes of a semidefinite program, whatever the exponents of its numbers.
namespace maxmargin {

/// |A|_F of a data matrix.
[[nodiscard]] double length_of(std::span<const SdpEntry> entries);

/// <A, X>, where X is read as (X + X') / 2; summed in long double.
[[nodiscard]] double inner(std::span<const SdpEntry> entries,
                           const BlockMatrix& x,
                           const SdpProblem& problem);

/// |.|_2.
[[nodiscard]] double norm(std::span<const double> numbers);

}  // namespace maxmargin
