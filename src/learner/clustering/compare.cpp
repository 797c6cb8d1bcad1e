// SPDX-License-Identifier: Apache-2.0
//
// Several methods on one data set, in one table.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/cluster_count.hpp"
#include "eval/choose_clusters.hpp"
#include "learner/clustering/choice.hpp"
#include "learner/clustering/kernel.hpp"
#include "learner/clustering/measures.hpp"
#include "learner/clustering/points.hpp"
#include "learner/clustering/request.hpp"
#include "learner/clustering/validators.hpp"
#include "learner/data_checks.hpp"
#include "learner/feature_checks.hpp"
#include "learner/option_texts.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"

namespace maxmargin {

namespace learning {

namespace {

/// The kernel of the measures that all are compared by.
struct CommonKernel {
  KernelChoice kernel = {};
  void describe(OptionVisitor& visit) { kernel.describe(visit); }
};

/// The methods, and what each of them is asked for.
struct Contest {
  std::vector<const ClusterLearner*> methods = {};
  std::vector<ClusterRequest> requests = {};
  /// Of those that take it; 0: it is chosen, or none takes it.
  std::size_t clusters = 0;
};

const ClusterLearner& method_named(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Learner* each : learners()) {
    const auto* method = dynamic_cast<const ClusterLearner*>(each);
    if (method == nullptr) continue;
    if (method->info().name == name) return *method;
    known.push_back(method->info().name);
  }
  throw InvalidArgument(breach("compare", name, "a known name" + suggest_names(name, known)));
}

/// The method's own options, and those of all methods.
OptionTexts without_foreign_options(const ClusterLearner& method, const OptionTexts& options) {
  const std::vector<OptionDescription> known = method.options();
  OptionTexts own = options;
  std::erase_if(own, [&](const auto& option) {
    return std::ranges::none_of(
        known, [&](const OptionDescription& each) { return is_named(each, option.first); });
  });
  return own;
}

/// Ignored where a method does not take them: the number of clusters and the common kernel.
bool may_be_ignored(std::string_view option) {
  constexpr std::array names = {std::string_view("kernel"),
                                std::string_view("gamma"),
                                std::string_view("degree"),
                                std::string_view("coef0"),
                                cluster_count_name,
                                cluster_count_alias};
  return std::ranges::find(names, option) != names.end();
}

/// An option that none of the methods takes is a mistake; so is a missing number of clusters.
Contest contest_of(const std::vector<std::string>& names, const OptionTexts& options) {
  if (last_of(options, "kernel") == "precomputed") {
    throw InvalidArgument(
        "--kernel precomputed: not with --compare, other methods need the points");
  }
  Contest contest;
  std::vector<std::string> taken;
  bool some_take_clusters = false;
  for (const std::string& name : names) {
    const ClusterLearner& method = method_named(name);
    if (std::ranges::find(contest.methods, &method) != contest.methods.end()) {
      throw InvalidArgument("--compare: " + name + " is named twice");
    }
    const OptionTexts own = without_foreign_options(method, options);
    for (const auto& option : own) taken.push_back(option.first);
    some_take_clusters = some_take_clusters || method.takes(cluster_count_name);
    contest.methods.push_back(&method);
    contest.requests.push_back(read_request(method, own));
    // What a method cannot do is said in its row; a value that breaks its rule is wrong usage.
    method.check_values(contest.requests.back().own);
  }
  for (const auto& option : options) {
    if (may_be_ignored(option.first)) continue;
    if (std::ranges::find(taken, option.first) != taken.end()) continue;
    throw InvalidArgument(flag_of(option.first) + ": none of the methods takes it");
  }
  const std::optional<std::string> k = last_of(options, cluster_count_name, cluster_count_alias);
  if (!some_take_clusters || k == chosen_count) return contest;
  struct {
    std::size_t k = 0;
    void describe(OptionVisitor& visit) { describe_cluster_count(visit, k); }
  } count;
  if (k) set_options(count, {{std::string(cluster_count_name), *k}}, "a comparison");
  validate(count);
  contest.clusters = count.k;
  return contest;
}

/// Runs the method, chooses k where that is asked, and measures.
void run_one(const ClusterLearner& method,
             ClusterRequest request,
             const TableData& table,
             const Dataset& rows,
             const Context& context,
             const ClusterChecks& checks,
             ClusterContestant& contestant) {
  const Stopwatch watch;
  Clustering found;
  if (request.chooses_clusters) {
    ChosenClusters chosen = choose_and_run(method, rows, request.own, context);
    found = std::move(chosen.found);
    request.own = std::move(chosen.own);
  } else {
    found = method.run(rows, request.own, context);
  }
  contestant.seconds = watch.seconds();
  RunReport& report = contestant.report;
  report.name = contestant.method;
  report.n = rows.size();
  report.d = rows.features();
  report.solve = found.report;
  report.metrics = found.metrics;
  report.options = found.used;
  add_label_measures(table, found.labels, report);
  if (checks.validate) ClusterValidators(method, rows, found, request, context).add_costly(report);
  if (checks.verify) {
    const Verification verification = method.verify_found(rows, found, context);
    report.verified = verification.agrees;
    report.verify_reason = verification.complaint;
  }
  contestant.clusters = std::move(found.labels);
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

CommonMeasures measure(const Dataset& rows,
                       std::span<const std::int32_t> labels,
                       const Kernel& kernel,
                       const Context& context,
                       const ClusterChecks& checks) {
  CommonMeasures common{.inertia = sum_of_squares(rows.examples, labels).total};
  if (!pairs_are_cheap(rows) && !checks.validate) return common;
  common.kernel_sse = kernel_sum_of_squares(kernel, rows.examples, labels, context.threads).total;
  common.silhouette = kernel_silhouette(kernel, rows.examples, labels, context.threads).mean;
  return common;
}

/// One row of the table. Every row has the same fields; a failed method has none of the numbers.
ReportFields row_of(const ClusterContestant& contestant,
                    const CommonMeasures& common,
                    bool is_labelled,
                    const ClusterChecks& checks) {
  const RunReport& report = contestant.report;
  const bool done = contestant.problem.empty();
  ReportFields row = {{"method", contestant.method}};
  const auto add = [&row](const std::string& name, std::optional<double> value) {
    row.emplace_back(name, shown_value(value));
  };
  const auto add_count = [&](const std::string& name, std::size_t ClusterCounts::*count) {
    row.emplace_back(
        name,
        done ? ReportValue(static_cast<std::int64_t>(count_clusters(contestant.clusters).*count))
             : ReportValue(std::monostate{}));
  };
  add_count("clusters", &ClusterCounts::clusters);
  add_count("outliers", &ClusterCounts::outliers);
  add("objective", done ? report.solve.primal_objective : std::nullopt);
  add("inertia", common.inertia);
  add("kernel_sse", common.kernel_sse);
  add("silhouette", common.silhouette);
  if (checks.validate) {
    for (const char* name : {"stability",
                             "kernel_sse_p_value",
                             "refit_train_error",
                             "refit_test_error",
                             "fisher_ratio"}) {
      add(name, report.metric(name));
    }
  }
  if (is_labelled) {
    for (const char* name : {"misassignment", "ari", "nmi"}) add(name, report.metric(name));
  }
  if (checks.verify) {
    row.emplace_back("verified",
                     report.verified ? ReportValue(std::string(*report.verified ? "yes" : "NO"))
                                     : ReportValue(std::monostate{}));
  }
  add("seconds", done ? std::optional(contestant.seconds) : std::nullopt);
  row.emplace_back("status",
                   done ? std::string(to_string(report.solve.status)) : contestant.problem);
  return row;
}

/// The run as a whole: the worst status and all warnings.
void sum_up(const std::vector<ClusterContestant>& contestants, RunReport& report) {
  for (const ClusterContestant& contestant : contestants) {
    report.name += (report.name.empty() ? "" : ",") + contestant.method;
    if (!contestant.problem.empty()) {
      report.solve.warnings.push_back(contestant.method + " failed: " + contestant.problem);
      continue;
    }
    report.solve.status = worse(report.solve.status, contestant.report.solve.status);
    for (const std::string& warning : contestant.report.solve.warnings) {
      report.solve.warnings.push_back(contestant.method + ": " + warning);
    }
    if (contestant.report.verified) {
      report.verified = report.verified.value_or(true) && *contestant.report.verified;
    }
    if (!contestant.report.verify_reason.empty()) {
      report.verify_reason += (report.verify_reason.empty() ? "" : "; ") + contestant.method +
                              ": " + contestant.report.verify_reason;
    }
    report.solve.seconds.emplace_back(contestant.method, contestant.seconds);
  }
}

ReportFields options_of_all(const OptionTexts& options,
                            const Kernel& kernel,
                            const SharedClusterOptions& shared,
                            const Context& context) {
  ReportFields fields;
  if (const auto k = last_of(options, cluster_count_name, cluster_count_alias)) {
    const std::optional<std::int64_t> number = parse_integer(*k);
    fields.emplace_back("k", number ? ReportValue(*number) : ReportValue(*k));
  }
  for (auto& field : kernel_as_used(kernel)) fields.push_back(std::move(field));
  for (auto& [key, value] : option_values(shared)) fields.emplace_back(key, std::move(value));
  for (auto& [key, value] : option_values(context)) {
    if (key == "seed") fields.emplace_back(key, std::move(value));
  }
  return fields;
}

/// The kernel that the options name, for measures that all methods share.
Kernel common_kernel(const OptionTexts& options, const Dataset& rows, const Context& context) {
  CommonKernel common;
  OptionTexts own;
  for (const char* name : {"kernel", "gamma", "degree", "coef0"}) {
    if (const std::optional<std::string> text = last_of(options, name))
      own.emplace_back(name, *text);
  }
  set_options(common, own, "a comparison");
  return kernel_for(common.kernel, rows.examples, context);
}

}  // namespace

}  // namespace learning

ClusterComparison compare_clusterings(const std::vector<std::string>& methods,
                                      const TableData& data,
                                      const OptionTexts& options,
                                      const Context& context,
                                      const ClusterChecks& checks,
                                      const ShareOfTime& share) {
  using namespace learning;
  const Contest contest = contest_of(methods, options);
  check_data(data);
  refuse_unused_kernel(data, false);
  check_numbers(data.data, "a comparison of clusterings");
  const SharedClusterOptions& shared = contest.requests.front().shared;
  const Dataset rows = scaled_points(data, shared.scale).rows;
  const std::size_t k = contest.clusters;
  if (k > 0 && cluster_counts_to_try(rows, k, k).empty()) {
    // Wrong whatever the method.
    throw InvalidArgument("-k " + std::to_string(k) + ": " + name_of(rows) +
                          " has fewer distinct points");
  }
  const Kernel kernel = common_kernel(options, rows, context);
  const bool is_labelled = data.all_labels || data.data.labels.labelled_count() > 0;
  ClusterComparison comparison{
      .report = {.kind = "compare", .n = rows.size(), .d = rows.features()}};
  std::vector<ReportFields> table;
  for (std::size_t i = 0; i < contest.methods.size(); ++i) {
    ClusterContestant contestant{.method = methods[i]};
    const Context own = share ? context.with_progress(share(contest.methods.size() - i)) : context;
    try {
      run_one(*contest.methods[i], contest.requests[i], data, rows, own, checks, contestant);
    } catch (const InternalError&) {
      throw;
    } catch (const Error& problem) {
      ++comparison.failed;
      contestant = {.method = methods[i], .problem = problem.what()};
    }
    table.push_back(row_of(contestant,
                           contestant.problem.empty()
                               ? measure(rows, contestant.clusters, kernel, context, checks)
                               : CommonMeasures{},
                           is_labelled,
                           checks));
    comparison.contestants.push_back(std::move(contestant));
  }
  if (comparison.failed == methods.size()) {
    throw InvalidArgument("every method failed; " + comparison.contestants.front().problem);
  }
  sum_up(comparison.contestants, comparison.report);
  comparison.report.options = options_of_all(options, kernel, shared, context);
  comparison.report.tables.emplace_back("methods", std::move(table));
  return comparison;
}

std::string comparison_csv(const ClusterComparison& comparison) {
  std::string csv;
  std::vector<const ClusterContestant*> done;
  for (const ClusterContestant& contestant : comparison.contestants) {
    if (!contestant.problem.empty()) continue;
    csv += (done.empty() ? "" : ",") + contestant.method;
    done.push_back(&contestant);
  }
  csv += "\n";
  for (std::size_t i = 0; i < comparison.report.n; ++i) {
    for (std::size_t c = 0; c < done.size(); ++c) {
      const std::int32_t label = done[c]->clusters[i];
      csv += (c == 0 ? "" : ",") + (label < 0 ? "outlier" : std::to_string(label));
    }
    csv += "\n";
  }
  return csv;
}

}  // namespace maxmargin
