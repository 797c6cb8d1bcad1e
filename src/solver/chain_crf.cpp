// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/chain-crf.md
#include "maxmargin/solver/chain_crf.hpp"

#include <cmath>
#include <utility>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/solver/lbfgs.hpp"

namespace maxmargin {

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
       .max_iterations = options.max_passes,
       .threads = options.threads,
       .on_progress = options.on_progress});
  return {.w = std::move(found.w),
          .oracle_calls = found.evaluations * problem.examples(),
          .report = std::move(found.report)};
}

}  // namespace maxmargin
