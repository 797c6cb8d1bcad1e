// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/call.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "picture.hpp"

/// What `plot` draws.
namespace maxmargin::tool {

/// Data, the group of every row, and what is known of the model that says so.
struct PlotSubject {
  TableData table = {};
  std::vector<std::int32_t> groups = {};
  Picture picture = {};
  /// A machine's own values on the rows, a column a function; empty for other models.
  DenseMatrix values = {};
  /// What each function tells apart; empty when there is one alone.
  std::vector<std::string> function_names = {};
  /// How a clustering's model sees the rows.
  std::optional<Scaler> scaler = std::nullopt;
};

/// Where the groups come from.
struct SubjectOptions {
  std::optional<std::string> model = std::nullopt;
  std::optional<std::string> labels = std::nullopt;
  void describe(OptionVisitor& visit);
};

/// Groups are what the model says of the rows (clusters, classes, inside or outside), else the
/// labels of --labels, else those of the data; without any all rows are of one group. Throws
/// UsageError for a regression, which has no groups.
[[nodiscard]] PlotSubject load_subject(const std::string& where,
                                       const OptionTexts& source,
                                       const SubjectOptions& options,
                                       const Context& context);

}  // namespace maxmargin::tool
