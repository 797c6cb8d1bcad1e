// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/saddle.md
#include "maxmargin/solver/weight_saddle.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "solver/saddle_run.hpp"

namespace maxmargin {

namespace {

saddle::Options engine_options(const WeightSaddleOptions& options) {
  return {.tolerance = options.tolerance,
          .columns = options.columns,
          .max_iterations = options.max_iterations,
          .seed = options.seed,
          .threads = options.threads,
          .on_progress = options.on_progress};
}

}  // namespace

void WeightSaddleOptions::validate() const {
  saddle::validate(engine_options(*this), "WeightSaddleOptions");
}

std::unique_ptr<UnitRowsFunction> smooth_weight_saddle(const WeightSaddle& problem,
                                                       const SmoothSaddleOptions& options) {
  options.validate();
  problem.validate();
  return saddle::smooth(saddle::Form(problem), options);
}

std::size_t weight_saddle_memory(std::size_t n) { return saddle::memory(n); }

WeightSaddleSolution solve_weight_saddle(const WeightSaddle& problem,
                                         const WeightSaddleOptions& options) {
  options.validate();
  problem.validate();
  const std::size_t rows = problem.size() + 1;
  if (options.columns) {
    require(*options.columns <= rows,
            "WeightSaddleOptions.columns = " + std::to_string(*options.columns) +
                ", must be at most n + 1 = " + std::to_string(rows));
  }
  require_memory(weight_saddle_memory(problem.size()), "solve_weight_saddle: the relaxation");
  const saddle::Form form(problem);
  saddle::Answer answer = saddle::solve(form, engine_options(options));
  WeightSaddleSolution solution{.eta = std::vector<double>(problem.size()),
                                .certificate = {.lambda = std::move(answer.certificate.lambda),
                                                .diagonal = std::move(answer.certificate.diagonal),
                                                .kept = -answer.certificate.multipliers.front()},
                                .value = answer.value,
                                .lower_bound = answer.lower_bound,
                                .kept_shortfall = answer.excess,
                                .rank = answer.rank,
                                .evaluations = answer.evaluations,
                                .hessian_products = answer.hessian_products,
                                .report = std::move(answer.report)};
  form.linear(answer.v.view(), solution.eta);
  for (double& eta : solution.eta) eta = std::clamp(eta, 0.0, 1.0);
  solution.rows = std::move(answer.v);
  return solution;
}

}  // namespace maxmargin
