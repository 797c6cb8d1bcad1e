// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "machine_document.hpp"
#include "maxmargin/io/run_report.hpp"

namespace maxmargin::tool {

/// What `info` shows of a supervised machine: figures, and named groups of figures below them.
struct MachineFigures {
  ReportFields fields = {};
  std::vector<std::pair<std::string, ReportFields>> groups = {};
};

[[nodiscard]] MachineFigures figures_of(const LoadedMachine& loaded, const std::string& source);

}  // namespace maxmargin::tool
