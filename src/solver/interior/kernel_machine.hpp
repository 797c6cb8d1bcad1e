// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "maxmargin/problem/svm_dual.hpp"
#include "maxmargin/solver/convex_method.hpp"
#include "solver/smo/smo.hpp"

/// The interior point method on kernel machines: docs/algorithms/interior-point.md.
namespace maxmargin::interior {

/// Whether the method takes the problem: no hard margins, and a matrix that fits in `bytes`.
[[nodiscard]] bool takes(const SvmDual& problem, std::size_t bytes);

/// Multiplications and additions of a solve on so many rows, by a number of steps that few problems
/// exceed.
[[nodiscard]] double kernel_operations(std::size_t rows);

/// solve_smo by the interior point method; the report counts its steps. Requires a valid problem
/// that the method takes, and no KKT tolerance.
[[nodiscard]] SmoSolution solve_kernel(const SvmDual& problem, const SmoOptions& options);

}  // namespace maxmargin::interior

namespace maxmargin {

/// Solves the dual by the method chosen. `automatic` is SMO, until its counted work says that the
/// interior point method is quicker: that one then takes over, and a warning says so. A start
/// serves SMO alone. Throws InvalidArgument when interior_point is chosen for a problem that it
/// does not take.
[[nodiscard]] SmoSolution solve_machine(const SvmDual& problem,
                                        ConvexMethod method,
                                        const SmoOptions& options,
                                        std::span<const double> start = {});

}  // namespace maxmargin
