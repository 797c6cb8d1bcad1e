// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cluster/sv/proximity_parts.hpp"
#include "maxmargin/cluster/sv/clustering.hpp"

namespace maxmargin::sv_clustering {

/// The set { x : R^2(x) <= level } in the input space. Answers do not depend on batches or threads:
/// values are computed in float where a bound on their error is known, and again in double where
/// the bound leaves the answer open.
class Contour {
 public:
  Contour(const SvClusterModel& model, std::size_t threads);

  /// Whether each point is inside.
  [[nodiscard]] std::vector<char> inside(const Examples& points) const;

  /// Whether all samples between row edge.a of `from` and row edge.b of `to` are inside, for every
  /// edge. Both sets of the same form and width.
  [[nodiscard]] std::vector<char> connects(const Examples& from,
                                           const Examples& to,
                                           std::span<const Edge> edges) const;

 private:
  /// The same for the places `shares` (0 at the first end, 1 at the other) of some of the edges;
  /// clears the answer of those that leave the contour.
  void look(const Examples& from,
            const Examples& to,
            std::span<const Edge> edges,
            std::span<const double> shares,
            std::span<char> connected) const;

  /// f(x) = level - R^2(x).
  DecisionFunction function_;
  std::size_t threads_;
  /// Where samples lie: the middle one alone, as it tells most pairs apart, and the others.
  std::vector<double> middle_;
  std::vector<double> others_;
};

}  // namespace maxmargin::sv_clustering
