// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "maxmargin/data/scaling.hpp"

/// Weights of a model whose features were scaled in another way than those of this training.
namespace maxmargin::learning {

/// A linear function of scaled features, up to the constant that its own model adds.
struct ScaledFunction {
  std::vector<double> weights = {};
  double constant = 0;
};

/// The function with `weights` for features as `theirs` scales them, written for features as `own`
/// does. A feature that is constant in the rows that `own` was fitted on has the weight 0 where its
/// scaled value is always 0, and its share at that value is in the constant. Unset: not scaled.
/// Both have as many features as there are weights.
[[nodiscard]] ScaledFunction rescaled(std::span<const double> weights,
                                      const std::optional<Scaler>& theirs,
                                      const std::optional<Scaler>& own);

}  // namespace maxmargin::learning
