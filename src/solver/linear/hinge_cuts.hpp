// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/point_rows.hpp"

/// Linear hinge machines of many points by cutting planes: docs/algorithms/mmc-cutting-plane.md.
namespace maxmargin {

/// Minimise over w
///
///   P(w) = 1/2 |w|^2 + C sum_i max(0, 1 - signs_i s_i(w))   subject to   |mean of s_i(w)| <= limit
///
/// with s_i(w) = w.(x_i - centre), and one more component of w times `bias` where that is not 0.
/// Its dual, in b_i with signs_i b_i in [0, C] and one number u, is to maximise
///
///   D(b, u) = sum_i signs_i b_i - 1/2 |v|^2 - limit |u|,   v = sum_i b_i (x_i - centre) - u mean,
///
/// mean being that of x_i - centre. Immutable; what it looks at must outlive it.
struct BoundedMeanHinge {
  PointRows points;
  /// One a column; empty: 0.
  std::span<const double> centre = {};
  double bias = 0;
  /// +1 or -1, one a row.
  std::span<const double> signs = {};
  double c = 1;  ///< finite and > 0
  /// >= 0; infinity: no constraint.
  double mean_limit = std::numeric_limits<double>::infinity();

  [[nodiscard]] std::size_t rows() const { return points.rows(); }
  [[nodiscard]] std::size_t components() const { return points.cols() + (bias != 0 ? 1 : 0); }
  /// Sizes must fit and numbers be in their ranges.
  void describe(OptionVisitor& visit);
};

struct HingeCutsOptions {
  /// Relative duality gap; > 0.
  double tolerance = 1e-3;
  /// Cuts in all; at least 1.
  std::size_t max_iterations = 1000;
  /// Callback: asked after every cut.
  Context context = {};
  void describe(OptionVisitor& visit);
};

struct HingeCutsSolution {
  /// Feasible: the mean of the scores is within the limit.
  std::vector<double> w = {};
  /// s_i(w).
  std::vector<double> scores = {};
  /// The dual point: b and u.
  std::vector<double> coefficients = {};
  double mean_multiplier = 0;
  /// primal_objective is P(w), dual_objective D(b, u); iterations are cuts. There are none with
  /// numerical_failure: rows so far from 0 beside their distances that rounding may be larger than
  /// the tolerance.
  SolveReport report = {};
};

/// Cutting planes on the mean of the hinges, one slack for all of them (Joachims), each at a point
/// near the best one so far (Franc and Sonnenburg), which never gets worse. `start` is empty (then
/// 0) or a w, moved within the limit. O(entries) a cut. The dual point proves the gap whatever the
/// status but numerical_failure.
[[nodiscard]] HingeCutsSolution solve_hinge_cuts(const BoundedMeanHinge& problem,
                                                 const HingeCutsOptions& options = {},
                                                 std::span<const double> start = {});

/// P(w), D(b, u) and how far they are from feasible, by plain loops; shares no code with the
/// solver.
struct BoundedMeanResiduals {
  double primal = 0;
  double dual = 0;
  double mean_excess = 0;
  double bound_violation = 0;
};
[[nodiscard]] BoundedMeanResiduals residuals(const BoundedMeanHinge& problem,
                                             std::span<const double> w,
                                             std::span<const double> b,
                                             double u);

}  // namespace maxmargin
