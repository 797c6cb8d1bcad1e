// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/chain-crf.md
#include "solver/structural/chain_crf.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/memory_limit.hpp"
#include "core/parallel.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/sizes.hpp"
#include "solver/lbfgs.hpp"

namespace maxmargin {

namespace {

/// How many steps L-BFGS may remember within the memory limit: w, the gradient, the direction and
/// a trial with its gradient are there whatever it says, as are the tables of the objective, and
/// each step is two vectors.
std::size_t pairs_within_limit(const ChainCrf& problem,
                               const StructuralOptions& options,
                               std::size_t threads) {
  const std::size_t vector = checked_multiply(8, std::max<std::size_t>(1, problem.dimension()));
  const auto without_pairs = [&](std::size_t on_threads) {
    return checked_add(checked_multiply(5, vector), problem.objective_bytes(on_threads));
  };
  const std::size_t pair = checked_multiply(2, vector);
  require_within_limit(
      checked_add(without_pairs(threads), pair),
      options.context.memory_limit,
      "a chain CRF of " + std::to_string(problem.dimension()) + " weights",
      std::string("use fewer ") + (threads > 1 ? "threads, " : "") + "features or positions");
  // The number of pairs decides about the answer, so that it must not depend on the threads.
  constexpr std::size_t most_threads = 1024;
  const std::size_t limit = options.context.memory_bytes();
  const std::size_t most = without_pairs(most_threads);
  return most < limit ? std::clamp<std::size_t>((limit - most) / pair, 1, LbfgsOptions{}.pairs) : 1;
}

}  // namespace

StructuralSolution solve_chain_crf(const ChainCrf& problem, const StructuralOptions& options) {
  validate(options);
  const std::size_t threads = thread_count(options.context.threads);
  // Before any vector is made.
  const std::size_t pairs = pairs_within_limit(problem, options, threads);
  LbfgsSolution found = solve_lbfgs(
      [&](std::span<const double> w, std::span<double> gradient) {
        return problem.objective(options.c, w, gradient, threads);
      },
      std::vector<double>(problem.dimension(), 0.0),
      {.modulus = 1,
       .tolerance = options.tolerance,
       .pairs = pairs,
       .max_iterations = options.passes(),
       .context = options.context});
  return {.w = std::move(found.w),
          .oracle_calls = found.evaluations * problem.examples(),
          .report = std::move(found.report)};
}

}  // namespace maxmargin
