// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "registry.hpp"

/// The clustering methods, one file methods_*.cpp a family; registry.cpp puts them together.
namespace maxmargin::tool {

struct MethodTable {
  std::span<const ClusterMethod> methods;
  std::span<const ModelKind> kinds;
};

/// k-means and k-medoids.
[[nodiscard]] MethodTable partition_methods();
/// Kernel k-means.
[[nodiscard]] MethodTable kernel_kmeans_methods();
/// Single, complete, average and Ward linkage.
[[nodiscard]] MethodTable hierarchical_methods();
/// Gaussian mixtures.
[[nodiscard]] MethodTable mixture_methods();
/// Support vector clustering.
[[nodiscard]] MethodTable sv_clustering_methods();
/// The SVM-Relabeler.
[[nodiscard]] MethodTable relabeler_methods();
/// Maximum-margin clustering.
[[nodiscard]] MethodTable mmc_methods();
/// Maximum-margin clustering of many points.
[[nodiscard]] MethodTable mmc_scalable_methods();
/// Spectral clustering and other cuts of the similarity graph.
[[nodiscard]] MethodTable spectral_methods();

}  // namespace maxmargin::tool
