// SPDX-License-Identifier: Apache-2.0
#include "learner/clustering/request.hpp"

#include <algorithm>

#include "learner/option_texts.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin::learning {

namespace {

bool is_cluster_count(const OptionTexts::value_type& option) {
  return option.first == cluster_count_name || option.first == cluster_count_alias;
}

}  // namespace

void SharedClusterOptions::describe(OptionVisitor& visit) { describe_scaling(visit, scale); }

OptionTexts with_cluster_count(OptionTexts options, std::size_t k) {
  std::erase_if(options, is_cluster_count);
  options.emplace_back(cluster_count_name, std::to_string(k));
  return options;
}

ClusterRequest read_request(const ClusterLearner& method, const OptionTexts& options) {
  ClusterRequest request;
  OptionTexts shared;
  const std::vector<OptionDescription> known = describe_options(request.shared);
  for (const auto& option : options) {
    const bool is_shared = std::ranges::any_of(
        known, [&](const OptionDescription& each) { return each.name == option.first; });
    (is_shared ? shared : request.own).push_back(option);
  }
  set_options(request.shared, shared, "a clustering");
  validate(request.shared);
  const std::optional<std::string> k = last_of(options, cluster_count_name, cluster_count_alias);
  if (k && !method.takes(cluster_count_name)) {
    throw InvalidArgument("-k: the method " + std::string(method.info().name) +
                          " finds the number of clusters by itself");
  }
  request.chooses_clusters = k == chosen_count;
  if (request.chooses_clusters) std::erase_if(request.own, is_cluster_count);
  request.is_precomputed = method.takes("kernel") && last_of(options, "kernel") == "precomputed";
  if (request.is_precomputed && request.shared.scale.kind != ScalingKind::none) {
    throw InvalidArgument("--scale: a precomputed kernel has no features to scale");
  }
  if (request.is_precomputed && request.chooses_clusters) {
    throw InvalidArgument(
        "-k auto: the method is run on parts of the data, and a precomputed kernel has none; give "
        "a number");
  }
  return request;
}

}  // namespace maxmargin::learning
