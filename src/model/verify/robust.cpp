// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, "Stopping and what the certificate proves"
#include "model/verify/robust.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/recomputation.hpp"
#include "maxmargin/core/require.hpp"
#include "model/verify/replay.hpp"
#include "model/verify/robust_replay.hpp"
#include "model/verify/rounding.hpp"

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
                          const Context& context) {
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
  verify_chunks(context, checks.size(), fill);
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

/// What rounding may change of function f and of the first dual point.
void set_errors(const FunctionRounding& rounding, std::size_t f, RobustReplay& replay) {
  for (std::size_t i = 0; i < replay.signs.size(); ++i) {
    replay.value_errors.push_back(rounding.value(i, f));
  }
  replay.norm_error = rounding.penalty(f) + rounding.penalty(replay.points.front());
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
                          const Context& context) {
  const ClassificationTask task = task_of(model, data, weights);
  TrainingReplay checks(model.scaler, data);
  const KernelExpansion& expansion = expansion_of(model.functions, checks);
  const std::size_t functions = expansion.offsets.size();
  const std::size_t points = points_of(dual, functions);
  checks.require_point(dual, points * functions);
  const DualPoint own = coefficients_by_row(expansion, checks.size());
  const DenseMatrix own_values = expansion_values(expansion, checks, context);
  const DenseMatrix values = kernel_values(checks, expansion.kernel, dual, context);
  std::vector<double> diagonal;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    diagonal.push_back(evaluate(expansion.kernel, checks.row(i), checks.row(i)));
  }
  Certificate sum{.is_convex = false};
  if (is_psd(expansion.kernel)) sum.lower_bound = 0.0;
  const FunctionRounding rounding(expansion, checks.examples());
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
    set_errors(rounding, f, replay);
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
  Replayed function{.squared_norm = plain_squared_norm(w) + of_constant * of_constant};
  for (std::size_t i = 0; i < b.size(); ++i) {
    function.values.push_back(dot(checks.row(i), w) + bias * of_constant);
  }
  return function;
}

/// One function a class as what the loss of Crammer and Singer sees of them: the own value less the
/// best other, and the sum of the squared norms.
Replayed direct_function(std::span<const Replayed> by_class,
                         std::span<const std::int32_t> classes) {
  Replayed all{.values = std::vector<double>(classes.size(), 1.0)};
  for (const Replayed& one : by_class) all.squared_norm += one.squared_norm;
  // With one class nothing competes and nothing is lost.
  for (std::size_t i = 0; i < classes.size() && by_class.size() > 1; ++i) {
    const auto own = static_cast<std::size_t>(classes[i]);
    double other = -std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < by_class.size(); ++r) {
      if (r != own) other = std::max(other, by_class[r].values[i]);
    }
    all.values[i] = by_class[own].values[i] - other;
  }
  return all;
}

/// The functions of a direct model with their bias among the values.
std::vector<Replayed> direct_model(const Classifier& model,
                                   TrainingReplay& checks,
                                   double bias,
                                   const Context& context) {
  std::vector<Replayed> found;
  const auto with_bias = [&](Replayed function, double offset) {
    const double weight = checks.bias_weight(offset, bias);
    function.squared_norm += weight * weight;
    for (double& value : function.values) value += offset;
    found.push_back(std::move(function));
  };
  if (std::holds_alternative<LinearFunctions>(model.functions)) {
    const LinearFunctions& linear = linear_functions(model.functions, checks);
    for (std::size_t r = 0; r < linear.offsets.size(); ++r) {
      const std::span<const double> w = linear.weights.row(r);
      Replayed function{.squared_norm = plain_squared_norm(w)};
      for (std::size_t i = 0; i < checks.size(); ++i) {
        function.values.push_back(dot(checks.row(i), w));
      }
      with_bias(std::move(function), linear.offsets[r]);
    }
    return found;
  }
  const KernelExpansion& expansion = expansion_of(model.functions, checks);
  const DualPoint own = coefficients_by_row(expansion, checks.size());
  const DenseMatrix values = expansion_values(expansion, checks, context);
  for (std::size_t r = 0; r < own.size(); ++r) {
    with_bias(replayed(own[r], values, r), expansion.offsets[r]);
  }
  return found;
}

/// The functions that dual vectors make, with their bias among the values.
std::vector<Replayed> direct_functions(const DualPoint& dual,
                                       const Kernel& kernel,
                                       const TrainingReplay& checks,
                                       double bias,
                                       const Context& context) {
  std::vector<Replayed> made;
  const bool linear = std::holds_alternative<Linear>(kernel);
  const DenseMatrix values = linear ? DenseMatrix() : kernel_values(checks, kernel, dual, context);
  for (std::size_t v = 0; v < dual.size(); ++v) {
    if (linear) {
      made.push_back(linear_function(checks, dual[v], bias));
      continue;
    }
    Replayed function = replayed(dual[v], values, v);
    double constant = 0;
    for (const double t : dual[v]) constant += t * bias;
    function.squared_norm += constant * constant;
    for (double& value : function.values) value += bias * constant;
    made.push_back(std::move(function));
  }
  return made;
}

