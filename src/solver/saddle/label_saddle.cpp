// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc.md
#include "solver/saddle/label_saddle.hpp"

#include <utility>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "solver/saddle/run.hpp"

namespace maxmargin {

std::unique_ptr<UnitRowsFunction> smooth_label_saddle(const LabelSaddle& problem,
                                                      const SmoothSaddleOptions& options) {
  validate(options);
  validate(problem);
  return saddle::smooth(saddle::Form(problem), options);
}

std::size_t label_saddle_memory(std::size_t n) { return saddle::memory(n); }

LabelSaddleSolution solve_label_saddle(const LabelSaddle& problem, const SaddleOptions& options) {
  validate(options);
  validate(problem);
  saddle::require_columns(options, label_rows(problem));
  require_memory(label_saddle_memory(problem.size()), "solve_label_saddle: the relaxation");
  const saddle::Form form(problem);
  saddle::Answer answer = saddle::solve(form, options);
  LabelSaddleSolution solution{
      .certificate = {.lambda = std::move(answer.certificate.lambda),
                      .diagonal = std::move(answer.certificate.diagonal),
                      .balance = std::move(answer.certificate.multipliers)},
      .value = answer.value,
      .lower_bound = answer.lower_bound,
      .imbalance_excess = answer.excess,
      .rank = answer.rank,
      .evaluations = answer.evaluations,
      .hessian_products = answer.hessian_products,
      .report = std::move(answer.report)};
  if (form.rows().is_identity()) {
    solution.v = std::move(answer.v);
  } else {
    (void)form.rows().expand(answer.v.view(), solution.v);
  }
  return solution;
}

}  // namespace maxmargin
