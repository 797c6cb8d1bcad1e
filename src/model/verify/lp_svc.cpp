// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/lp-svm.md, "Stopping and what the certificate proves"
#include <algorithm>
#include <cmath>

#include "core/recomputation.hpp"
#include "model/verify/replay.hpp"
#include "model/verify/rounding.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How far bounds may be missed where sums of kernel values are compared with 1: a training may
/// compute them by another formula.
constexpr double kernel_slack = 1e-6;

/// h(j, f) = sum_i l_i z_i K(x_i, x_j) of every function.
DenseMatrix correlations(const TrainingReplay& replay,
                         const Kernel& kernel,
                         const DualPoint& signed_multipliers,
                         const Context& context) {
  DenseMatrix h(replay.size(), signed_multipliers.size());
  const auto fill = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      for (std::size_t i = 0; i < replay.size(); ++i) {
        const double entry = evaluate(kernel, replay.row(i), replay.row(j));
        for (std::size_t f = 0; f < h.cols(); ++f) h(j, f) += signed_multipliers[f][i] * entry;
      }
    }
  };
  verify_chunks(context, replay.size(), fill);
  return h;
}

/// One function beside its multipliers.
struct LpFunction {
  std::vector<std::int8_t> signs;
  std::vector<double> costs;
};

LpFunction lp_function(const Classifier& model,
                       const ClassificationTask& task,
                       double c,
                       std::size_t f) {
  LpFunction function{.signs = model.code.labels_of(f, task.classes.of_row),
                      .costs = std::vector<double>(task.weights.size(), 0.0)};
  for (std::size_t i = 0; i < function.signs.size(); ++i) {
    if (!(task.weights[i] > 0)) function.signs[i] = 0;
    if (function.signs[i] != 0) function.costs[i] = c * task.weights[i];
  }
  return function;
}

/// The primal of one function: sum |u| and the slacks of its rows.
double lp_primal(TrainingReplay& replay,
                 const LpFunction& function,
                 const std::vector<double>& u,
                 const DenseMatrix& values,
                 std::size_t f,
                 double offset,
                 LpSvmForm form,
                 const FunctionRounding& rounding) {
  double primal = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double sign = function.signs[i];
    if ((sign == 0 && u[i] != 0) || (form == LpSvmForm::slides && sign * u[i] < 0)) {
      replay.complain("the coefficient of row " + std::to_string(i) + " (from 0) has a wrong sign");
    }
    primal += std::abs(u[i]);
    if (sign == 0) continue;
    const double shortfall = std::max(0.0, 1 - sign * (values(i, f) + offset));
    if (std::isfinite(function.costs[i])) {
      primal += function.costs[i] * shortfall;
      replay.certificate.rounding +=
          loss_rounding(function.costs[i], shortfall, rounding.value(i, f), false);
    } else if (!(shortfall <= kernel_slack)) {
      primal = infinity;
    }
  }
  return primal;
}

/// The dual of one function: sum l, less what the constraints on h are missed by.
double lp_dual(TrainingReplay& replay,
               const LpFunction& function,
               const std::vector<double>& l,
               const DenseMatrix& h,
               std::size_t f,
               const LpSvcOptions& options,
               const FunctionRounding& rounding) {
  double sum = 0;
  double balance = 0;
  double largest = 0;
  for (std::size_t i = 0; i < l.size(); ++i) {
    replay.check_bounds(l[i], 0.0, function.costs[i], i);
    sum += l[i];
    balance += l[i] * function.signs[i];
    if (function.signs[i] == 0) continue;
    const double weight =
        options.form == LpSvmForm::slides ? function.signs[i] * h(i, f) : std::abs(h(i, f));
    largest = std::max(largest, weight);
  }
  if (options.bias) replay.check_balance(balance, sum);
  const double error = rounding.product(l);
  replay.certificate.rounding += sum * error;
  if (!(largest <= 1 + kernel_slack + error)) {
    replay.complain("the dual coefficients weigh an expansion function beyond 1");
  }
  return sum / std::max(1.0, largest);
}

}  // namespace

Certificate verify_lp_svc(const Classifier& model,
                          const DualPoint& dual,
                          const Dataset& data,
                          const LpSvcOptions& options) {
  const ClassificationTask task = task_of(model, data, options.class_weights);
  TrainingReplay replay(model.scaler, data);
  const KernelExpansion& expansion = expansion_of(model.functions, replay);
  replay.require_point(dual, expansion.offsets.size());
  const DualPoint u = coefficients_by_row(expansion, replay.size());
  std::vector<LpFunction> functions;
  DualPoint signed_multipliers = dual;
  for (std::size_t f = 0; f < dual.size(); ++f) {
    functions.push_back(lp_function(model, task, options.c, f));
    for (std::size_t i = 0; i < replay.size(); ++i) {
      signed_multipliers[f][i] *= functions[f].signs[i];
    }
    if (!options.bias) (void)replay.bias_weight(expansion.offsets[f], 0);
  }
  const Context& context = options.control.context;
  const DenseMatrix values = expansion_values(expansion, replay, context);
  const DenseMatrix h = correlations(replay, expansion.kernel, signed_multipliers, context);
  const FunctionRounding rounding(expansion, replay.examples());
  for (std::size_t f = 0; f < dual.size(); ++f) {
    replay.certificate.primal += lp_primal(
        replay, functions[f], u[f], values, f, expansion.offsets[f], options.form, rounding);
    replay.certificate.dual += lp_dual(replay, functions[f], dual[f], h, f, options, rounding);
  }
  return replay.certificate;
}

}  // namespace maxmargin
