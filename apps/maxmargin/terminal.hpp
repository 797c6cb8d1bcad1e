// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/io/run_report.hpp"

namespace maxmargin::tool {

/// A callback that shows one line of progress on standard error, or where that is no terminal a
/// line now and then; empty with `quiet`.
[[nodiscard]] ProgressCallback progress_line(bool quiet);

/// Wipes the progress line, if one was drawn.
void end_progress_line();

/// A number for people; "undefined" for NaN.
[[nodiscard]] std::string shown(double value, int digits = 6);

/// A value of a report for people: "none" for nothing, "yes" and "no".
[[nodiscard]] std::string shown(const ReportValue& value);

/// Two aligned columns, one row a line.
[[nodiscard]] std::string table(const std::vector<std::pair<std::string, std::string>>& rows);
/// The same for named values; numbers with six significant digits.
[[nodiscard]] std::string table(const ReportFields& fields);

/// Aligned columns under the names of the fields, which all rows share; a field that is a truth
/// value is a star or nothing.
[[nodiscard]] std::string columns(const std::vector<ReportFields>& rows);

/// The summary of a run for people: status, objective, bound, measures, warnings.
[[nodiscard]] std::string summary(const RunReport& report);
/// The warnings alone, one a line: what --quiet leaves of it.
[[nodiscard]] std::string warning_lines(const SolveReport& report);

}  // namespace maxmargin::tool
