// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/crammer-singer.md, "Stopping and what the certificate proves"
#include <algorithm>
#include <cmath>

#include "core/recomputation.hpp"
#include "maxmargin/core/require.hpp"
#include "model/verify/replay.hpp"
#include "model/verify/rounding.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Functions on the training rows, with the squared norms of primal and dual point summed over
/// classes.
struct DirectMachine {
  DenseMatrix values;
  double model_norm = 0;
  double dual_norm = 0;
};

double squared(double value) { return value * value; }

DirectMachine replay_linear(TrainingReplay& replay,
                            const LinearFunctions& functions,
                            const DualPoint& t,
                            double bias,
                            const Context& context) {
  VerifyWatch watch(context);
  DirectMachine machine{.values = DenseMatrix(replay.size(), t.size())};
  for (std::size_t r = 0; r < t.size(); ++r) {
    const std::span<const double> w = functions.weights.row(r);
    std::vector<double> combination(w.size(), 0.0);
    double constant = 0;
    for (std::size_t i = 0; i < replay.size(); ++i) {
      watch.spend(1 + replay.examples().values(i).size());
      machine.values(i, r) = dot(replay.row(i), w) + functions.offsets[r];
      add_multiple(replay.row(i), t[r][i], combination);
      constant += t[r][i] * bias;
    }
    machine.model_norm +=
        plain_squared_norm(w) + squared(replay.bias_weight(functions.offsets[r], bias));
    machine.dual_norm += plain_squared_norm(combination) + squared(constant);
  }
  return machine;
}

DirectMachine replay_expansion(TrainingReplay& replay,
                               const KernelExpansion& expansion,
                               const DualPoint& t,
                               const CsSvcOptions& options) {
  DirectMachine machine{.values = expansion_values(expansion, replay, options.control.context)};
  for (std::size_t r = 0; r < t.size(); ++r) {
    double norm = 0;
    double constant = 0;
    for (std::size_t i = 0; i < replay.size(); ++i) {
      norm += t[r][i] * machine.values(i, r);
      constant += t[r][i] * options.bias;
      machine.values(i, r) += expansion.offsets[r];
    }
    const double bias_weight = replay.bias_weight(expansion.offsets[r], options.bias);
    machine.model_norm += norm + squared(bias_weight);
    machine.dual_norm += norm + squared(constant);
  }
  return machine;
}

}  // namespace

Certificate verify_cs_svc(const Classifier& model,
                          const DualPoint& dual,
                          const Dataset& data,
                          const CsSvcOptions& options) {
  const ClassificationTask task = task_of(model, data, options.class_weights);
  const std::size_t classes = task.classes.count();
  require(function_count(model.functions) == classes, "the model has not one function a class");
  TrainingReplay replay(model.scaler, data);
  const bool is_kernel = std::holds_alternative<KernelExpansion>(model.functions);
  const DualPoint t =
      is_kernel ? coefficients_by_row(expansion_of(model.functions, replay), replay.size()) : dual;
  replay.require_point(t, classes);
  const DirectMachine machine =
      is_kernel ? replay_expansion(replay, std::get<KernelExpansion>(model.functions), t, options)
                : replay_linear(replay,
                                linear_functions(model.functions, replay),
                                t,
                                options.bias,
                                options.control.context);
  Certificate& certificate = replay.certificate;
  certificate.primal = machine.model_norm / 2;
  certificate.dual = -machine.dual_norm / 2;
  const FunctionRounding rounding(model.functions, replay.examples());
  for (std::size_t r = 0; r < classes; ++r) {
    certificate.rounding += rounding.penalty(r) + rounding.penalty(t[r]);
  }
  for (std::size_t i = 0; i < replay.size(); ++i) {
    const auto own = static_cast<std::size_t>(task.classes.of_row[i]);
    const double cost = options.c * task.weights[i];
    double shortfall = 0;
    double error = 0;
    double sum = 0;
    for (std::size_t r = 0; r < classes; ++r) {
      replay.check_bounds(t[r][i], r == own ? 0.0 : -cost, r == own ? cost : 0.0, i);
      sum += t[r][i];
      error = std::max(error, rounding.value(i, r));
      if (r == own) continue;
      shortfall = std::max(shortfall, 1 + machine.values(i, r) - machine.values(i, own));
    }
    if (!(std::abs(sum) <= rounding_slack * cost)) {
      replay.complain("the dual coefficients of row " + std::to_string(i) +
                      " (from 0) do not add up");
    }
    certificate.primal += cost * shortfall;
    certificate.rounding += loss_rounding(cost, shortfall, 2 * error, false);
    certificate.dual += t[own][i];
  }
  return certificate;
}

}  // namespace maxmargin
