// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "solver/linear/linear.hpp"

namespace maxmargin::linear {

/// When dual coordinate descent leaves the rest to another method.
struct Trial {
  /// Once it expects more passes than these in all.
  std::optional<std::uint64_t> passes = std::nullopt;
  /// Once its multiplications and additions exceed these.
  std::optional<double> operations = std::nullopt;
};

/// solve_dual_coordinate that gives up with Status::no_progress and without objectives when the
/// trial says so. The arguments are valid.
[[nodiscard]] LinearSolution dual_coordinate(const LinearRisk& problem,
                                             const LinearOptions& options,
                                             std::span<const double> start,
                                             const Trial& trial);

}  // namespace maxmargin::linear
