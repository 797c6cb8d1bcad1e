// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/cluster/spectral/spectral.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/label.hpp"

/// The spectral baseline of semi-supervised learning: docs/algorithms/s3vm.md.
namespace maxmargin {

/// A class for every cluster, by the labelled rows in it. With `clusters` no more than `classes` no
/// class is given twice, and of all such namings this one errs least on the labelled rows; a
/// cluster beyond those takes the class most frequent in it. Equal errors: the class with more
/// labelled rows in all is preferred, then the lower index. `class_of_row` and `cluster_of_row` are
/// -1 where unknown. Throws InvalidArgument for lengths that differ, numbers out of range and no
/// classes.
[[nodiscard]] std::vector<std::int32_t> name_clusters(std::span<const std::int32_t> cluster_of_row,
                                                      std::size_t clusters,
                                                      std::span<const std::int32_t> class_of_row,
                                                      std::size_t classes);

/// Clusters of all rows named by the labels of some.
struct SpectralLabelling {
  SpectralClustering clustering = {};
  /// The classes of the labelled rows, in the order of Label.
  std::vector<Label> classes = {};
  /// Index into `classes` by cluster.
  std::vector<std::int32_t> class_of_cluster = {};
  /// The class with most labelled rows, which outliers of the clustering get.
  std::int32_t frequent_class = 0;
  /// Index into `classes` by row.
  std::vector<std::int32_t> class_of_row = {};
  /// Share of the labelled rows whose cluster has another name.
  double labelled_error = 0;

  /// Labels of new rows.
  [[nodiscard]] std::vector<Label> predict(const Examples& examples) const;
};

/// Spectral clustering of all rows without their labels (options.k is ignored: a cluster a class),
/// then name_clusters. Throws InvalidArgument without a labelled row, with one class, and as
/// cluster_spectral does.
[[nodiscard]] SpectralLabelling label_by_spectral(const Dataset& data,
                                                  SpectralOptions options = {});

}  // namespace maxmargin
