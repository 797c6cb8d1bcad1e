// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "data_source.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/eval/stability.hpp"
#include "registry.hpp"

/// One run of a clustering method, as `cluster`, its --compare and its -k auto make it.
namespace maxmargin::tool {

/// The data of a clustering, scaled as --scale asks.
struct ClusterData {
  LoadedData loaded = {};
  Scaler scaler = {};
};
[[nodiscard]] ClusterData load_cluster_data(const Arguments& arguments);

/// Does the method take this option, one that only some methods take?
[[nodiscard]] bool takes(const ClusterMethod& method, std::string_view option);

/// Is the data the method's kernel matrix (--kernel precomputed)? Its columns are no coordinates,
/// and a part of its rows is no data of the same kind.
[[nodiscard]] bool has_precomputed_kernel(const ClusterMethod& method, const Arguments& arguments);

/// Throws UsageError when an option is given that the method does not take, -k among them.
void refuse_foreign_options(const ClusterMethod& method, const Arguments& arguments);

/// The arguments without the options that the method does not take.
[[nodiscard]] Arguments without_foreign_options(const ClusterMethod& method,
                                                const Arguments& arguments);

/// Was -k auto asked for?
[[nodiscard]] bool wants_chosen_clusters(const Arguments& arguments);

/// The callback of a run: a line of progress, Ctrl-C and --time-limit.
[[nodiscard]] ProgressCallback run_progress(const Arguments& arguments);

/// The method as a function of the data, with everything else fixed: for clusterings of subsamples.
/// A width that was found by a rule on all data is `kernel`'s from here on. A run that was stopped
/// has no labels.
[[nodiscard]] ClusterFunction cluster_function(const ClusterMethod& method,
                                               const Arguments& arguments,
                                               const std::optional<Kernel>& kernel);

/// The recomputed objective agrees with the reported one to rounding, and is above the bound.
[[nodiscard]] bool verify(const ClusterMethod& method,
                          const Dataset& data,
                          const ClusterAnswer& answer);

/// What the report says of the options beside those of the method.
[[nodiscard]] ReportFields used_options(const Arguments& arguments, ReportFields of_method);

/// Number of clusters that have a point, and of points that have no cluster.
struct ClusterCounts {
  std::size_t clusters = 0;
  std::size_t outliers = 0;
};
[[nodiscard]] ClusterCounts count_clusters(std::span<const std::int32_t> labels);

}  // namespace maxmargin::tool
