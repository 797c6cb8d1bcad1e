// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "maxmargin/io/run_report.hpp"

namespace maxmargin::tool {

/// Rows with the same fields as CSV under their names: undefined values are empty cells, truth
/// values 1 and 0, and a text with a comma, a quote or a line end stands in quotes.
[[nodiscard]] std::string csv_of(const std::vector<ReportFields>& rows);

}  // namespace maxmargin::tool
