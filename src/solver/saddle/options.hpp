// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"

/// What the solvers of label and weight saddles may be told: docs/algorithms/saddle.md.
namespace maxmargin {

struct SaddleOptions {
  /// Stop at this relative gap between the value of the point found and the bound; > 0.
  double tolerance = 1e-3;
  /// Columns of V in G = V V'; unset: the least r with r (r + 1) / 2 > N, N the rows of G, for
  /// which there are no local minima in general. At least 1, at most N.
  std::optional<std::size_t> columns = std::nullopt;
  /// Newton steps in all; at least 1.
  std::size_t max_iterations = 2000;
  /// Seed: of the first V. Callback: asked after every Newton step and within all that is long.
  /// When it ends the run, the best certificate so far is still proved, by one factorisation as a
  /// rule.
  Context context = {};

  void describe(OptionVisitor& visit);
};

/// How a saddle becomes a smooth function of the rows of G.
struct SmoothSaddleOptions {
  /// Of the barrier within the maximum (UnitBoxQp), and of the one that smooths the constraints;
  /// finite and > 0.
  double barrier = 1e-3;
  /// About half of this times the squared excesses of the constraints is added (saddle.md, step 4);
  /// finite and > 0.
  double penalty = 1;
  Context context = {};
  void describe(OptionVisitor& visit);
};

}  // namespace maxmargin
