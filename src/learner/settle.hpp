// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/report.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/learner/learner.hpp"

/// What a training says of its own end: docs/guide/report.md, "Status".
namespace maxmargin::learning {

/// `solved` is said of a gap within the tolerance, or without a gap of a procedure. Else
/// LearnerInfo::ending says what it is. `options` are those used: with a KKT tolerance
/// that one decides. In the object `relaxation`, where there is one, `status` says the same of the
/// relaxation itself.
void settle_status(const LearnerInfo& info,
                   const ReportFields& options,
                   SolveReport& report,
                   std::vector<std::pair<std::string, ReportFields>>& objects);

}  // namespace maxmargin::learning
