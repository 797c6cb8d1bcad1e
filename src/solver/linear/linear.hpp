// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/problem/linear_risk.hpp"
#include "maxmargin/solver/convex_method.hpp"

/// Solvers of LinearRisk: docs/algorithms/dual-coordinate-descent.md.
namespace maxmargin {

struct LinearOptions {
  /// Stop at this relative duality gap; > 0.
  double tolerance = 1e-3;
  /// When set, dual coordinate descent stops instead when the largest projected gradient of a pass
  /// less the smallest is at most this (LIBLINEAR's eps of -s 1, 3, 11, 12, 13); > 0. The other
  /// methods ignore it.
  std::optional<double> kkt_tolerance = std::nullopt;
  /// Passes over the data, steps of Newton's method and passes over the features all count 1;
  /// and so do steps of the interior point method; unset: some 10 minutes of
  /// work, counted.
  std::optional<std::uint64_t> max_iterations = std::nullopt;
  /// Leave out coefficients that stay at a bound.
  bool shrinking = true;
  /// Of solve_linear; the interior point method takes the penalty l2 and no logistic loss, and no
  /// KKT tolerance.
  ConvexMethod method = ConvexMethod::automatic;
  /// Seed: of the random order of the coordinates. Callback: asked between passes, and within a
  /// pass over many entries.
  Context context = {};
  void describe(OptionVisitor& visit);
};

struct LinearSolution {
  /// w, with the weight of the bias feature last.
  std::vector<double> w = {};
  /// b, one a row, inside the domain of the dual; 0 for rows of weight 0.
  std::vector<double> coefficients = {};
  /// Non-zero coefficients, and those of them at C_i (never with a squared or logistic loss).
  std::size_t support_vectors = 0;
  std::size_t bounded = 0;
  /// With primal and dual objective of (w, coefficients), measured from scratch at the end.
  SolveReport report = {};
};

/// Coordinate ascent in the dual, in random order, with shrinking. l2 penalty; all losses but
/// `logistic`. `start` is empty or one coefficient a row, moved into the domain; a start that meets
/// the tolerance takes 0 iterations.
[[nodiscard]] LinearSolution solve_dual_coordinate(const LinearRisk& problem,
                                                   const LinearOptions& options = {},
                                                   std::span<const double> start = {});

/// Newton's method with conjugate gradients on the primal. l2 penalty; smooth losses. `start` is
/// empty (then 0) or a w.
[[nodiscard]] LinearSolution solve_primal_newton(const LinearRisk& problem,
                                                 const LinearOptions& options = {},
                                                 std::span<const double> start = {});

/// Coordinate descent on the primal with the l1 penalty. `start` is empty (then 0) or a w.
[[nodiscard]] LinearSolution solve_l1_coordinate(const LinearRisk& problem,
                                                 const LinearOptions& options = {},
                                                 std::span<const double> start = {});

/// The method that suits the problem: solve_l1_coordinate for l1, solve_primal_newton for the
/// logistic loss, solve_dual_coordinate for losses with corners; squared losses start with dual
/// coordinate descent and go on with Newton's method when that is slow. Where coordinates take more
/// counted operations than the interior point method would, that one takes over and a warning says
/// so.
[[nodiscard]] LinearSolution solve_linear(const LinearRisk& problem,
                                          const LinearOptions& options = {},
                                          const LinearSolution* start = nullptr);

/// One solution for each value of C (all > 0, in any order; `problem.c` is ignored), each begun
/// from the one before: cheapest when the values ascend.
[[nodiscard]] std::vector<LinearSolution> solve_linear_path(const LinearRisk& problem,
                                                            std::span<const double> cs,
                                                            const LinearOptions& options = {});

}  // namespace maxmargin
