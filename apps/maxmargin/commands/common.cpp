// SPDX-License-Identifier: Apache-2.0
#include "commands/common.hpp"

#include <iostream>

#include "cli/help.hpp"
#include "interrupt.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/metric/registry.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

void RunOptions::describe(OptionVisitor& visit) {
  context.describe(visit);
  visit.number({.name = "time-limit",
                .help = "stop after so long with the best answer so far and its gap",
                .value = "SECONDS",
                .fallback = "none"},
               time_limit,
               rules::positive);
  visit.yes_no({.name = "quiet", .help = "no progress and no summary"}, quiet);
}

Context RunOptions::running() const {
  Context running = context;
  running.on_progress = interruptible(progress_line(quiet), time_limit);
  return running;
}

void ReportOptions::describe(OptionVisitor& visit) {
  visit.text(
      {.name = "json", .help = "write the report as JSON; - is standard output", .value = "FILE"},
      json);
}

void ModelOptions::describe(OptionVisitor& visit) {
  visit.text({.name = "output", .help = "where to write the model", .value = "FILE", .alias = "o"},
             output);
  visit.name({.name = "model-format", .help = "form of the model file"}, format);
  visit.yes_no(
      {.name = "verify", .help = "recompute the certificate from the written model and the data"},
      verify);
}

OptionGroup learner_group(const Learner& learner) {
  return {"Options of " + std::string(learner.info().name), learner.options()};
}

void add_run_options(const std::string& data, const RunOptions& run, RunReport& report) {
  report.options.insert(report.options.begin(), {"data", data});
  report.options.emplace_back("threads",
                              static_cast<std::int64_t>(thread_count(run.context.threads)));
  report.options.emplace_back("time_limit",
                              run.time_limit ? ReportValue(*run.time_limit) : ReportValue());
  if (run.context.memory_limit) {
    report.options.emplace_back("memory_limit",
                                static_cast<std::int64_t>(*run.context.memory_limit));
  }
}

int finish(const RunReport& report, const RunOptions& run, Outputs& outputs) {
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  if (!run.quiet) std::cerr << summary(report);
  if (report.verified == false) return 3;
  return report.solve.status == Status::solved ? 0 : 2;
}

std::string metric_list() {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Metric& metric : all_metrics()) rows.emplace_back(metric.name, metric.description);
  return "Metrics:\n" + listed(rows);
}

std::string builtin_list_text() {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const BuiltinInfo& set : builtin_list()) {
    rows.emplace_back("builtin:" + set.name, set.summary);
  }
  return "Built-in data (parameters: docs/guide/builtin-data.md):\n" + listed(rows);
}

}  // namespace maxmargin::tool
