// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/context.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// A Gram matrix, or nothing where the callback said stop before it was complete.
struct StoppableGram {
  DenseMatrix matrix = {};
  Continue answer = Continue::yes;
};

/// As gram(), but asks the context's callback before every tile, unless there are few rows
/// (rows_finished_anyway).
[[nodiscard]] StoppableGram gram_unless_stopped(const Kernel& kernel,
                                                const Examples& examples,
                                                const Context& context);

}  // namespace maxmargin
