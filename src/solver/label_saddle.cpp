// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc.md
#include "maxmargin/solver/label_saddle.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "solver/saddle_run.hpp"

namespace maxmargin {

void LabelSaddleOptions::validate() const { saddle::validate(*this, "LabelSaddleOptions"); }

void SmoothSaddleOptions::validate() const {
  require_field(barrier > 0 && std::isfinite(barrier),
                "SmoothSaddleOptions.barrier",
                barrier,
                "finite and > 0");
  require_field(penalty > 0 && std::isfinite(penalty),
                "SmoothSaddleOptions.penalty",
                penalty,
                "finite and > 0");
  (void)thread_count(threads);
}

std::unique_ptr<UnitRowsFunction> smooth_label_saddle(const LabelSaddle& problem,
                                                      const SmoothSaddleOptions& options) {
  options.validate();
  problem.validate();
  return saddle::smooth(saddle::Form(problem), options);
}

std::size_t label_saddle_memory(std::size_t n) { return saddle::memory(n); }

LabelSaddleSolution solve_label_saddle(const LabelSaddle& problem,
                                       const LabelSaddleOptions& options) {
  options.validate();
  problem.validate();
  if (options.columns) {
    require(*options.columns <= label_rows(problem),
            "LabelSaddleOptions.columns = " + std::to_string(*options.columns) +
                ", must be at most the number of rows, " + std::to_string(label_rows(problem)));
  }
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
