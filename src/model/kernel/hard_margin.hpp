// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/kernel/kernel.hpp"
#include "model/kernel/code_trainer.hpp"

/// docs/algorithms/hard-margin.md
namespace maxmargin {

/// The hard margin of a linear kernel by the features themselves, which have the digits that their
/// products have lost: for machines that SMO did not solve, or whose margin is narrow. The machine
/// has `weights` when it is solved; its status is primal_infeasible when a common point of the
/// hulls proves that there is none. Other kernels, machines that are solved or were stopped, and
/// tables that memory has no room for come back as they are. `examples` are all that the part
/// speaks of.
[[nodiscard]] CodeMachine with_narrow_margin(CodeMachine machine,
                                             const Kernel& kernel,
                                             const Examples& examples,
                                             const CodeProblem& of,
                                             bool bias,
                                             const TrainingControl& control);

/// Adds sum_i c_i K(x_i, .) + offset of a linear kernel as function f, as a w and an offset.
void add_linear_function(const Kernel& kernel,
                         const Examples& examples,
                         std::span<const double> coefficients,
                         double offset,
                         std::size_t f,
                         LinearFunctions& functions);

}  // namespace maxmargin
