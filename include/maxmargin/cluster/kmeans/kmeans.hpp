// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/solver/kmeans/kmeans.hpp"

namespace maxmargin {

/// What k-means learns: new points belong to the nearest centre.
struct MAXMARGIN_EXPORT KmeansModel {
  /// One centre a row.
  DenseMatrix centres = {};

  /// The nearest centre of every row, the lowest of equally near ones. Sparse examples may have
  /// fewer or more features than the centres (missing ones are 0, further ones are ignored); dense
  /// ones of another width throw InvalidArgument, and so does a value that is not finite. Requires
  /// at least one centre.
  [[nodiscard]] std::vector<std::int32_t> predict(
      const Examples& examples, std::optional<std::size_t> threads = std::nullopt) const;
};

/// A clustering of a data set by k-means; the fields are those of KmeansSolution.
struct KmeansClustering {
  KmeansModel model = {};
  std::vector<std::int32_t> labels = {};
  std::vector<std::size_t> sizes = {};
  double inertia = 0;
  std::size_t best_restart = 0;
  std::size_t restarts = 0;
  SolveReport report = {};
};

/// k-means on the examples of a data set, with its weights; labels are not looked at.
/// Throws what solve_kmeans throws.
[[nodiscard]] MAXMARGIN_EXPORT KmeansClustering cluster_kmeans(const Dataset& data,
                                                               const KmeansOptions& options = {});

}  // namespace maxmargin
