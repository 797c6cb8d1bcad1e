// SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include <array>

#include "methods.hpp"

namespace maxmargin::tool {

namespace {

/// In the order help shows them.
constexpr std::array families = {partition_methods,
                                 kernel_kmeans_methods,
                                 hierarchical_methods,
                                 mixture_methods,
                                 spectral_methods,
                                 sv_clustering_methods,
                                 relabeler_methods,
                                 mmc_methods,
                                 mmc_scalable_methods};

std::vector<ClusterMethod> all_methods() {
  std::vector<ClusterMethod> all;
  for (const auto family : families) {
    const auto methods = family().methods;
    all.insert(all.end(), methods.begin(), methods.end());
  }
  return all;
}

}  // namespace

std::span<const ClusterMethod> cluster_methods() {
  static const std::vector<ClusterMethod> methods = all_methods();
  return methods;
}

const ClusterMethod& find_cluster_method(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const ClusterMethod& method : cluster_methods()) names.emplace_back(method.name);
  const std::string name = arguments.choice_or("method", "kmeans", names);
  for (const ClusterMethod& method : cluster_methods()) {
    if (method.name == name) return method;
  }
  throw InternalError("no method named " + name);
}

const ModelKind& find_model_kind(const ModelDocument& model) {
  for (const auto family : families) {
    for (const ModelKind& kind : family().kinds) {
      if (kind.learner == model.learner()) return kind;
    }
  }
  throw ModelFormatError(
      model.source(), {}, "a model of the learner " + model.learner() + " has no rows of features");
}

}  // namespace maxmargin::tool
