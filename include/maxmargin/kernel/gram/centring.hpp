// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// Centring in feature space, phi(x) - (1/n) sum_l phi(x_l), fitted on the training set's Gram
/// matrix. New examples are centred with the training mean too:
///
///   k~(x, x_j) = k(x, x_j) - mean_l k(x, x_l) - row_means[j] + grand_mean
///   k~(x, x)   = k(x, x) - 2 mean_l k(x, x_l) + grand_mean
struct MAXMARGIN_EXPORT FeatureCentring {
  /// row_means[j] = (1/n) sum_l K_jl.
  std::vector<double> row_means = {};
  /// (1/n^2) sum_lm K_lm.
  double grand_mean = 0;

  /// From the n x n training Gram matrix. Throws InvalidArgument when it is not square.
  [[nodiscard]] static FeatureCentring fit(DenseView gram);

  /// Centres the training Gram matrix, in place; keeps exact symmetry.
  void apply_to_training(MutableDenseView gram) const;
  /// Centres an m x n matrix k(x, x_j) of new examples, in place.
  void apply_to_new(MutableDenseView cross) const;
  /// Centres k(x, x) of new examples, in place, given their m x n matrix before centring.
  void apply_to_diagonal(std::span<double> diagonal, DenseView cross) const;
};

}  // namespace maxmargin
