// SPDX-License-Identifier: Apache-2.0
//
// maxmargin train: load, train, measure, write; or cross-validate.
#include <iostream>

#include "commands/commands.hpp"
#include "commands/common.hpp"
#include "fields_csv.hpp"
#include "interrupt.hpp"
#include "maxmargin/core/suggested_names.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/learner/tune.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

/// Of learners that weigh rows.
struct WeightsChoice {
  std::optional<std::string> weights_output = std::nullopt;
  void describe(OptionVisitor& visit) {
    visit.text({.name = "weights-output",
                .help = "write what every row weighs (robust machines)",
                .value = "FILE"},
               weights_output);
  }
};

/// Of learners that folds can measure.
struct FoldsChoice {
  std::optional<std::size_t> folds = std::nullopt;
  std::optional<std::string> metric = std::nullopt;
  void describe(OptionVisitor& visit) {
    visit.whole({.name = "folds",
                 .help = "cross-validate in K parts, write no model",
                 .value = "K",
                 .fallback = "none"},
                folds,
                {.least = 2});
    SuggestedNames(visit, metric_names())
        .text({.name = "metric",
               .help = "measure of --folds",
               .value = "NAME",
               .fallback = "accuracy; mse for regression; structured learners have their own"},
              metric);
    visit.rule(folds || !metric, "--metric belongs to --folds");
  }
};

/// What the command itself takes.
struct TrainOptions {
  ModelOptions model = {};
  ReportOptions report = {};
  WeightsChoice weights = {};
  FoldsChoice measured = {};
  void describe(OptionVisitor& visit) {
    model.describe(visit);
    report.describe(visit);
    weights.describe(visit);
    measured.describe(visit);
    const std::optional<std::size_t>& folds = measured.folds;
    visit.rule(!folds || !model.output, "--folds writes no model, so -o has no use");
    visit.rule(!folds || !model.verify, "--folds writes no model to --verify");
    visit.rule(!folds || !weights.weights_output,
               "--folds has many machines, so --weights-output has no use");
  }
};

/// --folds: the cross-validated metric and no model.
int cross_validate_and_report(const Learner& learner,
                              const std::string& where,
                              const LearnerData& data,
                              const TrainingRequest& request,
                              const TrainOptions& own,
                              const RunOptions& run,
                              PhaseTimer& timer,
                              Outputs& outputs) {
  timer.enter("cross-validate");
  const SolveScope scope;
  LearnerFolds folds = cross_validate_learner(
      learner,
      data,
      request,
      {.folds = *own.measured.folds, .metric = own.measured.metric.value_or("")});
  end_progress_line();
  add_run_options(where, run, folds.report);
  folds.report.solve.seconds = timer.finish();
  if (!own.report.is_alone()) {
    std::cout << table(
        {{folds.metric, folds.found.mean}, {"standard error", folds.found.standard_error}});
  }
  return finish(folds.report, run, outputs);
}

}  // namespace

std::vector<OptionGroup> train_groups(const Learner* learner) {
  std::vector<OptionGroup> groups;
  OptionGroup command{"What is trained and written", {}};
  command.options.push_back(
      {.name = "learner", .help = "what to train", .value = "NAME", .kind = OptionKind::text});
  add_options<ModelOptions>(command);
  add_options<ReportOptions>(command);
  if (learner == nullptr || learner->info().weighs_rows) add_options<WeightsChoice>(command);
  if (learner == nullptr || learner->has_folds()) add_options<FoldsChoice>(command);
  if (learner != nullptr) say_measures(*learner, command.options);
  if (learner != nullptr) {
    groups.push_back(learner_group(*learner));
    groups.push_back(data_group(learner->info().data));
  }
  groups.push_back(std::move(command));
  groups.push_back(group_of<RunOptions>("The run"));
  return groups;
}

int run_train(Call& call) {
  (void)call.take_named({{.name = "learner"}});
  if (call.learner == nullptr) {
    throw UsageError("--learner: the name of the learner is missing", call.topic());
  }
  TrainOptions own;
  RunOptions run;
  call.take(own);
  call.take(run);
  bound_memory(run.context);
  const OptionTexts source = call.take_named(source_options(call.learner->info().data));
  const DataKind kind = call.learner->info().data;
  if (kind == DataKind::table && !own.measured.folds) refuse_groups(source);
  const Learner& learner = effective_learner(*call.learner, call.given);
  call.check_options(learner);
  if (!own.measured.folds && !own.model.output) {
    throw UsageError("-o: where to write the model is missing", call.topic());
  }
  Outputs::Paths paths = {{"output", own.model.output},
                          {"weights-output", own.weights.weights_output},
                          {"json", own.report.json}};
  const OptionTexts written = learner.written_files(call.given);
  if (own.measured.folds && !written.empty()) {
    throw UsageError(
        "--folds writes no model, so " + flag_of(written.front().first) + " has no use",
        call.topic());
  }
  paths.insert(paths.end(), written.begin(), written.end());
  Outputs outputs(call, paths);
  // Opened only to see that it can be: training writes it, again and again.
  for (const auto& [name, path] : written) outputs.drop(name);
  PhaseTimer timer;
  enter_phase(timer, "read");
  const std::string& where = call.positionals.at(0);
  const LearnerData data = read_training_data(learner, where, source, call.given, run.context);
  const TrainingRequest request{
      .options = call.given, .context = run.running(), .keep_certificate = own.model.verify};
  show_remarks(learner, data, call.given, run);
  if (own.measured.folds) {
    return cross_validate_and_report(learner, where, data, request, own, run, timer, outputs);
  }
  timer.leave();
  const SolveScope scope;
  Training trained = learner.train(data, request);
  end_progress_line();

  RunReport& report = trained.report;
  add_run_options(where, run, report);
  if (own.model.verify) {
    timer.enter("verify");
    const Model& model = *trained.model;
    add_verification(verify_trained(model, data, request.context), report);
  }
  end_progress_line();
  enter_phase(timer, "write");
  write_model(trained.model->document(), *outputs.file("output"), own.model.format);
  if (OutputFile* file = outputs.file("weights-output")) file->write(csv_of(trained.row_weights));
  for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));
  return finish(report, run, outputs);
}

}  // namespace maxmargin::tool
