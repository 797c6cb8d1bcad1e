// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/model/classifier.hpp"

/// What kernels that are not positive semidefinite leave of a certificate:
/// docs/guide/kernels/checking.md.
namespace maxmargin {

/// Is the kernel indefinite, or is nothing known of it? |w|^2 may be negative then: the objective
/// has no least value, and the dual proves nothing. A matrix from outside is what its caller says
/// it is.
[[nodiscard]] bool lacks_proof(const Kernel& kernel);

/// What a report says of it in `warnings`, a verification as its reason.
inline constexpr std::string_view no_proof =
    "the kernel is not positive semidefinite: the objective has no lower bound, so there is no "
    "dual "
    "objective and no gap";

/// Takes back what the dual would prove, with a warning.
void take_back_proof(SolveReport& report);
/// The same of all machines and their sum.
void take_back_proof(std::vector<MachineReport>& machines, SolveReport& sum);

}  // namespace maxmargin
