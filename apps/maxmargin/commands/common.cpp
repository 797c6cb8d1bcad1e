// SPDX-License-Identifier: Apache-2.0
#include "commands/common.hpp"

#include <algorithm>
#include <iostream>

#include "interrupt.hpp"
#include "maxmargin/core/process_memory.hpp"
#include "maxmargin/learner/remarks.hpp"
#include "maxmargin/metric/registry.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

void RunOptions::describe(OptionVisitor& visit) {
  context.describe(visit);
  visit.number({.name = "time-limit",
                .help = "stop after so long with the best answer so far",
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

ProgressCallback RunOptions::share_of_time(std::size_t runs_left) const {
  std::optional<double> limit = time_limit;
  if (limit) {
    const double now = seconds_since_start();
    *limit = now + (*limit - now) / static_cast<double>(runs_left);
  }
  return interruptible(progress_line(quiet), limit);
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
  visit.yes_no({.name = "verify", .help = "recompute the certificate from model and data"}, verify);
}

void bound_memory(const Context& context) {
  if (context.memory_limit) bound_process_memory(*context.memory_limit);
}

OptionGroup data_group(DataKind kind, std::string title) {
  return {std::move(title), source_options(kind), true};
}

OptionGroup learner_group(const Learner& learner) {
  return {"Options of " + std::string(learner.info().name), learner.options()};
}

const TableData& rows_of(const LearnerData& data) {
  if (const auto* const rows = std::get_if<TableData>(&data)) return *rows;
  throw UsageError("the data has no rows, which this command wants");
}

std::vector<std::string_view> metric_names() {
  std::vector<std::string_view> names;
  for (const Metric& metric : all_metrics()) names.push_back(metric.name);
  return names;
}

void merge_options(const std::vector<OptionDescription>& options, OptionGroup& group) {
  for (const OptionDescription& option : options) {
    const auto known = std::ranges::find(group.options, option.name, &OptionDescription::name);
    if (known == group.options.end()) {
      group.options.push_back(option);
      continue;
    }
    for (const std::string& name : option.names) {
      const bool is_there = std::ranges::find(known->names, name) != known->names.end();
      if (!is_there) known->names.push_back(name);
    }
  }
}

OptionGroup group_of_all_sources() {
  OptionGroup group{"The data", {}};
  for (const Learner* const each : learners()) {
    merge_options(source_options(each->info().data), group);
  }
  return group;
}

void add_run_options(const std::string& data, const RunOptions& run, RunReport& report) {
  report.options.insert(report.options.begin(), {"data", data});
  add_threads(run.context, report);
  report.options.emplace_back("time_limit",
                              run.time_limit ? ReportValue(*run.time_limit) : ReportValue());
  if (run.context.memory_limit) {
    report.options.emplace_back("memory_limit",
                                static_cast<std::int64_t>(*run.context.memory_limit));
  }
}

int exit_code(const RunReport& report) {
  if (report.verified == false) return 3;
  return is_success(report.solve.status) && !verification_was_stopped() ? 0 : 2;
}

void show_remarks(const Learner& learner,
                  const LearnerData& data,
                  const OptionTexts& options,
                  const RunOptions& run) {
  if (run.quiet) return;
  SolveReport before;
  before.warnings = remarks_before(learner, data, options);
  std::cerr << warning_lines(before) << std::flush;
}

void show_summary(const RunReport& report, bool quiet) {
  std::cerr << (quiet ? warning_lines(report.solve) : summary(report));
}

int finish(const RunReport& report, const RunOptions& run, Outputs& outputs) {
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  show_summary(report, run.quiet);
  return exit_code(report);
}

std::vector<std::string> names_in(std::string_view option, const std::string& list) {
  std::vector<std::string> names(1);
  for (const char c : list) {
    if (c == ',') {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty()) continue;
    throw UsageError(flag_of(option) + " " + list + ": name " + std::to_string(i + 1) +
                     " of the list is empty");
  }
  return names;
}

}  // namespace maxmargin::tool
