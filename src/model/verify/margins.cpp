// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md: certificates of the centroid and of the leave-one-out machine
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/recomputation.hpp"
#include "maxmargin/core/require.hpp"
#include "model/verify/replay.hpp"
#include "model/verify/robust.hpp"
#include "model/verify/rounding.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How far a difference of kernel values may be off, in relation to its terms: 0 may be as much.
constexpr double distance_unit = 32 * std::numeric_limits<double>::epsilon();

/// Rounding of sums of kernel values that are compared with 1.
constexpr double kernel_slack = 1e-6;

/// K(x_i, x_j) of all rows, one evaluation each.
DenseMatrix all_kernel_values(const TrainingReplay& checks,
                              const Kernel& kernel,
                              const Context& context) {
  DenseMatrix values(checks.size(), checks.size());
  const auto fill = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < checks.size(); ++j) {
        values(i, j) = evaluate(kernel, checks.row(i), checks.row(j));
      }
    }
  };
  verify_chunks(context, checks.size(), fill);
  return values;
}

struct CentreDistances {
  std::vector<double> values;
  /// What rounding may change of each.
  std::vector<double> errors;
};

/// |phi_i - mean of the class|^2 from its definition as a double sum.
CentreDistances centre_distances(const TrainingReplay& checks,
                                 const Kernel& kernel,
                                 const ClassificationTask& task,
                                 const Context& context) {
  const std::size_t n = checks.size();
  std::vector<double> means(n, 0.0);
  std::vector<double> totals(task.classes.count(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    totals[static_cast<std::size_t>(task.classes.of_row[i])] += task.weights[i];
  }
  const auto total_of = [&](std::size_t i) {
    return totals[static_cast<std::size_t>(task.classes.of_row[i])];
  };
  const auto fill = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (task.classes.of_row[j] != task.classes.of_row[i] || task.weights[j] == 0) continue;
        means[i] += task.weights[j] / total_of(i) * evaluate(kernel, checks.row(i), checks.row(j));
      }
    }
  };
  verify_chunks(context, n, fill);
  std::vector<double> norms(totals.size(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (task.weights[i] == 0) continue;
    norms[static_cast<std::size_t>(task.classes.of_row[i])] +=
        task.weights[i] / total_of(i) * means[i];
  }
  CentreDistances distances{.values = std::vector<double>(n, 0.0),
                            .errors = std::vector<double>(n, 0.0)};
  for (std::size_t i = 0; i < n; ++i) {
    if (!(total_of(i) > 0)) continue;
    const double self = evaluate(kernel, checks.row(i), checks.row(i));
    const double norm = norms[static_cast<std::size_t>(task.classes.of_row[i])];
    distances.values[i] = std::max(0.0, self - 2 * means[i] + norm);
    distances.errors[i] = distance_unit * (std::abs(self) + 2 * std::abs(means[i]) + norm);
  }
  return distances;
}

/// One leave-one-out machine beside its multipliers.
struct LooFunction {
  std::vector<std::int8_t> signs;  ///< 0: not in this problem
  std::vector<double> costs;
  double lambda = 1;
  bool bias = true;

  [[nodiscard]] static double penalty(double self) { return self != 0 ? std::abs(self) : 1.0; }
};

double loo_primal(const LooFunction& function,
                  const std::vector<double>& u,
                  double offset,
                  const DenseMatrix& kernel,
                  const FunctionRounding& rounding,
                  std::size_t f,
                  TrainingReplay& checks) {
  double primal = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double y = function.signs[i];
    if ((y == 0 && u[i] != 0) || y * u[i] < 0) {
      checks.complain("the coefficient of row " + std::to_string(i) + " (from 0) has a wrong sign");
    }
    primal += std::abs(u[i]) * LooFunction::penalty(kernel(i, i));
    if (y == 0) continue;
    double value = offset;
    for (std::size_t j = 0; j < u.size(); ++j) value += u[j] * kernel(i, j);
    const double shortfall =
        std::max(0.0, 1 - y * value + function.lambda * std::abs(u[i]) * kernel(i, i));
    if (std::isfinite(function.costs[i])) {
      primal += function.costs[i] * shortfall;
      checks.certificate.rounding +=
          loss_rounding(function.costs[i], shortfall, rounding.value(i, f), false);
    } else if (!(shortfall <= kernel_slack)) {
      primal = infinity;
    }
  }
  return primal;
}

