// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// The nearest points of two convex hulls: docs/algorithms/hard-margin.md.
namespace maxmargin {

/// With an offset: the nearest points of the hulls of the two classes. Without: the point nearest
/// to 0 of the hull of all sign_i x_i.
struct HullProblem {
  DenseView points = {};
  std::span<const std::int8_t> signs = {};  ///< +1 and -1; 0: the point is not there
  bool offset = true;
};

struct HullOptions {
  /// Relative duality gap of the hard margin 1/2 |w|^2 at which it stops; > 0.
  double tolerance = 1e-3;
  /// Hulls whose combination is at most this long are taken to meet; >= 0.
  double rounding = 0;
  Context context = {};
};

struct HullSolution {
  /// >= 0, one a point: of each class they add up to 1 (of all, without an offset).
  std::vector<double> weights = {};
  /// sum_i sign_i weight_i x_i, perpendicular to its face to the last digit.
  std::vector<double> direction = {};
  /// |sum_i sign_i weight_i x_i|, summed up afresh from the weights in extended precision.
  double distance = 0;
  /// `solved`; `primal_infeasible`: the hulls meet, which weights and distance prove;
  /// `numerical_failure`: neither could be shown.
  SolveReport report = {};
};

/// Wolfe's algorithm. Requires a point of each sign (without an offset a point), finite points.
[[nodiscard]] HullSolution solve_nearest_points(const HullProblem& problem,
                                                const HullOptions& options = {});

}  // namespace maxmargin