/// The own class's coefficients of a dual point of Crammer and Singer: those of the others are <= 0
/// and every row of them adds up to 0. The bounds of the own ones are checked where costs are
/// known.
std::vector<double> own_coefficients(std::span<const std::vector<double>> by_class,
                                     const ClassificationTask& task,
                                     TrainingReplay& checks) {
  std::vector<double> own(checks.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto cls = static_cast<std::size_t>(task.classes.of_row[i]);
    own[i] = by_class[cls][i];
    double sum = 0;
    double size = 0;
    for (std::size_t r = 0; r < by_class.size(); ++r) {
      const double t = by_class[r][i];
      sum += t;
      size += std::abs(t);
      // No other class takes more than all that the own one has.
      if (r != cls) checks.check_bounds(t, -own[i], 0, i);
    }
    checks.check_balance(sum, size, "the dual coefficients of a row");
  }
  return own;
}

Certificate verify_direct(const Classifier& model,
                          const DualPoint& dual,
                          const Dataset& data,
                          const RampSvcOptions& options) {
  const ClassificationTask task = task_of(model, data, options.class_weights);
  TrainingReplay checks(model.scaler, data);
  const std::size_t classes = task.classes.count();
  require(function_count(model.functions) == classes, "the model has not one function a class");
  const std::size_t points = points_of(dual, classes);
  checks.require_point(dual, points * classes);
  const double bias = options.bias ? 1.0 : 0.0;
  const auto* expansion = std::get_if<KernelExpansion>(&model.functions);
  const Kernel kernel = expansion != nullptr ? expansion->kernel : Kernel(Linear{});
  const std::vector<Replayed> made =
      direct_functions(dual, kernel, checks, bias, options.control.context);
  RobustReplay replay;
  replay.s = options.s;
  replay.signs.assign(checks.size(), 1);
  for (std::size_t i = 0; i < checks.size(); ++i) {
    replay.costs.push_back(options.c * task.weights[i]);
    // The difference of two functions has at most sqrt(2) times the norm of all.
    const double square = evaluate(kernel, checks.row(i), checks.row(i)) + bias * bias;
    replay.diagonal.push_back(2 * square);
  }
  replay.function = direct_function(direct_model(model, checks, bias, options.control.context),
                                    task.classes.of_row);
  for (std::size_t p = 0; p < points; ++p) {
    replay.points.push_back(
        own_coefficients(std::span(dual).subspan(p * classes, classes), task, checks));
    replay.of_points.push_back(direct_function(
        std::span<const Replayed>(made).subspan(p * classes, classes), task.classes.of_row));
  }
  const FunctionRounding rounding(model.functions, checks.examples());
  replay.value_errors.assign(checks.size(), 0.0);
  for (std::size_t r = 0; r < classes; ++r) {
    replay.norm_error += rounding.penalty(r) + rounding.penalty(dual[r]);
    // The difference of two functions.
    for (std::size_t i = 0; i < checks.size(); ++i) {
      replay.value_errors[i] = std::max(replay.value_errors[i], 2 * rounding.value(i, r));
    }
  }
  Certificate sum{.is_convex = false};
  if (is_psd(kernel)) sum.lower_bound = 0.0;
  add_function(replay, checks, sum);
  sum.complaint = checks.certificate.complaint;
  return sum;
}

}  // namespace

Certificate verify_ramp_svc(const Classifier& model,
                            const DualPoint& dual,
                            const Dataset& data,
                            const RampSvcOptions& options) {
  if (options.multiclass == MulticlassKind::direct) {
    return verify_direct(model, dual, data, options);
  }
  return verify_kernel(model,
                       dual,
                       data,
                       options.class_weights,
                       {.c = options.c,
                        .bias = options.bias,
                        .pushes_back = options.step_used() == RampStep::cccp,
                        .s = options.s},
                       options.control.context);
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
                       options.control.context);
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
  Certificate sum{.lower_bound = 0.0, .is_convex = false};
  const FunctionRounding rounding(linear, checks.examples());
  VerifyWatch watch(options.control.context);
  for (std::size_t f = 0; f < functions; ++f) {
    RobustReplay replay = problem_of(model, task, options.c, f);
    replay.s = options.s;
    const std::span<const double> w = linear.weights.row(f);
    const double of_constant = checks.bias_weight(linear.offsets[f], bias);
    replay.function.squared_norm = plain_squared_norm(w) + of_constant * of_constant;
    for (std::size_t i = 0; i < checks.size(); ++i) {
      replay.function.values.push_back(dot(checks.row(i), w) + linear.offsets[f]);
      double square = bias * bias;
      checks.row(i).for_each([&](std::size_t, double value) { square += value * value; });
      replay.diagonal.push_back(square);
    }
    for (std::size_t p = 0; p < points; ++p) {
      watch.spend(data.examples.entries());
      replay.points.push_back(dual[p * functions + f]);
      replay.of_points.push_back(linear_function(checks, replay.points.back(), bias));
    }
    set_errors(rounding, f, replay);
    add_function(replay, checks, sum);
  }
  sum.complaint = checks.certificate.complaint;
  return sum;
}

}  // namespace maxmargin
