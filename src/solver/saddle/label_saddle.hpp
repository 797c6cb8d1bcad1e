// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/saddle/label_saddle.hpp"
#include "solver/saddle/options.hpp"
#include "solver/saddle/unit_rows.hpp"

/// The low-rank method to a label saddle, with a certificate: docs/algorithms/mmc.md.
namespace maxmargin {

struct LabelSaddleSolution {
  /// Unit rows, one a point; M = V V'. Rows of points with labels given are equal or opposite.
  DenseMatrix v = {};
  /// Proves lower_bound: label_saddle_bound finds it again, up to rounding.
  LabelCertificate certificate = {};
  /// Not below the least omega of a balanced M: it is omega at a balanced matrix near M (or near
  /// the M of an earlier stage), found by turning rows or by mixing with
  /// M0 = (n I - e e') / (n - 1) (with labels given: the like among the free points), where
  /// convexity bounds it. An imbalance up to 1e-6 n above the least there is counts as balanced
  /// where less is asked for, as with imbalance = 0.
  double value = 0;
  /// No feasible M has a smaller omega, so no balanced labelling has. Never below 0.
  double lower_bound = 0;
  /// How far M is from balanced: the excess of |(Me)_i| (largest) or of sqrt(e'Me), over n.
  double imbalance_excess = 0;
  /// Eigenvalues of G above 1e-6 N.
  std::size_t rank = 0;
  std::uint64_t evaluations = 0;
  std::uint64_t hessian_products = 0;
  /// primal_objective is `value`, lower_bound the bound, primal_residual the excess; iterations
  /// are Newton steps.
  SolveReport report = {};
};

/// Solves the relaxation by Newton's method on the factor V, balance by an augmented Lagrangian.
/// The bound holds whatever the status: it is proved by a Cholesky factorisation, with rounding
/// accounted for. The same for any number of threads. Memory: 3 n^2 numbers beside the matrix.
/// Throws InvalidArgument for a problem that does not validate, wrong options, or more memory than
/// the machine has.
[[nodiscard]] LabelSaddleSolution solve_label_saddle(const LabelSaddle& problem,
                                                     const SaddleOptions& options = {});

/// Bytes that solve_label_saddle needs beside the matrix for n points.
[[nodiscard]] std::size_t label_saddle_memory(std::size_t n);

/// omega as a smooth function of the unit rows V of G = V V', for minimisers and tests:
/// solve_label_saddle minimises it for falling barriers, with multipliers beside the penalty. What
/// the problem looks at must outlive it. Throws InvalidArgument for a problem that does not
/// validate and wrong options.
[[nodiscard]] std::unique_ptr<UnitRowsFunction> smooth_label_saddle(
    const LabelSaddle& problem, const SmoothSaddleOptions& options = {});

}  // namespace maxmargin
