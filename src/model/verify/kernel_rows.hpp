// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "maxmargin/core/context.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin {

/// What a centred or iterated kernel in a model holds of its training, held against the training
/// rows as the kernel saw them: the rows must be these, and the means those of their kernel values,
/// which are computed again one by one by evaluate(). Returns the first difference; empty: none.
/// O(n^2) kernel values.
[[nodiscard]] std::string fault_of_kernel_rows(const Kernel& kernel,
                                               const Examples& rows,
                                               const Context& context);

}  // namespace maxmargin
