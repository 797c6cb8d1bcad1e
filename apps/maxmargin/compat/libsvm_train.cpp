// SPDX-License-Identifier: Apache-2.0
//
// maxmargin train --libsvm: svm-train's command line, defaults and model file.
#include <algorithm>
#include <iostream>

#include "commands/common.hpp"
#include "compat/libsvm_call.hpp"
#include "interrupt.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/learner/tune.hpp"
#include "maxmargin/metric/regression.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

/// LIBSVM ends at a violation, which is all that was asked for: a wider gap, which the report
/// tells, is no failure here.
int exit_code_of(Status status) {
  return is_success(status) || status == Status::solved_inaccurate ? 0 : 2;
}

constexpr int shown_digits = 6;

/// What the run around svm-train takes.
struct LibsvmRun {
  RunOptions run = {};
  ReportOptions report = {};
  void describe(OptionVisitor& visit) {
    run.describe(visit);
    report.describe(visit);
  }
};

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
  if (!text.empty()) call.options.emplace_back("class-weight", text);
}

/// What svm-train prints after cross-validation.
void print_folds(const Learner& learner, const Dataset& data, const CrossValidation& found) {
  if (learner.info().task == Task::regress) {
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

/// The figures that scripts read from svm-train's output, by machine and in all.
void print_training(const Model& model, const Machine& machine) {
  for (const MachineReport& each : machine_reports_of(model.document())) {
    std::cout << "optimization finished, #iter = " << each.report.iterations << "\n";
    if (each.report.dual_objective) {
      std::cout << "obj = " << format_number(-*each.report.dual_objective, shown_digits) << "\n";
    }
    std::cout << "nSV = " << each.support_vectors << ", nBSV = " << each.bounded << "\n";
  }
  if (const auto* expansion = std::get_if<KernelExpansion>(&functions_of(machine))) {
    std::cout << "Total nSV = " << expansion->vectors.rows() << "\n";
  }
}

/// -v.
int cross_validate_as_libsvm(const Learner& learner,
                             const TableData& data,
                             const TrainingRequest& request,
                             const LibsvmCall& call,
                             const LibsvmRun& own,
                             PhaseTimer& timer,
                             Outputs& outputs) {
  timer.enter("cross-validate");
  const SolveScope scope;
  LearnerFolds found = cross_validate_learner(learner, data, request, {.folds = *call.folds});
  end_progress_line();
  add_run_options(call.data_path, own.run, found.report);
  found.report.solve.seconds = timer.finish();
  if (OutputFile* file = outputs.file("json")) file->write(to_json(found.report));
  outputs.commit();
  std::cerr << warning_lines(found.report.solve);
  if (!own.report.is_alone()) print_folds(learner, data.data, found.found);
  return exit_code_of(found.report.solve.status);
}

}  // namespace

bool is_libsvm_call(const std::vector<std::string>& words) {
  return words.size() > 1 && words[0] == "train" &&
         std::find(words.begin() + 1, words.end(), "--libsvm") != words.end();
}

int run_libsvm_train(const std::vector<std::string>& words) {
  LibsvmCall call = parse_libsvm_call({words.begin() + 1, words.end()});
  LibsvmRun own;
  set_options(own, call.run, "--libsvm");
  validate(own);
  own.run.quiet = call.quiet;
  const Learner& chosen = learner(call.learner);
  Outputs::Paths paths = {{"json", own.report.json}};
  if (!call.folds) paths.emplace_back("MODEL", call.model_path);
  Outputs outputs({{"DATA", call.data_path}}, paths);
  PhaseTimer timer;
  timer.enter("read");
  reach_phase("read");
  const LearnerData data = read_training_data(
      chosen, call.data_path, {{"format", "svmlight"}}, call.options, own.run.context);
  const auto& rows = std::get<TableData>(data);
  settle_class_weights(call, rows.data);
  timer.leave();
  const TrainingRequest request{.options = call.options, .context = own.run.running()};
  if (call.folds) {
    return cross_validate_as_libsvm(chosen, rows, request, call, own, timer, outputs);
  }
  const SolveScope scope;
  Training trained = chosen.train(data, request);
  end_progress_line();
  const Machine& machine = trained.model->machine();
  if (OutputFile* file = outputs.file("json")) {
    add_run_options(call.data_path, own.run, trained.report);
    for (auto& phase : timer.finish()) trained.report.solve.seconds.push_back(std::move(phase));
    file->write(to_json(trained.report));
  }
  write_libsvm_model({.learner = call.learner, .machine = machine}, *outputs.file("MODEL"));
  outputs.commit();
  if (!call.quiet && !own.report.is_alone()) print_training(*trained.model, machine);
  return exit_code_of(trained.report.solve.status);
}

}  // namespace maxmargin::tool
