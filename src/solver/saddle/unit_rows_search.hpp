// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "solver/saddle/unit_rows.hpp"

/// The minimiser behind minimize_over_unit_rows: private to solver.
namespace maxmargin::unit_rows {

/// Where a search stands: a point, its value and its gradients.
struct Point {
  DenseMatrix v = {};
  double value = 0;
  /// As the function gives it.
  DenseMatrix gradient = {};
  /// Projected on the tangent space, and its norm.
  DenseMatrix tangent = {};
  double gradient_norm = 0;
};

/// Evaluates f at point.v and fills in the rest.
void measure(UnitRowsFunction& f, Point& point, std::size_t threads);

/// Goes on from `point` and leaves the best one there, where f was evaluated last. Counts are added
/// to `solution`, whose status it sets.
void search_trust_region(UnitRowsFunction& f,
                         Point& point,
                         const UnitRowsOptions& options,
                         UnitRowsSolution& solution);

}  // namespace maxmargin::unit_rows
