// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "maxmargin/cluster/sv/clustering.hpp"

namespace maxmargin::sv_clustering {

/// The least sphere around the mapped rows, all that is known of it in double.
struct Sphere {
  /// f(x) = squared_radius - R^2(x); empty of vectors after a numerical failure.
  KernelExpansion function = {};
  std::vector<double> beta = {};
  /// R^2 of every row.
  std::vector<double> squared_distances = {};
  double squared_radius = 0;
  /// The largest R^2 of a row that could take more weight, and an allowance for rounding: at the
  /// optimum the squared radius. All rows beyond it are at their bounds.
  double level = 0;
  std::size_t support_vectors = 0;
  std::size_t bounded = 0;
  SolveReport report = {};
};

/// sv-clustering.md steps 1 and 2. Requires valid options.
[[nodiscard]] Sphere solve_sphere(const Dataset& data, const SvClusteringOptions& options);

/// The largest minimiser r of r + sum_i costs_i max(0, squared_distances_i - r). Requires costs
/// >= 0 with a sum of at least 1.
[[nodiscard]] double best_squared_radius(std::span<const double> squared_distances,
                                         std::span<const double> costs);

}  // namespace maxmargin::sv_clustering
