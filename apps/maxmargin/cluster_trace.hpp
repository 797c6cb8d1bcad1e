// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry.hpp"

/// What a run recorded at every iteration, as a table.
namespace maxmargin::tool {

/// CSV with a header: iteration (from 0) and a column for everything the method recorded; an
/// undefined value is an empty cell. Throws UsageError when the method recorded nothing.
[[nodiscard]] std::string trace_csv(const ClusterAnswer& answer);

/// The same without the number of the iteration, for --`option`, which the error names.
[[nodiscard]] std::string recorded_csv(const ClusterAnswer& answer, std::string_view option);

/// Named columns of equal length.
struct TraceTable {
  std::vector<std::string> names = {};
  /// NaN for an empty cell.
  std::vector<std::vector<double>> columns = {};
};

/// Reads what trace_csv wrote ("-" is standard input). Throws ParseError with line and column.
[[nodiscard]] TraceTable read_trace(const std::string& path);

}  // namespace maxmargin::tool
