// SPDX-License-Identifier: Apache-2.0
//
// maxmargin cluster: load, run the method, measure, write; or compare methods.
#include "maxmargin/learner/cluster.hpp"

#include <iostream>

#include "commands/commands.hpp"
#include "commands/common.hpp"
#include "compat/kernlib_config.hpp"
#include "fields_csv.hpp"
#include "interrupt.hpp"
#include "maxmargin/core/suggested_names.hpp"
#include "maxmargin/core/timer.hpp"
#include "picture.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  for (const Learner* each : learners()) {
    if (each->info().task == Task::cluster) names.push_back(each->info().name);
  }
  return names;
}

/// What the command itself takes.
struct ClusterOptions {
  std::optional<std::string> compare = std::nullopt;
  std::optional<std::string> config = std::nullopt;
  std::optional<std::string> output = std::nullopt;
  std::optional<std::string> model = std::nullopt;
  ModelFormat format = ModelFormat::text;
  std::optional<std::string> plot = std::nullopt;
  std::optional<std::string> table = std::nullopt;
  std::optional<std::string> trace = std::nullopt;
  ClusterChecks checks = {};
  ReportOptions report = {};

  void describe(OptionVisitor& visit) {
    const auto file = [&](std::string_view name,
                          std::string_view help,
                          std::optional<std::string>& member,
                          std::string_view alias = {}) {
      visit.text({.name = name, .help = help, .value = "FILE", .alias = alias}, member);
    };
    SuggestedNames(visit, method_names())
        .text({.name = "compare",
               .help = "run these methods and print one table",
               .value = "NAME,..."},
              compare);
    file("config", "take options from a property file of kernlib", config);
    file("output", "where to write the clusters, one a line", output, "o");
    file("model", "write a model for predict", model);
    visit.name({.name = "model-format", .help = "form of the model file"}, format);
    file("plot", "draw the clusters (SVG)", plot);
    file("table", "write what was tried, or compared, as CSV", table);
    file("trace", "write what was recorded at every iteration as CSV", trace);
    checks.describe(visit);
    report.describe(visit);
    for (const auto& [flag, member] :
         {std::pair{"--model", &model}, {"--plot", &plot}, {"--trace", &trace}}) {
      visit.rule(!compare || !*member,
                 std::string(flag) + ": not with --compare, it is of one method");
    }
  }
};

int run_compare(Call& call, const ClusterOptions& own, const RunOptions& run) {
  if (call.learner != nullptr) {
    throw UsageError("--compare names the methods: --method cannot be given beside it",
                     call.topic());
  }
  if (asks_for_kernel_values(call.given)) {
    throw UsageError("--kernel precomputed: not with --compare, other methods need the points",
                     call.topic());
  }
  const std::vector<std::string> methods = names_in("compare", *own.compare);
  const OptionTexts source = call.take_named(source_options(DataKind::table));
  refuse_groups(source);
  const bool table_aside = own.report.is_alone() || own.output == "-";
  Outputs outputs(call, {{"table", own.table}, {"output", own.output}, {"json", own.report.json}});
  const std::string& where = call.positionals.at(0);
  const TableData data = read_table(where, source, run.context, true);
  const SolveScope scope;
  const auto share = [&](std::size_t runs_left) { return run.share_of_time(runs_left); };
  ClusterComparison found =
      compare_clusterings(methods, data, call.given, run.running(), own.checks, share);
  end_progress_line();
  RunReport& report = found.report;
  add_run_options(where, run, report);
  const std::vector<ReportFields>& rows = report.tables.front().second;
  if (OutputFile* file = outputs.file("table")) file->write(csv_of(rows));
  if (OutputFile* file = outputs.file("output")) file->write(comparison_csv(found));
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  if (!table_aside) std::cout << columns(rows);
  if (table_aside && !run.quiet) std::cerr << columns(rows);
  std::cerr << warning_lines(report.solve);
  const int code = exit_code(report);
  return code == 0 && found.failed > 0 ? 2 : code;
}

