// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/report.hpp"

namespace maxmargin {

/// The last step of every solve: what a report says is below the objective is below it. A bound
/// that rounding took above the objective is the objective. One that is further above, by more than
/// 1e-6 of the larger and by more than `allowed`, says that one of the two is wrong: the report is
/// a numerical_failure then and claims neither.
void settle(SolveReport& report, double allowed = 0);

/// Takes back what a report claims: its objectives and its bound.
void claim_nothing(SolveReport& report);

}  // namespace maxmargin
