// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "data_source.hpp"
#include "maxmargin/io/run_report.hpp"

namespace maxmargin::tool {

/// Adds the measures that compare clusters with the labels the data carries (none without labels):
/// misassignment, majority_error, purity, ari, nmi; with --labeled-rows also transductive_error.
void add_label_measures(const LoadedData& loaded,
                        std::span<const std::int32_t> clusters,
                        RunReport& report);

/// The clusters as `cluster` and `predict` write them: one a line, `outlier` for -1.
[[nodiscard]] std::string cluster_lines(std::span<const std::int32_t> clusters);

}  // namespace maxmargin::tool