/// sum l, scaled until every column's weight is within its penalty.
double loo_dual(const LooFunction& function,
                const std::vector<double>& l,
                const DenseMatrix& kernel,
                const FunctionRounding& rounding,
                TrainingReplay& checks) {
  double sum = 0;
  double balance = 0;
  double largest = 0;
  double smallest_penalty = infinity;
  for (std::size_t j = 0; j < l.size(); ++j) {
    checks.check_bounds(l[j], 0.0, function.costs[j], j);
    sum += l[j];
    balance += l[j] * function.signs[j];
    if (function.signs[j] == 0) continue;
    double weight = -function.lambda * l[j] * kernel(j, j);
    for (std::size_t i = 0; i < l.size(); ++i) {
      weight += l[i] * function.signs[i] * function.signs[j] * kernel(i, j);
    }
    largest = std::max(largest, weight / LooFunction::penalty(kernel(j, j)));
    smallest_penalty = std::min(smallest_penalty, LooFunction::penalty(kernel(j, j)));
  }
  if (function.bias) checks.check_balance(balance, sum);
  const double error = rounding.product(l) / smallest_penalty;
  checks.certificate.rounding += sum * error;
  if (!(largest <= 1 + kernel_slack + error)) {
    checks.complain("the dual coefficients weigh a coefficient beyond its penalty");
  }
  return sum / std::max(1.0, largest);
}

}  // namespace

Certificate verify_centroid_svc(const Classifier& model,
                                const Dataset& data,
                                const CentroidSvcOptions& options) {
  require(options.lambda.has_value(), "lambda is wanted as used");
  const Context& context = options.control.context;
  const ClassificationTask task = task_of(model, data, options.class_weights);
  TrainingReplay checks(model.scaler, data);
  const KernelExpansion& expansion = expansion_of(model.functions, checks);
  const CentreDistances distances = centre_distances(checks, expansion.kernel, task, context);
  const DenseMatrix values = expansion_values(expansion, checks, context);
  const DualPoint b = coefficients_by_row(expansion, checks.size());
  Certificate& sum = checks.certificate;
  const FunctionRounding rounding(expansion, checks.examples());
  for (std::size_t f = 0; f < b.size(); ++f) {
    const std::vector<std::int8_t> signs = model.code.labels_of(f, task.classes.of_row);
    double norm = 0;
    double balance = 0;
    double size = 0;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      const double cost = signs[i] != 0 ? options.c * task.weights[i] : 0.0;
      const double alpha = signs[i] != 0 ? signs[i] * b[f][i] : std::abs(b[f][i]);
      const double wanted = 1 - *options.lambda * distances.values[i];
      checks.check_bounds(alpha, 0.0, cost, i);
      norm += b[f][i] * values(i, f);
      balance += b[f][i];
      size += std::abs(b[f][i]);
      sum.dual += alpha * wanted;
      const double margin = signs[i] * (values(i, f) + expansion.offsets[f]);
      if (cost > 0) sum.primal += cost * std::max(0.0, wanted - margin);
      // A distance is a difference of kernel values.
      const double error = rounding.value(i, f) + *options.lambda * distances.errors[i];
      sum.rounding += loss_rounding(cost, wanted - margin, error, false);
      sum.rounding += alpha * *options.lambda * distances.errors[i];
    }
    sum.rounding += rounding.penalty(f);
    sum.primal += 0.5 * norm;
    sum.dual -= 0.5 * norm;
    if (options.bias) checks.check_balance(balance, size);
    if (!options.bias) (void)checks.bias_weight(expansion.offsets[f], 0);
  }
  return sum;
}

Certificate verify_loo_svc(const Classifier& model,
                           const DualPoint& dual,
                           const Dataset& data,
                           const LooSvcOptions& options) {
  const ClassificationTask task = task_of(model, data, options.class_weights);
  TrainingReplay checks(model.scaler, data);
  const KernelExpansion& expansion = expansion_of(model.functions, checks);
  checks.require_point(dual, expansion.offsets.size());
  const DualPoint u = coefficients_by_row(expansion, checks.size());
  const DenseMatrix kernel = all_kernel_values(checks, expansion.kernel, options.control.context);
  const FunctionRounding rounding(expansion, checks.examples());
  for (std::size_t f = 0; f < dual.size(); ++f) {
    ask_in_verify(options.control.context);
    LooFunction function{.signs = model.code.labels_of(f, task.classes.of_row),
                         .costs = std::vector<double>(checks.size(), 0.0),
                         .lambda = options.lambda,
                         .bias = options.bias};
    for (std::size_t i = 0; i < checks.size(); ++i) {
      if (!(task.weights[i] > 0)) function.signs[i] = 0;
      if (function.signs[i] != 0) function.costs[i] = options.c * task.weights[i];
    }
    if (!options.bias) (void)checks.bias_weight(expansion.offsets[f], 0);
    checks.certificate.primal +=
        loo_primal(function, u[f], expansion.offsets[f], kernel, rounding, f, checks);
    checks.certificate.dual += loo_dual(function, dual[f], kernel, rounding, checks);
  }
  return checks.certificate;
}

}  // namespace maxmargin
