// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/start_scale.hpp"

#include <cstddef>

namespace maxmargin::learning {

namespace {

/// slope x + offset of a feature in some scaling.
struct Line {
  double slope = 1;
  double offset = 0;
};

Line line_of(const std::optional<Scaler>& scaler, std::size_t j) {
  if (!scaler || scaler->options.kind == ScalingKind::none) return {};
  if (scaler->options.kind == ScalingKind::standard) {
    const double slope = 1 / scaler->deviation[j];
    return {.slope = slope, .offset = scaler->mean.empty() ? 0.0 : -scaler->mean[j] * slope};
  }
  const double least = scaler->minimum[j];
  const double most = scaler->maximum[j];
  // Every value becomes 0.
  if (least == most) return {.slope = 0, .offset = 0};
  const ScalingOptions& to = scaler->options;
  // Halves: the width of huge values is beyond the largest number.
  const double slope = (to.upper / 2 - to.lower / 2) / (most / 2 - least / 2);
  return {.slope = slope, .offset = to.lower - slope * least};
}

}  // namespace

ScaledFunction rescaled(std::span<const double> weights,
                        const std::optional<Scaler>& theirs,
                        const std::optional<Scaler>& own) {
  ScaledFunction function;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const Line from = line_of(theirs, j);
    const Line to = line_of(own, j);
    if (to.slope == 0) {
      function.weights.push_back(0);
      function.constant += weights[j] * (from.slope * own->minimum[j] + from.offset);
      continue;
    }
    // Of the same scaling the ratio is 1, and the weight the same to the bit.
    const double weight = weights[j] * (from.slope / to.slope);
    function.weights.push_back(weight);
    function.constant += weights[j] * from.offset - weight * to.offset;
  }
  return function;
}

}  // namespace maxmargin::learning
