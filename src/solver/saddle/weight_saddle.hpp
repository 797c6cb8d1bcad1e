// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "problem/saddle/weight_saddle.hpp"
#include "solver/saddle/options.hpp"
#include "solver/saddle/unit_rows.hpp"

/// The low-rank method to robust machines, with a certificate: docs/algorithms/saddle.md.
namespace maxmargin {

struct WeightSaddleSolution {
  /// eta_i = (1 + s_0.s_i) / 2 in [0, 1], one a point. It lacks e'eta >= rho n by kept_shortfall.
  std::vector<double> eta = {};
  /// n + 1 unit rows s_0, s_1, ..., s_n; M_ij = (s_0 + s_i).(s_0 + s_j) / 4.
  DenseMatrix rows = {};
  /// Proves lower_bound: weight_saddle_bound finds it again, up to rounding. Its lambda is about
  /// the inner maximiser at (eta, M).
  WeightCertificate certificate = {};
  /// Not below the minimum: the objective at (eta, M), or with kept at a pair near it, or near that
  /// of an earlier stage, that keeps enough. With rho > 1 - 1e-6, where there is no room for one, a
  /// shortfall of 1e-6 n counts as none.
  double value = 0;
  /// No feasible (eta, M) has a smaller value. Never below 0.
  double lower_bound = 0;
  /// max(0, rho n - e'eta) / n.
  double kept_shortfall = 0;
  /// Eigenvalues of G above 1e-6 (n + 1).
  std::size_t rank = 0;
  std::uint64_t evaluations = 0;
  std::uint64_t hessian_products = 0;
  /// primal_objective is `value`, lower_bound the bound, primal_residual the shortfall; iterations
  /// are Newton steps.
  SolveReport report = {};
};

/// Solves the relaxation by Newton's method on the unit rows, as solve_label_saddle does. The bound
/// holds whatever the status. The same for any number of threads. Memory: 3 n^2 numbers beside the
/// matrix. Throws InvalidArgument for a problem that does not validate, wrong options, or more
/// memory than the machine has.
[[nodiscard]] WeightSaddleSolution solve_weight_saddle(const WeightSaddle& problem,
                                                       const SaddleOptions& options = {});

/// Bytes that solve_weight_saddle needs beside the matrix for n points.
[[nodiscard]] std::size_t weight_saddle_memory(std::size_t n);

/// The objective as a smooth function of the rows s_0, ..., s_n: see smooth_label_saddle.
[[nodiscard]] std::unique_ptr<UnitRowsFunction> smooth_weight_saddle(
    const WeightSaddle& problem, const SmoothSaddleOptions& options = {});

}  // namespace maxmargin
