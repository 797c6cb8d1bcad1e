// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arguments.hpp"
#include "data_source.hpp"
#include "picture.hpp"

/// What `plot` draws.
namespace maxmargin::tool {

/// Data, the group of every row, and what is known of the model that says so.
struct PlotSubject {
  LoadedData loaded = {};
  std::vector<std::int32_t> groups = {};
  Picture picture = {};
  /// The values of a two-class machine on the rows; empty for other models.
  std::vector<double> values = {};
};

/// Groups are what --model says of the rows (clusters, classes, inside or outside), else the labels
/// of --labels, else those of the data; without any all rows are of one group. Throws UsageError
/// for --model beside --labels and for a regression, which has no groups.
[[nodiscard]] PlotSubject load_subject(const Arguments& arguments);

}  // namespace maxmargin::tool
