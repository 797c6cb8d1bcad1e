// SPDX-License-Identifier: Apache-2.0
//
// maxmargin predict: a model's answers for new examples.
#include <iostream>

#include "commands/commands.hpp"
#include "commands/common.hpp"
#include "maxmargin/core/timer.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

struct PredictOptions {
  std::optional<std::string> output = std::nullopt;
  ReportOptions report = {};
  std::optional<std::size_t> threads = std::nullopt;
  bool quiet = false;
  void describe(OptionVisitor& visit) {
    visit.text({.name = "output",
                .help = "where to write the answers, one a line",
                .value = "FILE",
                .fallback = "standard output",
                .alias = "o"},
               output);
    report.describe(visit);
    visit.whole({.name = "threads", .help = "threads to use", .fallback = "all cores"},
                threads,
                {.least = 1});
    visit.yes_no({.name = "quiet", .help = "no summary"}, quiet);
  }
};

/// Every option of a list that is not in `group` yet, under its first description.
void add_missing(const std::vector<OptionDescription>& options, OptionGroup& group) {
  for (const OptionDescription& option : options) {
    const bool is_there = std::ranges::any_of(
        group.options, [&](const OptionDescription& each) { return each.name == option.name; });
    if (!is_there) group.options.push_back(option);
  }
}

}  // namespace

std::vector<OptionGroup> predict_groups(const Learner* /*learner*/) {
  // Which of these a model takes is said when the model is known.
  OptionGroup answers{"What is asked (where the model's learner takes it)", {}};
  OptionGroup data{"The data", {}};
  for (const Learner* each : learners()) {
    add_missing(each->prediction_options(), answers);
    add_missing(source_options(each->info().data), data);
  }
  return {std::move(answers), std::move(data), group_of<PredictOptions>("The run")};
}

int run_predict(Call& call) {
  PredictOptions own;
  call.take(own);
  Outputs outputs;
  if (own.report.json) outputs.open("json", *own.report.json);
  if (own.output || !own.report.is_alone()) outputs.open("output", own.output.value_or("-"));

  PhaseTimer timer;
  timer.enter("read");
  const Context context{.threads = own.threads};
  const Model model = load_model(call.positionals.at(0));
  const Learner& learner = model.learner();
  const OptionTexts asked = call.take_named(learner.prediction_options());
  const OptionTexts source = call.take_named(source_options(learner.info().data, true));
  call.refuse_rest("a model of " + std::string(learner.info().name));
  const LearnerData data = read_new_data(model, call.positionals.at(1), source, context);
  timer.enter("predict");
  Prediction predicted = learner.predict(model, data, asked, context);
  RunReport& report = predicted.report;
  report.options = {{"model", call.positionals.at(0)}, {"data", call.positionals.at(1)}};
  report.solve.seconds = timer.finish();

  if (OutputFile* file = outputs.file("output")) file->write(predicted.lines);
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  if (!own.quiet) std::cerr << summary(report);
  return 0;
}

}  // namespace maxmargin::tool
