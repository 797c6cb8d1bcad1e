// SPDX-License-Identifier: Apache-2.0
#include "cluster_compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <sstream>

#include "cluster_choice.hpp"
#include "cluster_measures.hpp"
#include "cluster_run.hpp"
#include "cluster_validators.hpp"
#include "fields_csv.hpp"
#include "interrupt.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/eval/choose_clusters.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "method_options.hpp"
#include "option_table.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

using Names = std::string_view;

/// What one method made of the data.
struct Contestant {
  const ClusterMethod* method = nullptr;
  Arguments arguments = {};
  /// Empty when it failed.
  std::optional<ClusterAnswer> answer = std::nullopt;
  RunReport report = {};
  double seconds = 0;
  /// Why it failed; empty when it did not.
  std::string problem = {};
};

/// The methods of --compare, in that order.
std::vector<Contestant> contestants_of(const Arguments& arguments) {
  if (arguments.has("method")) {
    throw UsageError("--compare names the methods: --method cannot be given beside it");
  }
  for (const std::string_view option : {"model", "plot", "trace"}) {
    if (!arguments.has(option)) continue;
    throw UsageError("--" + std::string(option) + ": not with --compare, it is of one method");
  }
  if (arguments.text("kernel") == "precomputed") {
    throw UsageError("--kernel precomputed: not with --compare, other methods need the points");
  }
  std::vector<std::string> known;
  for (const ClusterMethod& method : cluster_methods()) known.emplace_back(method.name);
  std::vector<Contestant> contestants;
  std::istringstream list(arguments.text_or("compare", ""));
  for (std::string name; std::getline(list, name, ',');) {
    require_choice("compare", name, known);
    for (const Contestant& other : contestants) {
      if (other.method->name == name) throw UsageError("--compare: " + name + " is named twice");
    }
    for (const ClusterMethod& method : cluster_methods()) {
      if (method.name == name) {
        contestants.push_back(
            {.method = &method, .arguments = without_foreign_options(method, arguments)});
      }
    }
  }
  if (contestants.empty()) throw UsageError("--compare: must name a method");
  return contestants;
}

/// The common kernel's options, and -k, which methods without it ignore.
constexpr std::array ignored_where_not_taken = {
    Names{"kernel"}, Names{"gamma"}, Names{"degree"}, Names{"coef0"}, Names{"clusters"}};

bool some_take_clusters(const std::vector<Contestant>& contestants) {
  return std::ranges::any_of(contestants,
                             [](const Contestant& c) { return c.method->takes_clusters; });
}

/// An option that none of the methods takes is a mistake; so is a missing -k.
void check_options(const std::vector<Contestant>& contestants, const Arguments& arguments) {
  for (const auto& [option, value] : arguments.given) {
    const Names name = option;
    if (std::ranges::find(ignored_where_not_taken, name) != ignored_where_not_taken.end()) continue;
    const bool taken = std::ranges::any_of(
        contestants, [&](const Contestant& c) { return c.arguments.has(name); });
    if (!taken) throw UsageError(main_flag(option) + ": none of the methods takes it");
  }
  if (!some_take_clusters(contestants) || wants_chosen_clusters(arguments)) return;
  (void)wanted_clusters(arguments);
}

/// More clusters than different points are wrong whatever the method.
void check_clusters(const std::vector<Contestant>& contestants,
                    const Dataset& data,
                    const Arguments& arguments) {
  if (!some_take_clusters(contestants) || wants_chosen_clusters(arguments)) return;
  const std::size_t k = wanted_clusters(arguments);
  if (!cluster_counts_to_try(data, k, k).empty()) return;
  throw UsageError("-k " + std::to_string(k) + ": " + data.source + " has fewer distinct points");
}

