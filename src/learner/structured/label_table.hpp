// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "maxmargin/io/run_report.hpp"
#include "maxmargin/metric/confusion.hpp"

/// Measures by label, as all learners of structured outputs show them.
namespace maxmargin::learning {

/// A row of precision, recall, F1 and the number of true ones, beginning with `title: name`.
[[nodiscard]] ReportFields label_row(const std::string& title,
                                     const std::string& name,
                                     const BinaryCounts& counts);

}  // namespace maxmargin::learning
