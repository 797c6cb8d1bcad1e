// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, "Stopping and what the certificate proves"
#include "maxmargin/model/verify_robust.hpp"

#include <algorithm>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "model/verify_replay.hpp"
#include "model/verify_robust_replay.hpp"

namespace maxmargin {

namespace {

/// Signs and costs of function f.
RobustReplay problem_of(const Classifier& model,
                        const ClassificationTask& task,
                        double c,
                        std::size_t f) {
  RobustReplay replay;
  replay.signs = model.code.labels_of(f, task.classes.of_row);
  for (const double weight : task.weights) replay.costs.push_back(c * weight);
  return replay;
}

/// How many dual points a function has.
std::size_t points_of(const DualPoint& dual, std::size_t functions) {
  require(functions > 0 && !dual.empty() && dual.size() % functions == 0,
          "the dual point does not fit the number of functions");
  return dual.size() / functions;
}

/// sum_j b_j K(x_i, x_j) of every vector: every pair of rows is looked at once.
DenseMatrix kernel_values(const TrainingReplay& checks,
                          const Kernel& kernel,
                          const DualPoint& vectors,
                          std::optional<std::size_t> threads) {
  std::vector<std::size_t> used;
  for (std::size_t j = 0; j < checks.size(); ++j) {
    if (std::ranges::any_of(vectors, [&](const auto& vector) { return vector[j] != 0; })) {
      used.push_back(j);
    }
  }
  DenseMatrix values(checks.size(), vectors.size());
  const auto fill = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (const std::size_t j : used) {
        const double entry = evaluate(kernel, checks.row(i), checks.row(j));
        for (std::size_t v = 0; v < vectors.size(); ++v) values(i, v) += vectors[v][j] * entry;
      }
    }
  };
  parallel_chunks(thread_count(threads), checks.size(), 16, fill);
  return values;
}

Replayed replayed(const std::vector<double>& coefficients,
                  const DenseMatrix& values,
                  std::size_t column) {
  Replayed function{.values = std::vector<double>(values.rows())};
  for (std::size_t i = 0; i < values.rows(); ++i) {
    function.values[i] = values(i, column);
    function.squared_norm += coefficients[i] * values(i, column);
  }
  return function;
}

/// What states the problem of a kernel machine.
struct KernelTerms {
  double c = 1;
  bool bias = true;
  bool pushes_back = false;
  std::optional<double> s = std::nullopt;
  double rho = 1;
};

Certificate verify_kernel(const Classifier& model,
                          const DualPoint& dual,
                          const Dataset& data,
                          const ClassWeights& weights,
                          const KernelTerms& terms,
                          std::optional<std::size_t> threads) {
  const ClassificationTask task = task_of(model, data, weights);
  TrainingReplay checks(model.scaler, data);
  const KernelExpansion& expansion = expansion_of(model.functions, checks);
  const std::size_t functions = expansion.offsets.size();
  const std::size_t points = points_of(dual, functions);
  checks.require_point(dual, points * functions);
  const DualPoint own = coefficients_by_row(expansion, checks.size());
  const DenseMatrix own_values = expansion_values(expansion, checks, threads);
  const DenseMatrix values = kernel_values(checks, expansion.kernel, dual, threads);
  std::vector<double> diagonal;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    diagonal.push_back(evaluate(expansion.kernel, checks.row(i), checks.row(i)));
  }
  Certificate sum;
  if (is_psd(expansion.kernel)) sum.lower_bound = 0.0;
  for (std::size_t f = 0; f < functions; ++f) {
    RobustReplay replay = problem_of(model, task, terms.c, f);
    replay.diagonal = diagonal;
    replay.free_offset = terms.bias;
    replay.pushes_back = terms.pushes_back;
    replay.s = terms.s;
    replay.rho = terms.rho;
    replay.offset = expansion.offsets[f];
    replay.function = replayed(own[f], own_values, f);
    for (std::size_t p = 0; p < points; ++p) {
      replay.points.push_back(dual[p * functions + f]);
      replay.of_points.push_back(replayed(replay.points.back(), values, p * functions + f));
    }
    if (!terms.bias) (void)checks.bias_weight(replay.offset, 0);
    add_function(replay, checks, sum);
  }
  sum.complaint = checks.certificate.complaint;
  return sum;
}

/// The linear function of a dual point, with the constant feature among its values.
Replayed linear_function(const TrainingReplay& checks, const std::vector<double>& b, double bias) {
  std::vector<double> w(checks.features(), 0.0);
  double of_constant = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    add_multiple(checks.row(i), b[i], w);
    of_constant += b[i] * bias;
  }
  Replayed function{.squared_norm = squared_norm(w) + of_constant * of_constant};
  for (std::size_t i = 0; i < b.size(); ++i) {
    function.values.push_back(dot(checks.row(i), w) + bias * of_constant);
  }
  return function;
}

}  // namespace

Certificate verify_ramp_svc(const Classifier& model,
                            const DualPoint& dual,
                            const Dataset& data,
                            const RampSvcOptions& options) {
  require(options.multiclass != MulticlassKind::direct,
          "verify_ramp_svc: direct machines have no certificate");
  return verify_kernel(model,
                       dual,
                       data,
                       options.class_weights,
                       {.c = options.c,
                        .bias = options.bias,
                        .pushes_back = options.step == RampStep::cccp,
                        .s = options.s},
                       options.control.threads);
}

Certificate verify_trimmed_svc(const Classifier& model,
                               const DualPoint& dual,
                               const Dataset& data,
                               const TrimmedSvcOptions& options) {
  return verify_kernel(model,
                       dual,
                       data,
                       options.class_weights,
                       {.c = options.c, .bias = options.bias, .rho = options.rho},
                       options.control.threads);
}

Certificate verify_linear_ramp_svc(const Classifier& model,
                                   const DualPoint& dual,
                                   const Dataset& data,
                                   const LinearRampSvcOptions& options) {
  const ClassificationTask task = task_of(model, data, options.class_weights);
  TrainingReplay checks(model.scaler, data);
  const LinearFunctions& linear = linear_functions(model.functions, checks);
  const std::size_t functions = linear.offsets.size();
  const std::size_t points = points_of(dual, functions);
  checks.require_point(dual, points * functions);
  const double bias = options.bias ? options.bias_scale : 0.0;
  Certificate sum{.lower_bound = 0.0};
  for (std::size_t f = 0; f < functions; ++f) {
    RobustReplay replay = problem_of(model, task, options.c, f);
    replay.s = options.s;
    const std::span<const double> w = linear.weights.row(f);
    const double of_constant = checks.bias_weight(linear.offsets[f], bias);
    replay.function.squared_norm = squared_norm(w) + of_constant * of_constant;
    for (std::size_t i = 0; i < checks.size(); ++i) {
      replay.function.values.push_back(dot(checks.row(i), w) + linear.offsets[f]);
      double square = bias * bias;
      checks.row(i).for_each([&](std::size_t, double value) { square += value * value; });
      replay.diagonal.push_back(square);
    }
    for (std::size_t p = 0; p < points; ++p) {
      replay.points.push_back(dual[p * functions + f]);
      replay.of_points.push_back(linear_function(checks, replay.points.back(), bias));
    }
    add_function(replay, checks, sum);
  }
  sum.complaint = checks.certificate.complaint;
  return sum;
}

}  // namespace maxmargin
