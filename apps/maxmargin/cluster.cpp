// SPDX-License-Identifier: Apache-2.0
//
// maxmargin cluster: load, run the method, measure, write.
#include <iostream>

#include "cluster_choice.hpp"
#include "cluster_compare.hpp"
#include "cluster_measures.hpp"
#include "cluster_run.hpp"
#include "cluster_trace.hpp"
#include "cluster_validators.hpp"
#include "commands.hpp"
#include "fields_csv.hpp"
#include "interrupt.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/model/scaler_file.hpp"
#include "maxmargin/io/run_report.hpp"
#include "outputs.hpp"
#include "picture.hpp"
#include "registry.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

void write_cluster_model(OutputFile& file,
                         const ClusterAnswer& answer,
                         const Scaler& scaler,
                         bool binary) {
  if (!answer.model) throw UsageError("--model: this method has no model for new points");
  ModelDocument model = *answer.model;
  store_scaler(scaler, model);
  write_model(model, file, binary ? ModelFormat::binary : ModelFormat::text);
}

/// A kernel matrix has no features to scale, and no points to draw.
void refuse_features(const Arguments& arguments) {
  if (arguments.text_or("scale", "none") != "none") {
    throw UsageError("--scale: a precomputed kernel has no features to scale");
  }
  if (arguments.has("plot")) {
    throw UsageError("--plot: a precomputed kernel has no points to draw");
  }
}

/// The clusters of the points and, in two dimensions, of the plane around them.
std::string picture_of(const LoadedData& loaded,
                       const ClusterAnswer& answer,
                       const std::string& method,
                       std::optional<std::size_t> threads) {
  Picture picture{.title = loaded.data.source + ", " + method, .threads = threads};
  if (answer.model) show_model(*answer.model, loaded.data, picture);
  return draw(loaded, answer.labels, picture);
}

/// What the options ask for, or the same with the k that -k auto chose.
struct ClusterRun {
  ClusterAnswer answer = {};
  Arguments arguments = {};
  /// With -k auto: what was tried.
  std::vector<ReportFields> tried = {};
};

ClusterRun run_method(const ClusterMethod& method,
                      const Dataset& data,
                      const Arguments& arguments) {
  if (wants_chosen_clusters(arguments)) {
    ChosenClusters chosen = choose_and_run(method, data, arguments);
    return {std::move(chosen.answer), std::move(chosen.arguments), std::move(chosen.table)};
  }
  const SolveScope scope;
  ClusterRun run{.answer = method.run(data, arguments, run_progress(arguments)),
                 .arguments = arguments};
  end_progress_line();
  return run;
}

/// What was tried: numbers of clusters with -k auto, else what the method itself recorded (widths).
std::string tried_csv(const ClusterRun& run) {
  return run.tried.empty() ? recorded_csv(run.answer, "table") : csv_of(run.tried);
}

/// A run that was stopped and says nothing about its worth claims nothing that could be wrong.
bool has_nothing_to_verify(const SolveReport& report) {
  return was_stopped(report.status) && !report.primal_objective;
}

/// Everything the report says but the seconds of measuring.
RunReport report_of(const ClusterMethod& method, const LoadedData& loaded, const ClusterRun& run) {
  const Dataset& data = loaded.data;
  RunReport report{.kind = "method",
                   .name = std::string(method.name),
                   .n = data.size(),
                   .d = data.features(),
                   .solve = run.answer.report,
                   .metrics = run.answer.metrics,
                   .options = used_options(run.arguments, run.answer.options),
                   .objects = run.answer.objects};
  ClusterValidators validators(method, data, run.answer, run.arguments);
  validators.add_cheap(report);
  add_label_measures(loaded, run.answer.labels, report);
  for (const std::string& note : run.arguments.notes) report.solve.warnings.push_back(note);
  if (!run.tried.empty()) report.tables.emplace_back("tried", run.tried);
  if (run.arguments.has("validate")) validators.add_costly(report);
  if (run.arguments.has("verify")) {
    if (has_nothing_to_verify(run.answer.report)) {
      report.solve.warnings.push_back("stopped without an objective: there is nothing to verify");
    } else {
      report.verified = verify(method, data, run.answer);
    }
  }
  return report;
}

}  // namespace

int run_cluster(const Arguments& arguments) {
  if (arguments.has("compare")) return run_compare(arguments);
  const ClusterMethod& method = find_cluster_method(arguments);
  refuse_foreign_options(method, arguments);
  if (has_precomputed_kernel(method, arguments)) refuse_features(arguments);
  const bool quiet = arguments.has("quiet");
  const bool binary = arguments.choice_or("model-format", "text", {"text", "binary"}) == "binary";
  const bool json_alone = arguments.text("json") == "-";
  Outputs outputs;
  for (const std::string_view option : {"model", "plot", "table", "trace", "output", "json"}) {
    if (const std::optional<std::string> path = arguments.text(option)) {
      outputs.open(option, *path);
    }
  }
  if (!arguments.has("output") && !json_alone) outputs.open("output", "-");

  PhaseTimer timer;
  timer.enter("read");
  const ClusterData given = load_cluster_data(arguments);
  timer.leave();
  const ClusterRun run = run_method(method, given.loaded.data, arguments);
  timer.enter("measure");
  RunReport report = report_of(method, given.loaded, run);
  for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));

  // A run without a sound answer has no model; the report says why.
  if (report.solve.status == Status::numerical_failure) outputs.drop("model");
  if (OutputFile* file = outputs.file("model")) {
    write_cluster_model(*file, run.answer, given.scaler, binary);
  }
  if (OutputFile* file = outputs.file("plot")) {
    file->write(picture_of(given.loaded, run.answer, report.name, threads_of(arguments)));
  }
  if (OutputFile* file = outputs.file("table")) file->write(tried_csv(run));
  if (OutputFile* file = outputs.file("trace")) file->write(trace_csv(run.answer));
  if (OutputFile* file = outputs.file("output")) file->write(cluster_lines(run.answer.labels));
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  if (!quiet) {
    std::cerr << summary(report);
    for (const auto& [name, rows] : report.tables) std::cerr << "\n" << columns(rows);
  }
  if (report.verified == false) return 3;
  return report.solve.status == Status::solved ? 0 : 2;
}

}  // namespace maxmargin::tool
