// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/report.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/learner/learner.hpp"

/// What a training says of its own end: docs/guide/report.md, "Status".
namespace maxmargin::learning {

/// `solved` is said of a gap within the tolerance, or where there is no gap and the learner is no
/// search. Else LearnerInfo::ending says what it is. `options` are those used; `tolerance` among
/// them is a gap. A KKT tolerance is a looser rule, which the message names then. In the object
/// `relaxation` and the rows of `relaxations`, where there are such, `status` says how the
/// relaxation itself ended; that it was solved is said of a gap within the tolerance there, too.
void settle_status(const LearnerInfo& info,
                   const ReportFields& options,
                   SolveReport& report,
                   std::vector<std::pair<std::string, ReportFields>>& objects,
                   std::vector<std::pair<std::string, std::vector<ReportFields>>>& tables);

}  // namespace maxmargin::learning
