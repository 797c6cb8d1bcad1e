// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "maxmargin/core/context.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/learner/model.hpp"

/// What a model says twice, or keeps of its training rows, before its certificate is recomputed.
namespace maxmargin::learning {

/// The kernel in the body of a model; empty: it has none.
[[nodiscard]] std::optional<Kernel> kernel_in(const ModelDocument& document);

/// The first option that the header says otherwise than the body, from which everything is
/// recomputed ("the header's gamma is 5, the kernel's is 0.1"), or the first fault of what the
/// kernel holds of the training rows (fault_of_kernel_rows). Empty: there is none. A kernel is
/// asked where it is given; `rows` are the training rows as it saw them.
[[nodiscard]] std::string false_claim(const Model& model,
                                      const Kernel* kernel,
                                      const Examples& rows,
                                      const Context& context);

}  // namespace maxmargin::learning
