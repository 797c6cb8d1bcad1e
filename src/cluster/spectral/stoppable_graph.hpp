// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "maxmargin/cluster/spectral/spectral.hpp"
#include "maxmargin/core/context.hpp"

namespace maxmargin {

/// As similarity_graph(), but asks the context's callback while all pairs are computed. Throws
/// Stopped (core/stoppable.hpp).
[[nodiscard]] SimilarityGraph stoppable_similarity_graph(const Kernel& kernel,
                                                         const Examples& examples,
                                                         std::optional<std::size_t> neighbours,
                                                         const Context& context);

}  // namespace maxmargin
