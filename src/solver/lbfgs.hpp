// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"

/// Smooth functions by limited-memory BFGS: docs/algorithms/chain-crf.md.
namespace maxmargin {

/// The value at w; writes the gradient.
using SmoothFunction = std::function<double(std::span<const double> w, std::span<double> gradient)>;

struct LbfgsOptions {
  /// The function is strongly convex with this modulus m > 0: f* >= f(w) - |gradient|^2 / (2 m),
  /// and the run stops at the relative gap `tolerance`. Unset: it stops when |gradient| <=
  /// tolerance max(1, |w|), and reports no bound.
  std::optional<double> modulus = std::nullopt;
  /// > 0; smaller is more exact.
  double tolerance = 1e-3;
  /// Steps remembered, two vectors each; more take fewer, costlier steps. At least 1.
  std::size_t pairs = 8;
  /// At least 1.
  std::size_t max_iterations = 1000;
  /// Threads: of the vector operations. Callback: asked before every evaluation.
  Context context = {};

  void describe(OptionVisitor& visit);
};

struct LbfgsSolution {
  std::vector<double> w = {};
  std::uint64_t evaluations = 0;
  /// primal_objective is f(w), lower_bound the largest bound over the iterates (with a modulus);
  /// dual_residual is |gradient|.
  SolveReport report = {};
};

/// Minimises from `start`. Throws InvalidArgument for wrong options and a start that is not finite.
[[nodiscard]] LbfgsSolution solve_lbfgs(const SmoothFunction& function,
                                        std::vector<double> start,
                                        const LbfgsOptions& options = {});

}  // namespace maxmargin
