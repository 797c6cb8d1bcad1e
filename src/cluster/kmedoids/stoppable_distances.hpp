// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/cluster/kmedoids/kmedoids.hpp"
#include "maxmargin/core/context.hpp"

namespace maxmargin {

/// As distance_matrix(), but asks the context's callback. Throws Stopped (core/stoppable.hpp).
[[nodiscard]] DenseMatrix stoppable_distances(const Examples& examples,
                                              Distance distance,
                                              const Context& context);

}  // namespace maxmargin
