// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, "Leave-one-out machine"
#include "maxmargin/model/robust/loo_svc.hpp"

#include <cmath>

#include "maxmargin/model/kernel/decision_function.hpp"
#include "model/choose_code.hpp"
#include "model/describe.hpp"
#include "model/kernel/lp_machines.hpp"
#include "model/kernel/training.hpp"

namespace maxmargin {

namespace {

/// Takes the share `lambda` out of the diagonal and divides column j by |K_jj|: the program of
/// LpSvm then pays a_j |K_jj| for a_j.
std::vector<double> shape_program(DenseMatrix& gram, double lambda) {
  std::vector<double> divisors(gram.rows());
  for (std::size_t j = 0; j < gram.rows(); ++j) {
    divisors[j] = gram(j, j) != 0 ? std::abs(gram(j, j)) : 1.0;
    gram(j, j) *= 1 - lambda;
  }
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j < gram.cols(); ++j) gram(i, j) /= divisors[j];
  }
  return divisors;
}

double left_out_error_of(const Classifier& model,
                         const Examples& examples,
                         std::span<const std::int32_t> classes,
                         std::optional<std::size_t> threads) {
  const auto& expansion = std::get<KernelExpansion>(model.functions);
  DenseMatrix values =
      decision_values(model.functions,
                      examples,
                      {.context = {.threads = threads}, .precision = ValuePrecision::exact});
  for (std::size_t k = 0; k < expansion.training_rows.size(); ++k) {
    const Row row = expansion.vectors.row(k);
    const double self = evaluate(expansion.kernel, row, row);
    for (std::size_t f = 0; f < values.cols(); ++f) {
      values(expansion.training_rows[k], f) -= expansion.coefficients(k, f) * self;
    }
  }
  const DenseMatrix scores = decode(model.code, values.view());
  const std::vector<std::int32_t> answers = predicted_classes(scores.view());
  double wrong = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) wrong += answers[i] != classes[i] ? 1 : 0;
  return wrong / static_cast<double>(classes.size());
}

}  // namespace

void LooSvcOptions::describe(OptionVisitor& visit) {
  static constexpr NumberRule cost{"a number > 0 and at most 1e15, or inf",
                                   {.least = 0, .has_most = true, .most_finite = 1e15}};
  describe_cost(visit, c, cost);
  kernel.describe(visit);
  visit.number({.name = "lambda",
                .help = "share of its own kernel value that a row's margin must do without",
                .value = "L"},
               lambda,
               rules::not_negative);
  describe_bias(visit, bias);
  describe_class_weights(visit, class_weights);
  describe_multiclass(visit, multiclass, code);
  describe_one_class(visit, allow_one_class);
  control.describe(visit);
}

TrainedLooClassifier train_loo_svc(const Dataset& data, const LooSvcOptions& options) {
  validate(options);
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  const Kernel kernel = resolved_kernel(options.kernel, data, options.control);
  TrainedLooClassifier trained;
  static_cast<TrainedClassifier&>(trained) = train_lp_machines(
      {.data = data,
       .kernel = kernel,
       .control = options.control,
       .task = task,
       .code = choose_code(
           options.multiclass, options.code, task.classes.count(), options.control.context.seed),
       .c = options.c,
       .form = LpSvmForm::slides,
       .bias = options.bias,
       .name = "loo-svc",
       .shape = [&](DenseMatrix& gram) { return shape_program(gram, options.lambda); }});
  // Asks for the kernel between all rows and the support vectors: not after a stop.
  if (!was_stopped(trained.report.status)) {
    trained.left_out_error = left_out_error_of(
        trained.model, data.examples, task.classes.of_row, options.control.context.threads);
  }
  return trained;
}

}  // namespace maxmargin
