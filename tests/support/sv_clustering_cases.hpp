// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "maxmargin/cluster/sv/clustering.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/generators.hpp"

/// What the tests of support vector clustering share.
namespace maxmargin {

inline constexpr std::array all_graphs = {ProximityGraph::complete,
                                          ProximityGraph::knn,
                                          ProximityGraph::mst,
                                          ProximityGraph::delaunay,
                                          ProximityGraph::support_vectors};

inline SvClusteringOptions exact(const Kernel& kernel,
                                 double nu = 0,
                                 ProximityGraph graph = ProximityGraph::complete) {
  return {.kernel = kernel, .nu = nu, .graph = graph, .tolerance = 1e-10};
}

/// The multipliers of all rows.
inline std::vector<double> multipliers(const SvClustering& found) {
  std::vector<double> beta(found.labels.size(), 0.0);
  const KernelExpansion& sphere = found.model.sphere;
  for (std::size_t k = 0; k < sphere.training_rows.size(); ++k) {
    beta[sphere.training_rows[k]] = sphere.coefficients(k, 0) / 2;
  }
  return beta;
}

/// Clusters renamed in the order of first members: equal for equal partitions.
inline std::vector<std::int32_t> partition(std::span<const std::int32_t> labels) {
  std::map<std::int32_t, std::int32_t> names = {{-1, -1}};
  std::vector<std::int32_t> renamed;
  for (const std::int32_t label : labels) {
    names.try_emplace(label, static_cast<std::int32_t>(names.size()) - 1);
    renamed.push_back(names[label]);
  }
  return renamed;
}

inline Dataset blobs(std::size_t n, std::size_t d, std::uint64_t seed) {
  Rng rng(seed, "blobs");
  DenseMatrix points(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) points(i, j) = rng.normal();
    points(i, 0) += 6.0 * static_cast<double>(i % 3);
  }
  return {.examples = points};
}

/// Dense enough for every graph to follow them at gamma 2.4.
inline Dataset two_rings() { return generate_circles({.n = 300, .noise = 0.03, .seed = 2}); }

}  // namespace maxmargin
