// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"

namespace maxmargin {

/// Where one function of a tree sends a point: to another function (>= 0) or to cluster c, written
/// as -1 - c.
struct RelabelerSplit {
  std::int32_t below = -1;      ///< value < 0
  std::int32_t not_below = -1;  ///< value >= 0
};

/// From the values of the functions on a point to its cluster.
struct MAXMARGIN_EXPORT RelabelerRule {
  std::size_t clusters = 1;
  /// A tree that begins at function 0, one entry a function. Empty: one function a cluster, and the
  /// largest value wins, the lowest cluster among equals (one cluster: no function is asked).
  std::vector<RelabelerSplit> tree = {};

  /// The cluster of every row of `values`, which has one column a function.
  [[nodiscard]] std::vector<std::int32_t> clusters_of(DenseView values) const;
  /// Throws InvalidArgument unless every function of the tree is reached once, a child comes after
  /// its parent, every cluster occurs, and the number of functions fits.
  void validate(std::size_t functions) const;
};

/// The machine of a relabeler's final labels: names the cluster of new points.
struct MAXMARGIN_EXPORT RelabelerModel {
  DecisionFunction functions = LinearFunctions{};
  RelabelerRule rule = {};

  /// The cluster of every example. Features as in decision_values.
  [[nodiscard]] std::vector<std::int32_t> predict(
      const Examples& examples, std::optional<std::size_t> threads = std::nullopt) const;
};

}  // namespace maxmargin
