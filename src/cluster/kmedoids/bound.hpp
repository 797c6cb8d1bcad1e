// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "cluster/kmedoids/swap.hpp"
#include "maxmargin/core/progress.hpp"

namespace maxmargin::kmedoids {

/// A number that no choice of k medoids can cost less than: the best value of the Lagrangian dual
/// met in up to `steps` subgradient steps from a start made of a known solution (kmedoids.md
/// derives it). `ask` is called with the step and the bound so far. Requires k >= 1 medoids behind
/// `neighbours`.
[[nodiscard]] double dual_bound(const Problem& problem,
                                std::size_t k,
                                const Neighbours& neighbours,
                                std::size_t steps,
                                const std::function<Continue(std::size_t, double)>& ask);

}  // namespace maxmargin::kmedoids
