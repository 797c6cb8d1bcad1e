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
#include "maxmargin/problem/svm_dual.hpp"

/// Sequential minimal optimisation in two levels: docs/algorithms/smo.md.
namespace maxmargin {

/// Rows of the matrix in use at a time, at most; fewer when the matrix holds fewer than twice as
/// many.
inline constexpr std::size_t smo_working_set = 512;

struct SmoOptions {
  /// Stop at this relative duality gap; > 0.
  double tolerance = 1e-3;
  /// When set, stop at this largest KKT violation instead (LIBSVM's eps); > 0.
  std::optional<double> kkt_tolerance = std::nullopt;
  /// Steps on pairs (or single coordinates); unset: no limit.
  std::optional<std::uint64_t> max_iterations = std::nullopt;
  /// Leave out variables that stay at a bound.
  bool shrinking = true;
  /// When another method is at hand: the multiplications and additions that this one would take.
  /// The run gives up when its own exceed a share of them and the gap is not about to close.
  std::optional<double> other_operations = std::nullopt;
  Context context = {};
  void describe(OptionVisitor& visit);
};

struct SmoSolution {
  /// The signed coefficients, one a variable.
  std::vector<double> coefficients = {};
  /// One a group, added to f: the minimiser of the primal given the coefficients.
  std::vector<double> offsets = {};
  /// (K b) for every row of the matrix.
  std::vector<double> values = {};
  /// Largest KKT violation.
  double kkt_violation = 0;
  /// Whether the run gave up in favour of another method, with Status::no_progress.
  bool gave_up = false;
  SolveReport report = {};
};

/// Solves the dual. `start` is empty (then zero or the nearest feasible point) or a feasible point.
/// A hard margin (infinite bounds) that does not exist ends with Status::primal_infeasible.
[[nodiscard]] SmoSolution solve_smo(const SvmDual& problem,
                                    const SmoOptions& options = {},
                                    std::span<const double> start = {});

}  // namespace maxmargin
