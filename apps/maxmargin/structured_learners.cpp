// SPDX-License-Identifier: Apache-2.0
#include "structured_learners.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

#include "data_source.hpp"
#include "interrupt.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/version.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "outputs.hpp"
#include "supervised_report.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

/// What every one of them takes beside its own options.
constexpr std::array<std::string_view, 9> common_options = {"learner",
                                                            "threads",
                                                            "time-limit",
                                                            "output",
                                                            "model-format",
                                                            "json",
                                                            "quiet",
                                                            "verify",
                                                            "seed"};

constexpr std::array<std::string_view, 3> common_eval_options = {"task", "threads", "json"};

ReportFields fields_of(const Measures& measures) {
  ReportFields fields;
  for (const auto& [name, value] : measures) {
    fields.emplace_back(name, value ? ReportValue(*value) : ReportValue(std::monostate{}));
  }
  return fields;
}

/// --verify: holds what was recomputed to what the solver said, and says what that was.
void add_verification(double recomputed, RunReport& report) {
  constexpr double rounding = 1e-6;
  const std::optional<double> said = report.solve.primal_objective;
  const std::optional<double> bound =
      report.solve.dual_objective ? report.solve.dual_objective : report.solve.lower_bound;
  const double scale = rounding * std::max(std::abs(recomputed), 1e-12);
  report.objects.emplace_back(
      "verification",
      ReportFields{{"primal_objective", recomputed},
                   {"relative_difference",
                    said ? ReportValue(relative_gap(recomputed, *said)) : ReportValue()},
                   {"bound", std::string(bound ? "not recomputed" : "none")}});
  if (!said) {
    report.solve.warnings.emplace_back("--verify: stopped before there was an objective");
    return;
  }
  const bool agrees = std::abs(recomputed - *said) <= scale;
  report.verified = agrees && !(bound && *bound > recomputed + scale);
  if (*report.verified) return;
  report.solve.warnings.push_back("--verify: the objective is " + format_number(recomputed) +
                                  ", the solver said " + format_number(*said) +
                                  (agrees ? ", and its bound " + format_number(*bound) : ""));
}

}  // namespace

std::span<const StructuredLearnerSpec> structured_learners() {
  static const std::array all = {sequence_learner(),
                                 rank_learner(),
                                 multiclass_learner(),
                                 multilabel_learner(),
                                 partition_learner(),
                                 align_learner()};
  return all;
}

const StructuredLearnerSpec* structured_learner_named(std::string_view name) {
  for (const StructuredLearnerSpec& learner : structured_learners()) {
    if (learner.name == name) return &learner;
  }
  return nullptr;
}

const StructuredLearnerSpec* find_structured_learner(const Arguments& arguments) {
  const StructuredLearnerSpec* learner = structured_learner_named(arguments.text_or("learner", ""));
  if (learner == nullptr) return nullptr;
  refuse_other_options(
      arguments, {common_options, learner->options}, "the learner " + std::string(learner->name));
  return learner;
}

int run_structured_train(const StructuredLearnerSpec& learner, const Arguments& arguments) {
  if (!arguments.has("output")) throw UsageError("-o: where to write the model is missing");
  Outputs outputs;
  for (const std::string_view option : {"output", "json", "checkpoint"}) {
    if (const std::optional<std::string> path = arguments.text(option)) {
      outputs.open(option, *path);
    }
  }
  // Opened only to see that it can be: training writes it, again and again.
  outputs.drop("checkpoint");
  const bool quiet = arguments.has("quiet");
  const std::optional<double> limit = arguments.positive("time-limit");
  PhaseTimer timer;
  StructuredTraining trained = [&] {
    const SolveScope scope;
    return learner.train(arguments, interruptible(progress_line(quiet), limit), timer);
  }();
  end_progress_line();

  timer.enter("write");
  RunReport report{.kind = "learner",
                   .name = std::string(learner.name),
                   .n = trained.examples,
                   .d = trained.weights,
                   .solve = std::move(trained.report),
                   .metrics = std::move(trained.metrics),
                   .options = {{"data", arguments.positionals.at(0)}}};
  report.oracle = trained.exact_oracle ? "exact" : "inexact";
  for (auto& field : trained.options) report.options.push_back(std::move(field));
  report.options.emplace_back("threads",
                              static_cast<std::int64_t>(thread_count(threads_of(arguments))));
  report.options.emplace_back("time_limit",
                              limit ? ReportValue(*limit) : ReportValue(std::monostate{}));
  if (trained.recomputed_objective) add_verification(*trained.recomputed_objective, report);
  write_model(trained.document, *outputs.file("output"), model_format_of(arguments));
  for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  if (!quiet) std::cerr << summary(report);
  if (report.verified == false) return 3;
  return report.solve.status == Status::solved ? 0 : 2;
}

RunReport structured_prediction_report(const ModelDocument& model,
                                       const StructuredPrediction& prediction,
                                       const Arguments& arguments) {
  RunReport report{
      .kind = "learner",
      .name = model.learner(),
      .n = prediction.examples,
      .d = prediction.weights,
      .metrics = prediction.metrics,
      .options = {{"model", arguments.positionals.at(0)}, {"data", arguments.positionals.at(1)}},
      .tables = prediction.tables};
  report.solve.warnings = prediction.warnings;
  return report;
}

int run_structured_eval(const StructuredLearnerSpec& learner, const Arguments& arguments) {
  refuse_other_options(arguments,
                       {common_eval_options, learner.eval_options},
                       "--task " + std::string(learner.name));
  const StructuredPrediction found = learner.evaluate(arguments);
  const ReportFields measures = fields_of(found.metrics);
  const std::optional<std::string> json = arguments.text("json");
  if (json) {
    RunReport report{.kind = "learner",
                     .name = std::string(learner.name),
                     .n = found.examples,
                     .metrics = found.metrics,
                     .options = {{"truth", arguments.positionals.at(0)},
                                 {"predicted", arguments.positionals.at(1)}},
                     .tables = found.tables};
    report.solve.warnings = found.warnings;
    write_file(*json, to_json(report));
  }
  if (json != "-") {
    std::cout << table(measures);
    for (const auto& [name, rows] : found.tables) {
      if (!rows.empty()) std::cout << '\n' << columns(rows);
    }
  }
  for (const std::string& warning : found.warnings) std::cerr << "warning: " << warning << "\n";
  return 0;
}

}  // namespace maxmargin::tool
