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
#include "maxmargin/data/examples.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/linalg/row.hpp"

/// k-medoids for general distances: docs/algorithms/kmedoids.md.
namespace maxmargin {

/// Distances between examples.
enum class Distance {
  euclidean,
  manhattan,
  /// 1 - cos of the angle; a zero vector is at distance 1 from all others and 0 from zero vectors.
  cosine
};

template <>
inline constexpr auto names_of<Distance> = name_table<Distance>({{"euclidean", Distance::euclidean},
                                                                 {"manhattan", Distance::manhattan},
                                                                 {"cosine", Distance::cosine}});

/// Option distance.
MAXMARGIN_EXPORT void describe_distance(OptionVisitor& visit, Distance& distance);

/// The distance between two examples. Equal rows are exactly 0 apart. Two dense rows must have
/// equal length.
[[nodiscard]] MAXMARGIN_EXPORT double distance_between(Distance distance,
                                                       const Row& x,
                                                       const Row& z);

/// All distances between the rows: symmetric, zeros on the diagonal, 8 n^2 bytes.
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix distance_matrix(
    const Examples& examples, Distance distance, std::optional<std::size_t> threads = std::nullopt);

struct MAXMARGIN_EXPORT KmedoidsOptions {
  /// Number of medoids; at least 1, at most the number of points at distance > 0 of one another.
  std::size_t k = 2;
  /// Runs; the first starts from the greedy choice, the others from random points. At least 1.
  std::size_t restarts = 10;
  /// Swaps in each run. At least 1.
  std::size_t max_iterations = 300;
  /// Steps of the dual ascent behind report.lower_bound, each one look at all distances; 0: none.
  std::size_t bound_iterations = 200;
  /// Callback: called after every swap and every bound step.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// What k-medoids learns: new points belong to the nearest medoid.
struct MAXMARGIN_EXPORT KmedoidsModel {
  Distance distance = Distance::euclidean;
  /// One medoid a row.
  Examples medoids = {};

  /// The nearest medoid of every row, the lowest of equally near ones. Dense examples of another
  /// width than dense medoids throw InvalidArgument.
  [[nodiscard]] std::vector<std::int32_t> predict(
      const Examples& examples, std::optional<std::size_t> threads = std::nullopt) const;
};

/// A clustering around k of the points. Clusters are numbered by size, the largest first, then by
/// their first member.
struct KmedoidsClustering {
  std::vector<std::int32_t> labels = {};
  /// The point at the centre of each cluster.
  std::vector<std::size_t> medoids = {};
  std::vector<std::size_t> sizes = {};
  /// Sum over points of weight x distance to the nearest medoid.
  double cost = 0;
  std::size_t best_restart = 0;
  /// primal_objective is the cost; lower_bound a bound on that of every choice of k medoids. Status
  /// `solved` means that no exchange of one medoid for another point lowers the cost.
  SolveReport report = {};
};

/// Clusters the points behind a square matrix: entry (i, j) is the distance of point j to medoid i,
/// finite and >= 0. The matrix need not be symmetric or obey the triangle inequality. `weights` is
/// empty (all 1) or has one weight >= 0 a point. Throws InvalidArgument for anything else, and for
/// k above the number of points that lie apart.
[[nodiscard]] MAXMARGIN_EXPORT KmedoidsClustering cluster_kmedoids(
    DenseView distances, const KmedoidsOptions& options, std::span<const double> weights = {});

/// The same on the distances between the examples of a data set, with its weights.
[[nodiscard]] MAXMARGIN_EXPORT KmedoidsClustering cluster_kmedoids(const Dataset& data,
                                                                   Distance distance,
                                                                   const KmedoidsOptions& options);

}  // namespace maxmargin
