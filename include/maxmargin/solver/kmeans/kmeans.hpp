// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// k-means on matrices: docs/algorithms/kmeans.md.
namespace maxmargin {

/// How a restart chooses its first centres.
enum class KmeansStart {
  plus_plus,  ///< greedy k-means++: the best of a few drawn with chance ~ weight x squared distance
  random      ///< k distinct points, all equally likely
};

struct MAXMARGIN_EXPORT KmeansOptions {
  /// Number of clusters; at least 1, at most the number of distinct points of positive weight.
  std::size_t k = 2;
  KmeansStart start = KmeansStart::plus_plus;
  /// k centres, one a row: then there is one run, from these, and `start` and `restarts` are
  /// ignored.
  std::optional<DenseMatrix> start_centres = std::nullopt;
  /// Runs from different starts; the best is kept, the first of equals. Runs that fall behind are
  /// left before their end. At least 1.
  std::size_t restarts = 10;
  /// Passes over the data in each restart. At least 1.
  std::size_t max_iterations = 300;
  /// Callback: called after every pass of every restart, and between the choices of first centres
  /// among many points.
  Context context = {};
  /// Puts kmeans_lower_bound into the report when min(rows, columns) is at most this; 0: never.
  std::size_t lower_bound_limit = 2000;
  void describe(OptionVisitor& visit);
};

/// A clustering into k groups by nearest centre. Clusters are numbered by size, the largest first,
/// then by their first member.
struct KmeansSolution {
  /// Cluster of each row: the one whose centre is nearest. When the status is `solved`, the centres
  /// are the (weighted) means of these clusters as well.
  std::vector<std::int32_t> labels = {};
  /// One centre a row.
  DenseMatrix centres = {};
  /// Rows in each cluster.
  std::vector<std::size_t> sizes = {};
  /// Sum over rows of weight x squared distance to the row's centre, from plain differences.
  double inertia = 0;
  /// The restart that was kept, from 0, and how many were run.
  std::size_t best_restart = 0;
  std::size_t restarts = 0;
  /// primal_objective is the inertia; lower_bound a bound on that of every clustering into k
  /// groups; status and iterations are those of the restart that was kept.
  SolveReport report = {};
};

/// Lloyd's method with restarts. `weights` is empty (all 1) or has one weight >= 0 a row.
/// A cluster that loses all its points takes over the point farthest from its centre (noted in
/// report.warnings). Ties go to the lowest index. The same for any number of threads.
/// Throws InvalidArgument for wrong sizes, values that are not finite, and k above the number of
/// distinct points of positive weight.
[[nodiscard]] MAXMARGIN_EXPORT KmeansSolution solve_kmeans(DenseView points,
                                                           const KmeansOptions& options,
                                                           std::span<const double> weights = {});
[[nodiscard]] MAXMARGIN_EXPORT KmeansSolution solve_kmeans(const SparseView& points,
                                                           const KmeansOptions& options,
                                                           std::span<const double> weights = {});

}  // namespace maxmargin
