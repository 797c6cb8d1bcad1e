// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "maxmargin/solver/structural/latent.hpp"

namespace maxmargin {

/// Where a run stands at the beginning of a convex step. Completions are not kept: they are those
/// that are best for `w`, or those that the run began with.
struct LatentPoint {
  /// Empty before the first step of a run that begins with completions.
  std::vector<double> w = {};
  std::optional<double> objective = std::nullopt;
  /// The relative gap wanted of the convex step.
  double inner_gap = 0;
  std::uint64_t steps = 0;
  std::uint64_t refused = 0;
  /// Of this run; the convex step's own come to it when it ends.
  std::uint64_t oracle_calls = 0;
  std::vector<LatentStep> trace = {};
};

/// What the outer loop remembers, as the numbers of a state.
struct LatentMemory {
  LatentPoint point = {};
  /// Runs that have ended, the best of them and its weights and trace.
  std::vector<LatentRun> runs = {};
  std::uint64_t best = 0;
  std::vector<double> best_w = {};
  std::vector<LatentStep> best_trace = {};
};

[[nodiscard]] std::vector<double> numbers_of(const LatentMemory& memory);
/// Throws InvalidArgument for numbers that are none of it, of weights of another dimension or of
/// more runs than `most_runs`.
[[nodiscard]] LatentMemory memory_of(const std::vector<double>& numbers,
                                     std::size_t dimension,
                                     std::uint64_t most_runs);

}  // namespace maxmargin
