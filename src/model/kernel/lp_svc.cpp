// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/kernel/lp_svc.hpp"

#include <cmath>

#include "maxmargin/core/require.hpp"
#include "model/choose_code.hpp"
#include "model/kernel/lp_machines.hpp"

namespace maxmargin {

void LpSvcOptions::validate() const {
  // Larger finite numbers are infinite to the solver; saying so is the caller's choice.
  require_field(c > 0 && (c <= 1e15 || std::isinf(c)),
                "LpSvcOptions.c",
                c,
                "> 0 and at most 1e15, or infinity");
  maxmargin::validate(kernel);
  control.validate();
}

TrainedClassifier train_lp_svc(const Dataset& data, const LpSvcOptions& options) {
  options.validate();
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  return train_lp_machines(
      {.data = data,
       .kernel = options.kernel,
       .control = options.control,
       .task = task,
       .code = choose_code(
           options.multiclass, options.code, task.classes.count(), options.control.seed),
       .c = options.c,
       .form = options.form,
       .bias = options.bias,
       .name = "lp-svc"});
}

}  // namespace maxmargin
