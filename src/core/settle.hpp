// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maxmargin/core/ending.hpp"
#include "maxmargin/core/report.hpp"

namespace maxmargin {

/// The relative gap that learners without a tolerance of their own are held to.
inline constexpr double usual_tolerance = 1e-3;

/// The last step of every solve: what a report says is below the objective is below it. A bound
/// that rounding took above the objective is the objective. One that is further above, by more than
/// 1e-6 of the larger and by more than `allowed`, says that one of the two is wrong: the report is
/// a numerical_failure then and claims neither.
void settle(SolveReport& report, double allowed = 0);

/// Of training functions, after their last use of the status: `solved` is said of a relative gap
/// within the tolerance, or where the ending asks for none. What else came to its own end is called
/// as the ending says; `violation` is that at which the solver was told to stop. A convex problem
/// whose objectives have no finite gap is a numerical_failure, and claims nothing.
void settle_end(SolveReport& report,
                Ending ending,
                double tolerance = usual_tolerance,
                std::optional<double> violation = std::nullopt);

/// Takes back what a report claims: its objectives and its bound.
void claim_nothing(SolveReport& report);

}  // namespace maxmargin
