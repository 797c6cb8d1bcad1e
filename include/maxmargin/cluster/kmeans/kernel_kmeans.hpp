// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"

/// k-means in the feature space of a kernel: docs/algorithms/kernel-kmeans.md.
namespace maxmargin {

/// How a restart finds its first clusters.
enum class KernelKmeansStart {
  plus_plus,   ///< k-means++ in feature space: each next centre ~ weight x squared distance
  random,      ///< k points that the kernel tells apart, all equally likely
  sequential,  ///< such points, then one pass in random order that moves a mean with every point
};

template <>
inline constexpr auto names_of<KernelKmeansStart> =
    name_table<KernelKmeansStart>({{"plus-plus", KernelKmeansStart::plus_plus},
                                   {"random", KernelKmeansStart::random},
                                   {"sequential", KernelKmeansStart::sequential}});

struct MAXMARGIN_EXPORT KernelKmeansOptions {
  /// Number of clusters; at least 1, at most the number of points of positive weight that the
  /// kernel tells apart.
  std::size_t k = 2;
  KernelKmeansStart start = KernelKmeansStart::plus_plus;
  /// A cluster 0, ..., k-1 for every point, none of them empty: then there is one run, from these,
  /// and `start` and `restarts` are ignored.
  std::optional<std::vector<std::int32_t>> start_labels = std::nullopt;
  /// Runs from different starts; the best is kept, the first of equals. At least 1.
  std::size_t restarts = 10;
  /// Passes over the points in each restart. At least 1.
  std::size_t max_iterations = 300;
  /// Ends every run by moves of single points until none lowers the sum of squares. Without it a
  /// run ends where the batch rule does.
  bool exchange = true;
  /// Puts kernel_kmeans_lower_bound into the report for at most so many points; 0: never.
  std::size_t lower_bound_limit = 2000;
  /// Memory limit: bytes the Gram matrix may take; a larger one is computed in blocks whenever it
  /// is needed. Callback: called after every pass of every restart, and without an objective at
  /// every start, within long passes and before the lower bound, which is left out when the answer
  /// is not `yes`.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// The centres of the clusters in feature space, as sums over the training points.
struct MAXMARGIN_EXPORT KernelKmeansModel {
  /// Function v is 2 <m_v, phi(x)> - |m_v|^2 with m_v the mean of cluster v: the larger, the nearer
  /// is x to m_v. Coefficients are twice those of the means.
  KernelExpansion centres = {};

  /// The cluster of the nearest centre, the lowest of equally near ones. Wider and narrower
  /// examples as in decision_values.
  [[nodiscard]] std::vector<std::int32_t> predict(
      const Examples& examples, std::optional<std::size_t> threads = std::nullopt) const;
  /// |phi(x) - m_v|^2, one row an example, one column a cluster. With a kernel that is not positive
  /// semidefinite it may be negative.
  [[nodiscard]] DenseMatrix squared_distances(
      const Examples& examples, std::optional<std::size_t> threads = std::nullopt) const;
};

/// A clustering in feature space. Clusters are numbered by size, the largest first, then by their
/// first member.
struct KernelKmeansClustering {
  KernelKmeansModel model = {};
  std::vector<std::int32_t> labels = {};
  std::vector<std::size_t> sizes = {};
  /// Sum over points of weight x squared distance to the mean of the cluster, in feature space.
  double kernel_sse = 0;
  /// The same by cluster.
  std::vector<double> sse_of_cluster = {};
  std::size_t best_restart = 0;
  std::size_t restarts = 0;
  /// primal_objective is the kernel SSE; lower_bound a bound on that of every clustering into k
  /// groups. Status `solved`: no move of a single point lowers the sum of squares (with `exchange`
  /// off: no point is nearer to another mean); `no_progress`: with `exchange` off and a kernel that
  /// is not positive semidefinite, the next batch step would raise it.
  SolveReport report = {};
};

/// Kernel k-means on the examples of a data set, with its weights. Any symmetric kernel will do:
/// one that is not known to be positive semidefinite is noted in report.warnings, and the sum of
/// squares still falls with every step. The same for any number of threads. Throws InvalidArgument
/// for examples outside the kernel's domain, kernel values so large that sums overflow, wrong
/// weights and a k that the points do not allow.
[[nodiscard]] MAXMARGIN_EXPORT KernelKmeansClustering cluster_kernel_kmeans(
    const Dataset& data, const Kernel& kernel, const KernelKmeansOptions& options = {});

/// The same from a Gram matrix, square and symmetric to 1e-6 of its largest entry. The model's
/// kernel is a precomputed one that awaits the m x n matrix of new examples; memory_limit does not
/// matter.
[[nodiscard]] MAXMARGIN_EXPORT KernelKmeansClustering cluster_kernel_kmeans(
    DenseView gram, const KernelKmeansOptions& options, std::span<const double> weights = {});

/// A number that the kernel SSE of no clustering into k groups falls below, for any symmetric
/// matrix: the trace of the centred Gram matrix less its k-1 largest eigenvalues and an allowance
/// for rounding. O(n^3). Throws InvalidArgument for k = 0, a matrix that is not square or not
/// finite, and wrong weights.
[[nodiscard]] MAXMARGIN_EXPORT double kernel_kmeans_lower_bound(
    DenseView gram, std::size_t k, std::span<const double> weights = {});

/// What one pass of the sequential rule makes of some points.
struct SequentialKernelMeans {
  std::vector<std::int32_t> labels = {};
  /// Coefficient g_vj of point j in the mean of cluster v: one row a cluster. Rows sum to 1.
  DenseMatrix coefficients = {};
};

/// One pass of the sequential rule: the means start at the points `seeds`; then every further point
/// joins the nearest mean, the lowest of equally near ones, which moves to it by its share in the
/// cluster's weight. `order` holds all other points in the order of the pass. Throws
/// InvalidArgument unless seeds and order name every point once and all seeds have positive weight.
[[nodiscard]] MAXMARGIN_EXPORT SequentialKernelMeans
sequential_kernel_means(DenseView gram,
                        std::span<const std::size_t> seeds,
                        std::span<const std::size_t> order,
                        std::span<const double> weights = {});

}  // namespace maxmargin