/// Refuses outputs that a run with these options has nothing for, before it starts.
void check_records(const Call& call, const Learner& method, const ClusterOptions& own) {
  if (!own.trace && !own.table) return;
  const ClusterRecords records = records_of(method, call.given);
  const std::string who = "the method " + std::string(method.info().name);
  if (own.trace && !records.steps) {
    throw UsageError("--trace: " + who + " records no steps with these options", call.topic());
  }
  if (own.table && !records.table) {
    throw UsageError("--table: " + who +
                         " tries one thing alone with these options; -k auto and "
                         "--compare have a table",
                     call.topic());
  }
}

/// What was tried: numbers of clusters with -k auto, else what the method itself recorded (widths).
std::vector<ReportFields> tried_rows(const Training& trained) {
  for (const auto& [name, rows] : trained.report.tables) {
    if (name == "tried") return rows;
  }
  return recorded_rows(trained, false);
}

/// Rows of a run that was stopped before there were any are no file.
void write_rows(const std::vector<ReportFields>& rows,
                const char* name,
                Outputs& outputs,
                RunReport& report) {
  OutputFile* const file = outputs.file(name);
  if (file == nullptr) return;
  if (!rows.empty()) {
    file->write(csv_of(rows));
    return;
  }
  outputs.drop(name);
  report.solve.warnings.push_back(flag_of(name) +
                                  ": this run recorded nothing, no file is written");
}

}  // namespace

std::vector<OptionGroup> cluster_groups(const Learner* method) {
  OptionGroup command{"What is run and written", {}};
  command.options.push_back({.name = "method",
                             .help = "how to group the rows",
                             .value = "NAME",
                             .kind = OptionKind::text,
                             .fallback = std::string(usual_clustering().info().name)});
  add_options<ClusterOptions>(command);
  std::vector<OptionGroup> groups;
  if (method != nullptr) groups.push_back(learner_group(*method));
  groups.push_back(std::move(command));
  groups.push_back(data_group(DataKind::table));
  groups.push_back(group_of<RunOptions>("The run"));
  return groups;
}

int run_cluster(Call& call) {
  apply_config(call);
  (void)call.take_named({{.name = "method"}});
  ClusterOptions own;
  RunOptions run;
  call.take(own);
  call.take(run);
  bound_memory(run.context);
  if (call.positionals.empty()) {
    throw UsageError("DATA is required, or --config with data.train.file", call.topic());
  }
  if (own.compare) return run_compare(call, own, run);
  const Learner& method = call.learner != nullptr ? *call.learner : usual_clustering();
  const OptionTexts source = call.take_named(source_options(method.info().data));
  refuse_groups(source);
  call.check_options(method);
  const bool is_kernel = asks_for_kernel_values(call.given);
  if (is_kernel && own.plot) {
    throw UsageError("--plot: a precomputed kernel has no points to draw", call.topic());
  }
  check_records(call, method, own);
  if (!own.output && !own.report.is_alone()) own.output = "-";
  Outputs outputs(call,
                  {{"model", own.model},
                   {"plot", own.plot},
                   {"table", own.table},
                   {"trace", own.trace},
                   {"output", own.output},
                   {"json", own.report.json}});

  PhaseTimer timer;
  enter_phase(timer, "read");
  const std::string& where = call.positionals.at(0);
  const LearnerData data = read_training_data(method, where, source, call.given, run.context);
  timer.leave();
  const SolveScope scope;
  Training trained =
      cluster(method, data, {.options = call.given, .context = run.running()}, own.checks);
  end_progress_line();
  enter_phase(timer, "write");
  RunReport& report = trained.report;
  add_run_options(where, run, report);
  for (const std::string& note : call.notes) report.solve.warnings.push_back(note);

  // A run without a sound answer has no model; the report says why.
  if (!trained.model) outputs.drop("model");
  if (OutputFile* file = outputs.file("model")) {
    write_model(trained.model->document(), *file, own.format);
  }
  if (OutputFile* file = outputs.file("plot")) {
    file->write(cluster_picture(rows_of(data), trained, run.context));
  }
  write_rows(tried_rows(trained), "table", outputs, report);
  write_rows(recorded_rows(trained, true), "trace", outputs, report);
  if (OutputFile* file = outputs.file("output")) file->write(cluster_lines(trained.clusters));
  for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  show_summary(report, run.quiet);
  if (!run.quiet) {
    for (const auto& [name, rows] : report.tables) std::cerr << "\n" << columns(rows);
  }
  return exit_code(report);
}

}  // namespace maxmargin::tool
