// SPDX-License-Identifier: Apache-2.0
//
// maxmargin train: load, train, measure, write; or cross-validate.
#include <iostream>

#include "commands.hpp"
#include "fields_csv.hpp"
#include "fit.hpp"
#include "interrupt.hpp"
#include "machine_document.hpp"
#include "maxmargin/core/timer.hpp"
#include "outputs.hpp"
#include "structured_learners.hpp"
#include "supervised_report.hpp"
#include "terminal.hpp"
#include "verification.hpp"

namespace maxmargin::tool {

namespace {

int finish(RunReport& report, Outputs& outputs, bool quiet) {
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  if (!quiet) std::cerr << summary(report);
  if (report.verified == false) return 3;
  return report.solve.status == Status::solved ? 0 : 2;
}

/// --folds: the cross-validated metric and no model.
int cross_validate_and_report(const LearnerSpec& learner,
                              const SupervisedData& loaded,
                              const Arguments& arguments,
                              PhaseTimer& timer,
                              Outputs& outputs) {
  const Dataset& data = loaded.data;
  const Metric& metric = metric_of(arguments, learner.task);
  const std::size_t k = *arguments.whole("folds", 2);
  require_measurable(metric, learner.task, data);
  const auto folds = folds_of(arguments, data, learner.task, k);
  const bool quiet = arguments.has("quiet");
  const TrainingInput input = training_input(
      arguments, loaded, interruptible(progress_line(quiet), arguments.positive("time-limit")));
  timer.enter("cross-validate");
  FoldTrainings trainings;
  const CrossValidation found = [&] {
    const SolveScope scope;
    return cross_validate_learner(learner, data, input, folds, metric, trainings);
  }();
  end_progress_line();

  RunReport report = fold_report(learner, data, arguments, metric, found, trainings);
  report.solve.seconds = timer.finish();
  if (arguments.text("json") != "-") {
    std::cout << table({{metric.name, found.mean}, {"standard error", found.standard_error}});
  }
  return finish(report, outputs, quiet);
}

}  // namespace

int run_train(const Arguments& arguments) {
  if (const StructuredLearnerSpec* structured = find_structured_learner(arguments)) {
    return run_structured_train(*structured, arguments);
  }
  const LearnerSpec& learner = find_learner(arguments);
  const bool only_folds = arguments.has("folds");
  if (arguments.has("verify")) require_verifiable(std::string(learner.name));
  if (only_folds) {
    (void)arguments.whole("folds", 2);
    (void)metric_of(arguments, learner.task);
    if (arguments.has("output")) throw UsageError("--folds writes no model, so -o has no use");
    if (arguments.has("verify")) throw UsageError("--folds writes no model to --verify");
    if (arguments.has("weights-output")) {
      throw UsageError("--folds has many machines, so --weights-output has no use");
    }
  } else if (!arguments.has("output")) {
    throw UsageError("-o: where to write the model is missing");
  } else if (arguments.has("metric")) {
    throw UsageError("--metric belongs to --folds");
  }
  Outputs outputs;
  for (const std::string_view option : {"output", "weights-output", "json"}) {
    if (const std::optional<std::string> path = arguments.text(option)) {
      outputs.open(option, *path);
    }
  }
  PhaseTimer timer;
  timer.enter("read");
  const SupervisedData loaded = load_training_data(arguments.positionals.at(0), arguments);
  if (only_folds) return cross_validate_and_report(learner, loaded, arguments, timer, outputs);
  const Dataset& data = loaded.data;
  timer.leave();

  const bool quiet = arguments.has("quiet");
  const TrainingAnswer answer = [&] {
    const SolveScope scope;
    return fit_machine(
        learner,
        data,
        training_input(arguments,
                       loaded,
                       interruptible(progress_line(quiet), arguments.positive("time-limit"))));
  }();
  end_progress_line();

  timer.enter("measure");
  RunReport report = learner_report(learner, data, arguments, answer.options);
  add_training(learner, answer, data, arguments, report);
  add_transductive_errors(answer, loaded, arguments, report);
  const ModelDocument document = document_of(learner, answer, data);
  if (arguments.has("verify")) add_verification(document, loaded, arguments, report);
  timer.enter("write");
  write_model(document, *outputs.file("output"), model_format_of(arguments));
  if (OutputFile* file = outputs.file("weights-output")) file->write(csv_of(answer.row_weights));
  for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));
  return finish(report, outputs, quiet);
}

}  // namespace maxmargin::tool
