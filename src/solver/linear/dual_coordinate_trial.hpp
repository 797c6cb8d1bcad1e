// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "solver/linear/linear.hpp"

namespace maxmargin::linear {

/// solve_dual_coordinate that gives up with Status::no_progress and without objectives once it
/// expects more than `patience` passes in all. The arguments are valid.
[[nodiscard]] LinearSolution dual_coordinate(const LinearRisk& problem,
                                             const LinearOptions& options,
                                             std::span<const double> start,
                                             std::optional<std::uint64_t> patience);

}  // namespace maxmargin::linear
