// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/chain-crf.md
#include "maxmargin/solver/chain_crf.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/memory_limit.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/solver/lbfgs.hpp"

namespace maxmargin {

namespace {

/// How many steps L-BFGS may remember within the memory limit: w, the gradient, the direction and
/// a trial with its gradient are there whatever it says, and each step is two vectors.
std::size_t pairs_within_limit(std::size_t dimension, const StructuralOptions& options) {
  constexpr std::size_t always = 5;
  const std::size_t vector = 8 * std::max<std::size_t>(1, dimension);
  require_within_limit((always + 2) * vector,
                       options.memory_limit,
                       "a chain CRF of " + std::to_string(dimension) + " weights",
                       "use fewer features");
  const std::size_t vectors = options.memory_limit.value_or(machine_memory() / 2) / vector;
  return std::clamp<std::size_t>((vectors - always) / 2, 1, LbfgsOptions{}.pairs);
}

}  // namespace

StructuralSolution solve_chain_crf(const ChainCrf& problem, const StructuralOptions& options) {
  require_field(options.c > 0 && std::isfinite(options.c),
                "StructuralOptions.c",
                options.c,
                "finite and > 0");
  require_field(options.tolerance > 0, "StructuralOptions.tolerance", options.tolerance, "> 0");
  require_field(options.max_passes >= 1,
                "StructuralOptions.max_passes",
                static_cast<double>(options.max_passes),
                ">= 1");
  const std::size_t threads = thread_count(options.threads);
  LbfgsSolution found = solve_lbfgs(
      [&](std::span<const double> w, std::span<double> gradient) {
        return problem.objective(options.c, w, gradient, threads);
      },
      std::vector<double>(problem.dimension(), 0.0),
      {.modulus = 1,
       .tolerance = options.tolerance,
       .pairs = pairs_within_limit(problem.dimension(), options),
       .max_iterations = options.max_passes,
       .threads = options.threads,
       .on_progress = options.on_progress});
  return {.w = std::move(found.w),
          .oracle_calls = found.evaluations * problem.examples(),
          .report = std::move(found.report)};
}

}  // namespace maxmargin
