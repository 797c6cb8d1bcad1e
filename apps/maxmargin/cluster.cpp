// SPDX-License-Identifier: Apache-2.0
//
// maxmargin cluster: load, run the method, measure, write.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "cluster_measures.hpp"
#include "commands.hpp"
#include "data_source.hpp"
#include "interrupt.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/io/scaler_file.hpp"
#include "outputs.hpp"
#include "picture.hpp"
#include "registry.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

/// An option that only some methods take was given to one that does not.
void refuse_foreign_options(const ClusterMethod& method, const Arguments& arguments) {
  if (!method.takes_clusters && arguments.has("clusters")) {
    throw UsageError("-k: the method " + std::string(method.name) +
                     " finds the number of clusters by itself");
  }
  for (const ClusterMethod& other : cluster_methods()) {
    for (const std::string_view option : other.options) {
      const bool taken = std::ranges::find(method.options, option) != method.options.end();
      if (!taken && arguments.has(option)) {
        throw UsageError("--" + std::string(option) + ": the method " + std::string(method.name) +
                         " does not take it");
      }
    }
  }
}

/// The recomputed objective agrees with the reported one to rounding, and is above the bound.
bool verify(const ClusterMethod& method, const Dataset& data, const ClusterAnswer& answer) {
  if (!answer.report.primal_objective || !answer.model) return false;
  const double reported = *answer.report.primal_objective;
  const double recomputed = method.objective(data, answer.labels, *answer.model);
  constexpr double rounding = 1e-9;
  const double scale = std::max(std::abs(reported), 1e-12);
  const bool agrees = std::abs(recomputed - reported) <= rounding * scale;
  const bool above =
      !answer.report.lower_bound || *answer.report.lower_bound <= recomputed + rounding * scale;
  return agrees && above;
}

ReportFields used_options(const Arguments& arguments, ReportFields of_method) {
  ReportFields options;
  options.emplace_back("data", arguments.positionals.at(0));
  for (auto& field : of_method) options.push_back(std::move(field));
  options.emplace_back("scale", arguments.text_or("scale", "none"));
  options.emplace_back("threads", static_cast<std::int64_t>(thread_count(threads_of(arguments))));
  if (const std::optional<double> limit = arguments.positive("time-limit")) {
    options.emplace_back("time_limit", *limit);
  } else {
    options.emplace_back("time_limit", std::monostate{});
  }
  return options;
}

void write_cluster_model(OutputFile& file,
                         const ClusterAnswer& answer,
                         const Scaler& scaler,
                         bool binary) {
  if (!answer.model) throw UsageError("--model: this method has no model for new points");
  ModelDocument model = *answer.model;
  store_scaler(scaler, model);
  write_model(model, file, binary ? ModelFormat::binary : ModelFormat::text);
}

/// The columns a method recorded, as CSV.
std::string trace_csv(const ClusterAnswer& answer) {
  if (answer.trace.empty()) throw UsageError("--table: this run recorded nothing");
  std::string csv;
  for (const auto& [name, values] : answer.trace) csv += (csv.empty() ? "" : ",") + name;
  csv += "\n";
  for (std::size_t row = 0; row < answer.trace.front().second.size(); ++row) {
    for (std::size_t c = 0; c < answer.trace.size(); ++c) {
      csv += (c > 0 ? "," : "") + format_number(answer.trace[c].second[row]);
    }
    csv += "\n";
  }
  return csv;
}

}  // namespace

int run_cluster(const Arguments& arguments) {
  const ClusterMethod& method = find_cluster_method(arguments);
  refuse_foreign_options(method, arguments);
  const ScalingOptions scaling = scaling_of(arguments);
  const bool quiet = arguments.has("quiet");
  const bool binary = arguments.choice_or("model-format", "text", {"text", "binary"}) == "binary";
  const bool json_alone = arguments.text("json") == "-";
  Outputs outputs;
  for (const std::string_view option : {"model", "plot", "table", "output", "json"}) {
    if (const std::optional<std::string> path = arguments.text(option)) {
      outputs.open(option, *path);
    }
  }
  if (!arguments.has("output") && !json_alone) outputs.open("output", "-");

  PhaseTimer timer;
  timer.enter("read");
  LoadedData loaded = load_data(arguments.positionals.at(0), arguments, Purpose::cluster);
  Dataset& data = loaded.data;
  const Scaler scaler = fit_scaler(data.examples, scaling);
  data.examples = scaler.apply(std::move(data.examples));

  timer.leave();
  const ClusterAnswer answer = [&] {
    const SolveScope scope;
    return method.run(
        data, arguments, interruptible(progress_line(quiet), arguments.positive("time-limit")));
  }();
  end_progress_line();

  timer.enter("measure");
  RunReport report{.kind = "method",
                   .name = std::string(method.name),
                   .n = data.size(),
                   .d = data.features(),
                   .solve = answer.report,
                   .metrics = answer.metrics,
                   .options = used_options(arguments, answer.options)};
  add_label_measures(loaded, answer.labels, report);
  for (const std::string& note : arguments.notes) report.solve.warnings.push_back(note);
  if (arguments.has("verify")) report.verified = verify(method, data, answer);
  for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));

  if (OutputFile* file = outputs.file("model")) {
    write_cluster_model(*file, answer, scaler, binary);
  }
  if (OutputFile* file = outputs.file("plot")) {
    file->write(cluster_picture(loaded, answer.labels, report.name, threads_of(arguments)));
  }
  if (OutputFile* file = outputs.file("table")) file->write(trace_csv(answer));
  if (OutputFile* file = outputs.file("output")) {
    file->write(cluster_lines(answer.labels));
  }
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  if (!quiet) std::cerr << summary(report);
  if (report.verified == false) return 3;
  return answer.report.status == Status::solved ? 0 : 2;
}

}  // namespace maxmargin::tool
