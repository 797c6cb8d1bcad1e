// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/saddle/class_saddle.hpp"

/// Relaxed labels of several classes: docs/algorithms/mmc-multiclass.md.
namespace maxmargin {

struct ClassSaddleOptions {
  /// Stop when the relative gap of value and certified bound (in relation to n/1000 where both are
  /// nearer to 0), and what the iterate misses its constraints by, are at most this; > 0.
  double tolerance = 1e-3;
  /// Projections on the semidefinite cone; at least 1.
  std::size_t max_iterations = 5000;
  /// Callback: asked every iteration, and while the value of an iterate is computed.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// All numbers in units of omega: C times smaller than 1/2 |w|^2 + C sum of losses.
struct ClassSaddleSolution {
  /// n x n and n x kappa, known points included. The unit diagonal, the row sums of D and the known
  /// classes hold exactly, the rest up to `infeasibility`.
  DenseMatrix m = {};
  DenseMatrix d = {};
  /// omega(M, D), up to the infeasibility; something above it after a stop.
  double value = 0;
  /// What the iterate misses its constraints by, relative to its norm.
  double infeasibility = 0;
  /// The larger of the relative gap and the infeasibility: what stopping looks at.
  double miss = 0;
  /// class_saddle_bound of the certificate: holds however the run ended.
  double lower_bound = 0;
  ClassCertificate certificate = {};
  /// Of M: eigenvalues above 1e-3 of the largest.
  std::size_t rank = 0;
  /// primal_objective is the value, lower_bound the bound, primal_residual the infeasibility.
  SolveReport report = {};
};

/// Alternating directions over dense matrices with exact projections on the semidefinite cone: one
/// eigendecomposition of order u + kappa (u without known classes) an iteration, u the number of
/// points whose class is not known. Memory: at most 20 n^2 numbers. Throws InvalidArgument
/// for wrong options, and what ClassSaddle::validate throws.
[[nodiscard]] ClassSaddleSolution solve_class_saddle(const ClassSaddle& problem,
                                                     const ClassSaddleOptions& options = {});

}  // namespace maxmargin