/// Runs the method, chooses k where that is asked, and measures.
void run_one(Contestant& contestant, const ClusterData& given) {
  const Dataset& data = given.loaded.data;
  const ClusterMethod& method = *contestant.method;
  const Stopwatch watch;
  if (wants_chosen_clusters(contestant.arguments)) {
    ChosenClusters chosen = choose_and_run(method, data, contestant.arguments);
    contestant.answer = std::move(chosen.answer);
    contestant.arguments = std::move(chosen.arguments);
  } else {
    const SolveScope scope;
    contestant.answer = method.run(data, contestant.arguments, run_progress(contestant.arguments));
  }
  contestant.seconds = watch.seconds();
  RunReport& report = contestant.report;
  report.solve = contestant.answer->report;
  report.metrics = contestant.answer->metrics;
  add_label_measures(given.loaded, contestant.answer->labels, report);
  if (contestant.arguments.has("validate")) {
    ClusterValidators(method, data, *contestant.answer, contestant.arguments).add_costly(report);
  }
  if (contestant.arguments.has("verify")) {
    report.verified = verify(method, data, *contestant.answer);
  }
}

ReportValue shown_value(std::optional<double> value) {
  return value && !std::isnan(*value) ? ReportValue(*value) : ReportValue(std::monostate{});
}

/// What all methods are measured by alike, whatever kernel they used themselves.
struct CommonMeasures {
  std::optional<double> inertia = std::nullopt;
  std::optional<double> kernel_sse = std::nullopt;
  std::optional<double> silhouette = std::nullopt;
};

CommonMeasures measure(const Dataset& data,
                       std::span<const std::int32_t> labels,
                       const Kernel& kernel,
                       const Arguments& arguments) {
  CommonMeasures common{.inertia = sum_of_squares(data.examples, labels).total};
  if (!pairs_are_cheap(data) && !arguments.has("validate")) return common;
  const std::optional<std::size_t> threads = threads_of(arguments);
  common.kernel_sse = kernel_sum_of_squares(kernel, data.examples, labels, threads).total;
  common.silhouette = kernel_silhouette(kernel, data.examples, labels, threads).mean;
  return common;
}

/// One row of the table. Every row has the same fields; a failed method has none of the numbers.
ReportFields row_of(const Contestant& contestant,
                    const ClusterData& given,
                    const Kernel& kernel,
                    const Arguments& arguments) {
  const Dataset& data = given.loaded.data;
  const RunReport& report = contestant.report;
  const bool done = contestant.answer.has_value();
  ReportFields row = {{"method", std::string(contestant.method->name)}};
  const auto add = [&row](const std::string& name, std::optional<double> value) {
    row.emplace_back(name, shown_value(value));
  };
  const auto add_count = [&](const std::string& name, std::size_t ClusterCounts::*count) {
    row.emplace_back(name,
                     done ? ReportValue(static_cast<std::int64_t>(
                                count_clusters(contestant.answer->labels).*count))
                          : ReportValue(std::monostate{}));
  };
  add_count("clusters", &ClusterCounts::clusters);
  add_count("outliers", &ClusterCounts::outliers);
  add("objective", done ? report.solve.primal_objective : std::nullopt);
  const CommonMeasures common =
      done ? measure(data, contestant.answer->labels, kernel, arguments) : CommonMeasures{};
  add("inertia", common.inertia);
  add("kernel_sse", common.kernel_sse);
  add("silhouette", common.silhouette);
  if (arguments.has("validate")) {
    for (const char* name : {"stability",
                             "kernel_sse_p_value",
                             "refit_train_error",
                             "refit_test_error",
                             "fisher_ratio"}) {
      add(name, report.metric(name));
    }
  }
  const bool labelled = given.loaded.all_labels || given.loaded.data.labels.labelled_count() > 0;
  if (labelled) {
    for (const char* name : {"misassignment", "ari", "nmi"}) add(name, report.metric(name));
  }
  if (arguments.has("verify")) {
    row.emplace_back("verified",
                     report.verified ? ReportValue(std::string(*report.verified ? "yes" : "NO"))
                                     : ReportValue(std::monostate{}));
  }
  add("seconds", done ? std::optional(contestant.seconds) : std::nullopt);
  row.emplace_back("status",
                   done ? std::string(to_string(report.solve.status)) : contestant.problem);
  return row;
}

