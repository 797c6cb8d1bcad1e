// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/model/classifier.hpp"

/// What machines that leave examples out hand back: docs/algorithms/robust.md.
namespace maxmargin {

/// An example that a function of the model does not follow.
struct Outlier {
  /// Row of the training data, from 0.
  std::size_t row = 0;
  /// Function of the model's code (direct machines: 0).
  std::size_t function = 0;
  /// How much of it counted, in [0, 1): 0 is left out altogether.
  double eta = 0;
  /// Its signed margin y f(x) in the end (direct machines: its own score less the best other).
  double margin = 0;
};

/// A classifier like any other, and the examples it left out. In its report the primal objective is
/// that of the robust loss, `lower_bound` bounds it from below for all functions and all choices of
/// outliers, and there is no dual objective: the problem is not convex. The reports of the single
/// machines have one: it belongs to the convex problem of the outliers as they were chosen. With a
/// kernel that is not known to be positive semidefinite there is no lower bound either.
struct TrainedRobustClassifier : TrainedClassifier {
  /// By row, then by function.
  std::vector<Outlier> outliers = {};
  /// How far the primal objectives are above the optimum of the convex problems that belong to the
  /// outliers as chosen, relative to their sum: at the stopping tolerance, a stationary point. Not
  /// a number after a numerical failure, which leaves no objectives.
  double stationary_gap = 0;
  /// Convex problems solved for the model that is returned, and descents begun.
  std::size_t rounds = 0;
  std::size_t starts = 0;
  /// Rounds of the lower bound, as used.
  std::size_t bound_rounds = 0;
  /// The objective after each convex problem of the descent that won, function after function;
  /// within a function it never rises.
  std::vector<double> objectives = {};

  /// Rows that some function left out.
  [[nodiscard]] MAXMARGIN_EXPORT std::size_t outlier_rows() const;
};

}  // namespace maxmargin
