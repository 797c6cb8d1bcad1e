// SPDX-License-Identifier: Apache-2.0
//
// maxmargin train --libsvm: svm-train's command line, defaults and model file.
#include <algorithm>
#include <iostream>

#include "commands.hpp"
#include "fit.hpp"
#include "interrupt.hpp"
#include "libsvm_call.hpp"
#include "machine.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/foreign/model.hpp"
#include "maxmargin/metric/regression.hpp"
#include "outputs.hpp"
#include "supervised_report.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

constexpr int shown_digits = 6;

/// --class-weight for the -wi that name a class of the data.
void settle_class_weights(LibsvmCall& call, const Dataset& data) {
  if (call.class_weights.empty()) return;
  const Classes classes = classes_of(data.labels);
  std::string text;
  for (const auto& [label, weight] : call.class_weights) {
    if (find_class(classes.names, label)) {
      text += (text.empty() ? "" : ",") + label.text() + "=" + format_number(weight);
    } else {
      std::cerr << "warning: -w" << label.text() << ": no example has this label\n";
    }
  }
  if (!text.empty()) call.arguments.given["class-weight"] = text;
}

/// What svm-train prints after cross-validation.
void print_folds(const LearnerSpec& learner, const Dataset& data, const CrossValidation& found) {
  if (learner.task == TaskKind::regression) {
    const LabelColumn tested = data.labels.select(found.tested_rows);
    const double correlation = squared_correlation(tested.numbers(), found.out_of_fold.targets);
    std::cout << "Cross Validation Mean squared error = "
              << format_number(found.pooled, shown_digits) << "\n"
              << "Cross Validation Squared correlation coefficient = "
              << format_number(correlation, shown_digits) << "\n";
  } else {
    std::cout << "Cross Validation Accuracy = " << format_number(100 * found.pooled, shown_digits)
              << "%\n";
  }
}

/// -v.
int cross_validate_as_libsvm(const LearnerSpec& learner,
                             const SupervisedData& loaded,
                             const TrainingInput& input,
                             const LibsvmCall& call,
                             PhaseTimer& timer,
                             Outputs& outputs) {
  const Metric& metric = metric_of(input.arguments, learner.task);
  require_measurable(metric, learner.task, loaded.data);
  const auto folds = folds_of(input.arguments, loaded.data, learner.task, *call.folds);
  timer.enter("cross-validate");
  FoldTrainings trainings;
  const CrossValidation found = [&] {
    const SolveScope scope;
    return cross_validate_learner(learner, loaded.data, input, folds, metric, trainings);
  }();
  end_progress_line();
  RunReport report = fold_report(learner, loaded.data, input.arguments, metric, found, trainings);
  report.solve.seconds = timer.finish();
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  for (const std::string& warning : report.solve.warnings) {
    if (!call.quiet) std::cerr << "warning: " << warning << "\n";
  }
  if (input.arguments.text("json") != "-") print_folds(learner, loaded.data, found);
  return report.solve.status == Status::solved ? 0 : 2;
}
/// The figures that scripts read from svm-train's output, by machine and in all.
void print_training(const TrainingAnswer& answer) {
  for (const MachineReport& machine : answer.machines) {
    std::cout << "optimization finished, #iter = " << machine.report.iterations << "\n";
    if (machine.report.dual_objective) {
      std::cout << "obj = " << format_number(-*machine.report.dual_objective, shown_digits) << "\n";
    }
    std::cout << "nSV = " << machine.support_vectors << ", nBSV = " << machine.bounded << "\n";
  }
  if (const auto* expansion = std::get_if<KernelExpansion>(&functions_of(answer.machine))) {
    std::cout << "Total nSV = " << expansion->vectors.rows() << "\n";
  }
}

}  // namespace

bool is_libsvm_call(int argc, const char* const* argv) {
  return argc > 2 && std::string_view(argv[1]) == "train" &&
         std::any_of(argv + 2, argv + argc, [](const char* word) {
           return std::string_view(word) == "--libsvm";
         });
}

int run_libsvm_train(int argc, const char* const* argv) {
  LibsvmCall call = parse_libsvm_call(std::vector<std::string>(argv + 2, argv + argc));
  const LearnerSpec& learner = find_learner(call.arguments);
  Outputs outputs;
  if (!call.folds) outputs.open("output", call.model_path);
  if (const std::optional<std::string> json = call.arguments.text("json")) {
    outputs.open("json", *json);
  }
  PhaseTimer timer;
  timer.enter("read");
  const SupervisedData loaded =
      load_training_data(call.arguments.positionals.at(0), call.arguments);
  const Dataset& data = loaded.data;
  settle_class_weights(call, data);
  timer.leave();
  TrainingInput input = training_input(
      call.arguments,
      loaded,
      interruptible(progress_line(call.quiet), call.arguments.positive("time-limit")));
  input.kkt_tolerance = call.kkt_tolerance;
  input.shrinking = call.shrinking;
  if (call.folds) {
    return cross_validate_as_libsvm(learner, loaded, input, call, timer, outputs);
  }

  const TrainingAnswer answer = [&] {
    const SolveScope scope;
    return fit_machine(learner, data, input);
  }();
  end_progress_line();
  if (OutputFile* file = outputs.file("json")) {
    RunReport report = learner_report(learner, data, call.arguments, answer.options);
    add_training(learner, answer, data, call.arguments, report);
    for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));
    file->write(to_json(report));
  }
  write_libsvm_model({.learner = std::string(learner.name), .machine = answer.machine},
                     *outputs.file("output"));
  outputs.commit();
  if (!call.quiet && call.arguments.text("json") != "-") print_training(answer);
  return answer.report.status == Status::solved ? 0 : 2;
}

}  // namespace maxmargin::tool
