// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/problem/linear_risk.hpp"
#include "solver/linear/linear.hpp"

/// The interior point method on linear machines: docs/algorithms/interior-point.md.
namespace maxmargin::interior {

/// Whether the method takes the problem: penalty l2, no logistic loss, and matrices that fit in the
/// memory of the context.
[[nodiscard]] bool takes(const LinearRisk& problem, const Context& context);

/// Multiplications and additions of a solve, by a number of steps that few problems exceed.
[[nodiscard]] double linear_operations(const LinearRisk& problem);

/// Requires a valid problem that the method takes. The report counts steps.
[[nodiscard]] LinearSolution solve_linear(const LinearRisk& problem, const LinearOptions& options);

}  // namespace maxmargin::interior
