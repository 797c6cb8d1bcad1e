// SPDX-License-Identifier: Apache-2.0
//
// maxmargin tune: cross-validate the points of a grid, train with the best one on all rows.
#include "maxmargin/learner/tune.hpp"

#include <algorithm>
#include <iostream>

#include "commands/commands.hpp"
#include "commands/common.hpp"
#include "fields_csv.hpp"
#include "interrupt.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/metric/registry.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

struct TuneCommand {
  TuneOptions tune = {};
  ModelOptions model = {};
  ReportOptions report = {};
  std::optional<std::string> table = std::nullopt;
  void describe(OptionVisitor& visit) {
    tune.describe(visit);
    visit.text({.name = "table", .help = "write what was tried as CSV", .value = "FILE"}, table);
    model.describe(visit);
    report.describe(visit);
    visit.rule(model.output || !model.verify, "--verify: needs -o, without it there is no model");
  }
};

/// The rows for people, best first: the point, its mean and standard error, a star at the choice.
std::string listing_of(const Tuning& found) {
  const GridSearch& search = found.search;
  const Metric metric{.name = found.metric, .larger_is_better = found.larger_is_better};
  std::vector<std::size_t> order(search.results.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const GridResult& left = search.results[a];
    const GridResult& right = search.results[b];
    if (left.folds_run != right.folds_run) return left.folds_run > right.folds_run;
    if (left.train_share != right.train_share) return left.train_share > right.train_share;
    return metric.better(left.mean, right.mean);
  });
  std::vector<std::pair<std::string, std::string>> rows = {
      {"point", metric.name + " (standard error)"}};
  for (const std::size_t i : order) {
    const GridResult& result = search.results[i];
    std::string text = shown(result.mean) + " (" + shown(result.standard_error, 2) + ")";
    if (result.train_share < 1 && result.folds_run > 0) {
      text += " on " + format_number(result.train_share, 3) + " of the training examples";
    }
    if (search.chosen == i) text += "  *";
    rows.emplace_back(result.point.describe(), text);
  }
  return table(rows);
}

}  // namespace

std::vector<OptionGroup> tune_groups(const Learner* learner) {
  OptionGroup command{"What is tried and written", {}};
  command.options.push_back(
      {.name = "learner", .help = "what to train", .value = "NAME", .kind = OptionKind::text});
  add_options<TuneCommand>(command);
  if (learner != nullptr) say_measures(*learner, command.options);
  std::vector<OptionGroup> groups;
  groups.push_back(std::move(command));
  if (learner != nullptr) {
    groups.push_back(learner_group(*learner));
    groups.push_back(data_group(learner->info().data));
  }
  groups.push_back(group_of<RunOptions>("The run"));
  return groups;
}

int run_tune(Call& call) {
  (void)call.take_named({{.name = "learner"}});
  if (call.learner == nullptr) {
    throw UsageError("--learner: the name of the learner is missing", call.topic());
  }
  TuneCommand own;
  RunOptions run;
  call.take(own);
  call.take(run);
  bound_memory(run.context);
  const OptionTexts source = call.take_named(source_options(call.learner->info().data));
  const Learner& learner = effective_learner(*call.learner, call.given);
  call.check_options(learner);
  const OptionTexts written = learner.written_files(call.given);
  if (!written.empty() && !own.model.output) {
    throw UsageError(flag_of(written.front().first) +
                         ": needs -o, without it nothing is trained on all examples",
                     call.topic());
  }
  Outputs outputs(call,
                  {{"output", own.model.output}, {"table", own.table}, {"json", own.report.json}});
  PhaseTimer timer;
  enter_phase(timer, "read");
  const std::string& where = call.positionals.at(0);
  const LearnerData data = read_training_data(learner, where, source, call.given, run.context);
  own.tune.train_best = own.model.output.has_value();
  timer.leave();
  show_remarks(learner, data, call.given, run);
  const Context running = run.running();
  const SolveScope scope;
  Tuning found =
      tune(learner,
           data,
           {.options = call.given, .context = running, .keep_certificate = own.model.verify},
           own.tune);
  end_progress_line();

  enter_phase(timer, "write");
  RunReport& report = found.report;
  add_run_options(where, run, report);
  if (!found.best) {
    outputs.drop("output");
  } else {
    const Model& model = *found.best->model;
    // A point of the grid may have led to another learner, whose model it is.
    if (own.model.verify) {
      add_verification(verify_trained(model, data, running), report);
    }
    write_model(model.document(), *outputs.file("output"), own.model.format);
  }
  if (OutputFile* file = outputs.file("table")) file->write(csv_of(found.table));
  for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));
  if (!own.report.is_alone()) {
    std::cout << listing_of(found);
  }
  return finish(report, run, outputs);
}

}  // namespace maxmargin::tool
