// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "problem/crammer_singer.hpp"

/// Sequential dual ascent, an example at a time: docs/algorithms/crammer-singer.md.
namespace maxmargin {

struct CrammerSingerOptions {
  /// Stop at this relative duality gap; > 0.
  double tolerance = 1e-3;
  /// Steps on single examples; unset: as many as take more than ten minutes.
  std::optional<std::uint64_t> max_iterations = std::nullopt;
  /// Leave out examples that stay at a corner (linear machines).
  bool shrinking = true;
  /// Seed: order of the examples (linear machines).
  Context context = {};
  void describe(OptionVisitor& visit);
};

struct CrammerSingerSolution {
  /// Examples x classes.
  DenseMatrix coefficients = {};
  /// Linear machines: classes x features, without the constant feature. Empty for a matrix.
  DenseMatrix weights = {};
  /// One a class, added to f: what the constant feature contributes (0 without one).
  std::vector<double> offsets = {};
  SolveReport report = {};
};

/// Solves the dual. `start` is empty (then 0) or a feasible point, as an earlier solution has it.
[[nodiscard]] CrammerSingerSolution solve_crammer_singer(const CrammerSinger& problem,
                                                         const CrammerSingerOptions& options = {},
                                                         DenseView start = {});

}  // namespace maxmargin
