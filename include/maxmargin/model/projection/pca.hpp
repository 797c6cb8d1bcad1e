// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Principal components: docs/algorithms/pca.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT PcaOptions {
  /// Directions to keep, >= 1; at most min(rows, columns) are kept. Unset: all of them.
  std::optional<std::size_t> components = std::nullopt;
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// The directions of largest variance of a data set.
struct MAXMARGIN_EXPORT PcaModel {
  /// What is taken off before projecting.
  std::vector<double> mean = {};
  /// One unit direction a row, by falling variance; the entry of largest magnitude (the first of
  /// them) is positive.
  DenseMatrix components = {};
  /// Variance along each direction, with denominator n-1.
  std::vector<double> variances = {};
  /// Sum of the variances of all features, kept or not.
  double total_variance = 0;

  /// Share of the total variance along each direction; 0 when all points are equal.
  [[nodiscard]] std::vector<double> explained_shares() const;
  /// Scores (x - mean) . component, one row an example. Sparse examples may have fewer or more
  /// features (missing ones are 0, further ones are ignored); dense ones of another width throw
  /// InvalidArgument.
  [[nodiscard]] DenseMatrix transform(const Examples& examples,
                                      std::optional<std::size_t> threads = std::nullopt) const;
  /// Points with the given scores, one a row: mean + sum of score x component.
  [[nodiscard]] DenseMatrix inverse_transform(DenseView scores) const;
};

/// Finds the principal components from the covariance matrix (columns <= rows) or from the matrix
/// of inner products (columns > rows), whichever is smaller: O(n m^2 + m^3), m = min(rows,
/// columns). One point has variance 0. Throws InvalidArgument without points, for values that are
/// not finite, and when variances overflow.
[[nodiscard]] MAXMARGIN_EXPORT PcaModel train_pca(const Examples& examples,
                                                  const PcaOptions& options = {});

}  // namespace maxmargin
