// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// From relaxed weights of examples back to a choice of examples: docs/algorithms/robust.md.
namespace maxmargin {

/// A choice of examples and where it comes from, such as "threshold 0.5".
struct WeightCandidate {
  std::string origin = {};
  /// One an example: those of score >= 0 are kept, or where so many must be kept those of the
  /// largest scores.
  std::vector<double> scores = {};
};

struct WeightRoundingOptions {
  /// Random hyperplanes through the unit rows.
  std::size_t restarts = 20;
  Context context = {};
};

/// Candidates from the n + 1 unit rows s_0, ..., s_n of a solved WeightSaddle: the weights eta_i =
/// (1 + s_0.s_i) / 2 cut at 0.5, 0.25 and 0.75, and random hyperplanes, which keep the examples on
/// s_0's side. Throws InvalidArgument when there is no row s_0.
[[nodiscard]] std::vector<WeightCandidate> round_weights(DenseView rows,
                                                         const WeightRoundingOptions& options = {});

}  // namespace maxmargin
