// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "learner/clustering/clustering.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/data/scaling.hpp"

/// The options that a clustering is asked for, those of all methods apart from the method's own.
namespace maxmargin::learning {

/// The names of the number of clusters and of its value that is to be found.
inline constexpr std::string_view cluster_count_name = "k";
inline constexpr std::string_view cluster_count_alias = "clusters";
inline constexpr std::string_view chosen_count = "auto";

/// What all methods take beside their own options.
struct SharedClusterOptions {
  ScalingOptions scale = {};
  void describe(OptionVisitor& visit);
};

struct ClusterRequest {
  SharedClusterOptions shared = {};
  /// For ClusterLearner::run.
  OptionTexts own = {};
  /// `auto` was asked for.
  bool chooses_clusters = false;
  /// The data is the method's kernel matrix: its columns are no coordinates, and a part of its rows
  /// is no data of the same kind.
  bool is_precomputed = false;
};

/// Throws InvalidArgument for wrong options of all methods and for a number of clusters that the
/// method does not take; its own options are not looked at.
[[nodiscard]] ClusterRequest read_request(const ClusterLearner& method, const OptionTexts& options);

/// The options with that one, under this name alone.
[[nodiscard]] OptionTexts with_cluster_count(OptionTexts options, std::size_t k);

}  // namespace maxmargin::learning
