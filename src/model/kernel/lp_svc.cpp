// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/kernel/lp_svc.hpp"

#include <cmath>

#include "maxmargin/core/options.hpp"
#include "model/choose_code.hpp"
#include "model/describe.hpp"
#include "model/kernel/lp_machines.hpp"
#include "model/kernel/training.hpp"

namespace maxmargin {

namespace {

/// Larger finite numbers are infinite to the solver; saying so is the caller's choice.
constexpr NumberRule lp_cost{"a number > 0 and at most 1e15, or inf",
                             {.least = 0, .has_most = true, .most_finite = 1e15}};

}  // namespace

void LpSvcOptions::describe(OptionVisitor& visit) {
  visit.number(
      {.name = "C",
       .help = "weight of the losses; larger fits the training rows closer, inf is the hard margin",
       .alias = "c"},
      c,
      lp_cost);
  kernel.describe(visit);
  visit.name({.name = "form", .help = "coefficients with the signs of their rows, or of any sign"},
             form);
  describe_bias(visit, bias);
  describe_class_weights(visit, class_weights);
  describe_multiclass(visit, multiclass, code);
  describe_one_class(visit, allow_one_class);
  control.describe(visit);
}

TrainedClassifier train_lp_svc(const Dataset& data, const LpSvcOptions& options) {
  validate(options);
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  const Kernel kernel = resolved_kernel(options.kernel, data, options.control);
  return train_lp_machines(
      {.data = data,
       .kernel = kernel,
       .control = options.control,
       .task = task,
       .code = choose_code(
           options.multiclass, options.code, task.classes.count(), options.control.context.seed),
       .c = options.c,
       .form = options.form,
       .bias = options.bias,
       .name = "lp-svc"});
}

}  // namespace maxmargin
