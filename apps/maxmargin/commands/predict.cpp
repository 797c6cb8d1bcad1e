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
  Context context = {};
  bool quiet = false;
  void describe(OptionVisitor& visit) {
    visit.text({.name = "output",
                .help = "where to write the answers, one a line",
                .value = "FILE",
                .fallback = "standard output",
                .alias = "o"},
               output);
    report.describe(visit);
    describe_threads(visit, context.threads);
    describe_memory_limit(visit, context.memory_limit);
    visit.yes_no({.name = "quiet", .help = "no summary"}, quiet);
  }
};

}  // namespace

std::vector<OptionGroup> predict_groups(const Learner* /*learner*/) {
  // Which of these a model takes is said when the model is known.
  OptionGroup answers{"What is asked (where the model's learner takes it)", {}};
  for (const Learner* const each : learners()) merge_options(each->prediction_options(), answers);
  return {std::move(answers), group_of_all_sources(), group_of<PredictOptions>("The run")};
}

int run_predict(Call& call) {
  PredictOptions own;
  call.take(own);
  bound_memory(own.context);
  if (!own.output && !own.report.is_alone()) own.output = "-";
  Outputs outputs(call, {{"output", own.output}, {"json", own.report.json}});

  PhaseTimer timer;
  enter_phase(timer, "read");
  const Context& context = own.context;
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
  show_summary(report, own.quiet);
  return 0;
}

}  // namespace maxmargin::tool
