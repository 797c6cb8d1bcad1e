// SPDX-License-Identifier: Apache-2.0
#include "semi_answer.hpp"

#include <utility>

#include "learner_options.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/eval/semi_comparison.hpp"

namespace maxmargin::tool {

namespace {

/// What cross-validation says about the two machines, in words.
std::vector<std::string> remarks(const SemiComparison& compared, bool safe) {
  std::vector<std::string> said;
  if (compared.status != Status::solved && !was_stopped(compared.status)) {
    said.push_back("a machine of the cross-validation ended as " +
                   std::string(to_string(compared.status)));
  }
  if (!compared.reason.empty()) {
    said.push_back("whether the unlabelled rows help is not known: " + compared.reason);
  } else if (compared.labelled < labels_to_compare) {
    said.push_back("with " + std::to_string(compared.labelled) + " labelled rows (fewer than " +
                   std::to_string(labels_to_compare) +
                   ") cross-validation cannot tell whether the unlabelled rows help" +
                   (safe ? "; --safe keeps the semi-supervised machine" : ""));
  } else if (compared.supervised_is_better()) {
    said.push_back("the unlabelled rows do not help: cross-validated accuracy " +
                   format_number(*compared.semi_supervised, 4) + " with them, " +
                   format_number(*compared.supervised, 4) + " without; " +
                   (safe ? "--safe returns the supervised machine"
                         : "--safe would return the supervised machine"));
  }
  return said;
}

}  // namespace

double cost_or_100(const TrainingInput& input) {
  return parse_cost(input.arguments.text_or("C", "100"), false);
}

ReportValue shown_balance(std::optional<double> balance) {
  return balance ? ReportValue(*balance) : ReportValue(std::monostate{});
}

TrainingAnswer run_semi(const Dataset& data,
                        const TrainingInput& input,
                        const TrainingControl& control,
                        ReportFields fields,
                        const TrainSemi& train) {
  const bool safe = input.arguments.has("safe");
  TrainedSemiSupervised trained = train(data, control);
  SemiComparison compared;
  TrainingAnswer answer;
  const Stopwatch watch;
  if (!input.is_part) {
    TrainingControl of_fold = control;
    of_fold.keep_dual = false;
    compared = compare_semi_supervised(data,
                                       [&](const Dataset& fold) { return train(fold, of_fold); },
                                       {.seed = control.seed, .on_progress = control.on_progress});
  }
  const bool take_supervised = safe && compared.supervised_is_better();
  TrainedClassifier& taken = take_supervised ? trained.supervised : trained.semi_supervised;
  answer = {
      .machine = std::move(taken.model),
      .report = std::move(taken.report),
      .machines = std::move(taken.machines),
      .metrics = {{"labelled", static_cast<double>(trained.labelled)},
                  {"unlabelled", static_cast<double>(trained.unlabelled)},
                  {"trainings", static_cast<double>(trained.steps.size())},
                  {"stationary_gap", take_supervised ? std::nullopt : trained.stationary_gap}},
      .options = std::move(fields),
      .dual_coefficients = std::move(taken.dual_coefficients)};
  answer.supervised_values = std::move(trained.supervised.training_values);
  answer.training_values = take_supervised ? answer.supervised_values
                                           : std::move(trained.semi_supervised.training_values);
  if (!input.is_part) {
    answer.metrics.emplace_back("cv_supervised", compared.supervised);
    answer.metrics.emplace_back("cv_semi_supervised", compared.semi_supervised);
    answer.report.seconds.emplace_back("compare", watch.seconds());
    for (std::string& remark : remarks(compared, safe)) {
      answer.report.warnings.push_back(std::move(remark));
    }
  }
  answer.options.emplace_back("safe", safe);
  answer.options.emplace_back("machine",
                              std::string(take_supervised ? "supervised" : "semi-supervised"));
  show_control(control, input, answer.options);
  return answer;
}

}  // namespace maxmargin::tool
