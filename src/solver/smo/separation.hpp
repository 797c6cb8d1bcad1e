// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "maxmargin/core/report.hpp"
#include "maxmargin/problem/svm_dual.hpp"
#include "solver/smo/smo.hpp"

/// docs/algorithms/hard-margin.md
namespace maxmargin {

/// What is known of a hard margin that steps on pairs come near to too slowly.
struct Separation {
  /// solved: `coefficients` are the dual solution. primal_infeasible: there is no margin.
  Status status = Status::no_progress;
  std::string message = {};
  std::vector<double> coefficients = {};
};

/// The nearest points of the two classes' hulls, by the matrix alone: its pivoted Cholesky factor
/// stands for the points. Margins below 1e-7 of the largest |phi(x)| are rounding there, and
/// count as none. Requires the dual of a C-SVC with an infinite C.
[[nodiscard]] Separation separate_by_matrix(const SvmDual& problem, const SmoOptions& options);

}  // namespace maxmargin
