// SPDX-License-Identifier: Apache-2.0
#include "cluster_run.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "interrupt.hpp"
#include "kernel_rows.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

/// The options that some method takes and this one does not, of those given.
std::vector<std::string> foreign_options(const ClusterMethod& method, const Arguments& arguments) {
  std::vector<std::string> foreign;
  for (const ClusterMethod& other : cluster_methods()) {
    for (const std::string_view option : other.options) {
      if (!takes(method, option) && arguments.has(option)) foreign.emplace_back(option);
    }
  }
  return foreign;
}

/// The rows of a kernel as the points' features. A clustering numbers its points as the file does,
/// and so do the columns of new rows: LIBSVM's serials must say the same.
LoadedData load_kernel(const std::string& where, const Arguments& arguments) {
  KernelRowsRead read = read_kernel_rows(where, read_options(arguments, Purpose::cluster), false);
  for (std::size_t i = 0; i < read.serials.size(); ++i) {
    if (read.serials[i] == i + 1) continue;
    throw FileError(where,
                    "the serial number " + std::to_string(read.serials[i]) + " of row " +
                        std::to_string(i + 1) + ": must be the row's, 1 to " +
                        std::to_string(read.serials.size()) + " in order");
  }
  widen_kernel_rows(read, read.values.rows());
  LoadedData loaded{.data = std::move(read.data),
                    .all_labels = std::move(read.all_labels),
                    .format = read.format};
  loaded.data.examples = std::move(read.values);
  return loaded;
}

}  // namespace

ClusterData load_cluster_data(const Arguments& arguments) {
  const ScalingOptions scaling = scaling_of(arguments);
  const std::string& where = arguments.positionals.at(0);
  const bool is_kernel = arguments.text("kernel") == "precomputed" && !is_builtin(where);
  ClusterData data{.loaded = is_kernel ? load_kernel(where, arguments)
                                       : load_data(where, arguments, Purpose::cluster)};
  Examples& examples = data.loaded.data.examples;
  data.scaler = fit_scaler(examples, scaling);
  examples = data.scaler.apply(std::move(examples));
  return data;
}

bool takes(const ClusterMethod& method, std::string_view option) {
  return std::ranges::find(method.options, option) != method.options.end();
}

bool has_precomputed_kernel(const ClusterMethod& method, const Arguments& arguments) {
  return takes(method, "kernel") && arguments.text("kernel") == "precomputed";
}

void refuse_foreign_options(const ClusterMethod& method, const Arguments& arguments) {
  const std::string name(method.name);
  for (const std::string& option : foreign_options(method, arguments)) {
    throw UsageError("--" + option + ": the method " + name + " does not take it");
  }
  if (!method.takes_clusters && arguments.has("clusters")) {
    throw UsageError("-k: the method " + name + " finds the number of clusters by itself");
  }
}

Arguments without_foreign_options(const ClusterMethod& method, const Arguments& arguments) {
  Arguments own = arguments;
  for (const std::string& option : foreign_options(method, arguments)) own.given.erase(option);
  if (!method.takes_clusters) own.given.erase("clusters");
  return own;
}

bool wants_chosen_clusters(const Arguments& arguments) {
  return arguments.text("clusters") == "auto";
}

ProgressCallback run_progress(const Arguments& arguments) {
  return interruptible(progress_line(arguments.has("quiet")), arguments.positive("time-limit"));
}

ClusterFunction cluster_function(const ClusterMethod& method,
                                 const Arguments& arguments,
                                 const std::optional<Kernel>& kernel) {
  Arguments fixed = arguments;
  if (kernel && takes(method, "gamma")) {
    if (const std::optional<double> gamma = gamma_of(*kernel)) {
      fixed.given["gamma"] = format_number(*gamma);
      fixed.given.erase("gamma-sweep");  // what the sweep found is that gamma
    }
  }
  // Runs go side by side, so none of them draws a line of progress.
  const ProgressCallback stop = interruptible({}, arguments.positive("time-limit"));
  return [&method, fixed, stop](const Dataset& data, std::size_t k, std::uint64_t seed) {
    Arguments own = fixed;
    if (method.takes_clusters) own.given["clusters"] = std::to_string(k);
    own.given["seed"] = std::to_string(seed >> 1);  // options are signed whole numbers
    ClusterAnswer answer = method.run(data, own, stop);
    // What was found by then is no clustering to compare with finished ones.
    return was_stopped(answer.report.status) ? std::vector<std::int32_t>{}
                                             : std::move(answer.labels);
  };
}

bool verify(const ClusterMethod& method, const Dataset& data, const ClusterAnswer& answer) {
  if (!answer.report.primal_objective || !answer.model) return false;
  const double reported = *answer.report.primal_objective;
  const double recomputed = method.objective(data, answer.labels, *answer.model);
  constexpr double rounding = 1e-9;
  const double doubt = rounding * std::max(std::abs(reported), 1e-12) + answer.objective_doubt;
  const bool agrees = std::abs(recomputed - reported) <= doubt;
  const bool above = !answer.report.lower_bound || *answer.report.lower_bound <= recomputed + doubt;
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

ClusterCounts count_clusters(std::span<const std::int32_t> labels) {
  std::set<std::int32_t> clusters;
  ClusterCounts counts;
  for (const std::int32_t label : labels) {
    if (label < 0) {
      ++counts.outliers;
    } else {
      clusters.insert(label);
    }
  }
  counts.clusters = clusters.size();
  return counts;
}

}  // namespace maxmargin::tool