/// Labels of all methods: a header of their names, one row a point.
std::string labels_csv(const std::vector<Contestant>& contestants, std::size_t rows) {
  std::string csv;
  for (const Contestant& contestant : contestants) {
    if (!contestant.answer) continue;
    csv += (csv.empty() ? "" : ",") + std::string(contestant.method->name);
  }
  csv += "\n";
  for (std::size_t i = 0; i < rows; ++i) {
    std::string line;
    for (const Contestant& contestant : contestants) {
      if (!contestant.answer) continue;
      const std::int32_t label = contestant.answer->labels[i];
      line += (line.empty() ? "" : ",") + (label < 0 ? "outlier" : std::to_string(label));
    }
    csv += line + "\n";
  }
  return csv;
}

/// The run as a whole: the worst status, all warnings, the table.
RunReport whole_report(const std::vector<Contestant>& contestants,
                       const Dataset& data,
                       const Kernel& kernel,
                       const Arguments& arguments,
                       std::vector<ReportFields> table) {
  RunReport report{.kind = "compare",
                   .name = arguments.text_or("compare", ""),
                   .n = data.size(),
                   .d = data.features()};
  for (const Contestant& contestant : contestants) {
    const std::string name(contestant.method->name);
    if (!contestant.answer) {
      report.solve.warnings.push_back(name + " failed: " + contestant.problem);
      continue;
    }
    report.solve.status = worse(report.solve.status, contestant.report.solve.status);
    for (const std::string& warning : contestant.report.solve.warnings) {
      report.solve.warnings.push_back(name + ": " + warning);
    }
    if (contestant.report.verified) {
      report.verified = report.verified.value_or(true) && *contestant.report.verified;
    }
    report.solve.seconds.emplace_back(name, contestant.seconds);
  }
  ReportFields of_all;
  if (const std::optional<std::string> k = arguments.text("clusters")) of_all.emplace_back("k", *k);
  show_kernel(kernel, of_all);
  report.options = used_options(arguments, std::move(of_all));
  report.tables.emplace_back("methods", std::move(table));
  return report;
}

}  // namespace

int run_compare(const Arguments& arguments) {
  std::vector<Contestant> contestants = contestants_of(arguments);
  check_options(contestants, arguments);
  const bool table_aside = arguments.text("json") == "-" || arguments.text("output") == "-";
  Outputs outputs;
  for (const std::string_view option : {"table", "output", "json"}) {
    if (const std::optional<std::string> path = arguments.text(option)) {
      outputs.open(option, *path);
    }
  }
  const ClusterData given = load_cluster_data(arguments);
  const Dataset& data = given.loaded.data;
  check_clusters(contestants, data, arguments);
  const Kernel kernel = method_kernel(arguments, data.examples, "scale", true);
  std::vector<ReportFields> table;
  std::size_t failed = 0;
  for (Contestant& contestant : contestants) {
    try {
      run_one(contestant, given);
    } catch (const InternalError&) {
      throw;
    } catch (const Error& problem) {
      ++failed;
      contestant.answer.reset();
      contestant.problem = in_words_of_the_tool(problem.what());
    }
    end_progress_line();
    table.push_back(row_of(contestant, given, kernel, arguments));
  }
  if (failed == contestants.size())
    throw UsageError("every method failed; " + contestants.front().problem);

  const std::string text = columns(table);
  if (OutputFile* file = outputs.file("table")) file->write(csv_of(table));
  const RunReport report = whole_report(contestants, data, kernel, arguments, std::move(table));
  if (OutputFile* file = outputs.file("output")) file->write(labels_csv(contestants, data.size()));
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  if (!table_aside) std::cout << text;
  if (!arguments.has("quiet")) {
    if (table_aside) std::cerr << text;
    for (const std::string& warning : report.solve.warnings) {
      std::cerr << "warning: " << warning << "\n";
    }
  }
  if (report.verified == false) return 3;
  return report.solve.status == Status::solved && failed == 0 ? 0 : 2;
}

}  // namespace maxmargin::tool
