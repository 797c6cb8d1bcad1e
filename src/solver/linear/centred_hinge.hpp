// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "solver/linear/linear.hpp"

/// Linear hinge machines around a centre: docs/algorithms/s3vm.md.
namespace maxmargin {

/// Minimise over w
///
///   P(w) = 1/2 |w|^2 + sum_i costs_i max(0, margins_i - signs_i w.(x_i - centre)).
///
/// Its dual is in one signed coefficient b_i a row, signs_i b_i in [0, costs_i]: maximise
///
///   D(b) = sum_i margins_i signs_i b_i - 1/2 |sum_i b_i (x_i - centre)|^2.
///
/// The centre is never subtracted from a sparse row, so that it stays sparse. Immutable; what it
/// looks at must outlive it.
struct CentredHinge {
  std::variant<SparseView, DenseView> examples = SparseView{};
  /// One a column.
  std::span<const double> centre = {};
  /// +1 or -1, one a row.
  std::span<const double> signs = {};
  /// Finite, one a row.
  std::span<const double> margins = {};
  /// Finite and >= 0, one a row; rows of cost 0 are not there.
  std::span<const double> costs = {};

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::size_t cols() const;
};

struct CentredHingeSolution {
  std::vector<double> w = {};
  /// b, one a row, within its bounds.
  std::vector<double> coefficients = {};
  /// With primal and dual objective of (w, coefficients), measured from scratch at the end. Sparse
  /// rows so far from 0, beside their distances from the centre, that rounding could hide the
  /// tolerance are a numerical_failure; dense ones lose nothing.
  SolveReport report = {};
};

/// Coordinate ascent in the dual, in random order. Of the options the tolerance, the limit on
/// passes, the seed and the callback are read. `start` is empty or one coefficient a row, moved
/// within the bounds; a start that meets the tolerance takes 0 iterations. One pass takes
/// O(entries).
[[nodiscard]] CentredHingeSolution solve_centred_hinge(const CentredHinge& problem,
                                                       const LinearOptions& options = {},
                                                       std::span<const double> start = {});

}  // namespace maxmargin
