// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/saddle.md
#include "solver/saddle/weight_saddle.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "solver/saddle/run.hpp"

namespace maxmargin {

std::unique_ptr<UnitRowsFunction> smooth_weight_saddle(const WeightSaddle& problem,
                                                       const SmoothSaddleOptions& options) {
  validate(options);
  validate(problem);
  return saddle::smooth(saddle::Form(problem), options);
}

std::size_t weight_saddle_memory(std::size_t n) { return saddle::memory(n); }

WeightSaddleSolution solve_weight_saddle(const WeightSaddle& problem,
                                         const SaddleOptions& options) {
  validate(options);
  validate(problem);
  saddle::require_columns(options, problem.size() + 1);
  require_memory(weight_saddle_memory(problem.size()), "solve_weight_saddle: the relaxation");
  const saddle::Form form(problem);
  saddle::Answer answer = saddle::solve(form, options);
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
