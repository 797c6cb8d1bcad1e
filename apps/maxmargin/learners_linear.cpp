// SPDX-License-Identifier: Apache-2.0
//
// Machines solved on the features, and all classes in one problem: cs-svc.
#include <array>

#include "learner_options.hpp"
#include "learners.hpp"
#include "maxmargin/model/cs_svc.hpp"

namespace maxmargin::tool {

namespace {

using Names = std::string_view;

TrainingAnswer run_cs_svc(const Dataset& data, const TrainingInput& input) {
  CsSvcOptions options;
  options.c = cost_of(input, false);
  options.kernel = kernel_of(input, data.examples);
  options.bias = input.arguments.has("no-bias") ? 0 : 1;
  options.class_weights = class_weights_of(input);
  options.allow_one_class = input.arguments.has("allow-one-class");
  options.control = control_of(input);
  TrainedClassifier fit = train_cs_svc(data, options);
  TrainingAnswer answer{.machine = std::move(fit.model),
                        .report = std::move(fit.report),
                        .machines = std::move(fit.machines)};
  answer.options.emplace_back("C", options.c);
  show_kernel(options.kernel, answer.options);
  answer.options.emplace_back("bias", options.bias != 0);
  show_control(options.control, input, answer.options);
  return answer;
}

constexpr std::array cs_svc_takes = {Names{"C"},
                                     Names{"kernel"},
                                     Names{"gamma"},
                                     Names{"degree"},
                                     Names{"coef0"},
                                     Names{"no-bias"},
                                     Names{"class-weight"},
                                     Names{"probabilities"},
                                     Names{"allow-one-class"},
                                     Names{"memory-limit"}};

constexpr std::array family = {LearnerSpec{"cs-svc",
                                           "all classes in one problem (Crammer and Singer)",
                                           TaskKind::classification,
                                           cs_svc_takes,
                                           run_cs_svc}};

}  // namespace

std::span<const LearnerSpec> linear_learners() { return family; }

}  // namespace maxmargin::tool
