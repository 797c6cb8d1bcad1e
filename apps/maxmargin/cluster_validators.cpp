// SPDX-License-Identifier: Apache-2.0
#include "cluster_validators.hpp"

#include <cmath>

#include "cluster_run.hpp"
#include "interrupt.hpp"
#include "maxmargin/eval/cluster_refit.hpp"
#include "maxmargin/eval/stability.hpp"
#include "maxmargin/kernel/gamma.hpp"
#include "maxmargin/kernel/gram.hpp"
#include "maxmargin/metric/cluster_geometry.hpp"
#include "maxmargin/metric/random_labellings.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

bool has_metric(const RunReport& report, std::string_view name) {
  for (const auto& [listed, value] : report.metrics) {
    if (listed == name) return true;
  }
  return false;
}

void add_metric(RunReport& report, const std::string& name, std::optional<double> value) {
  if (value && std::isnan(*value)) value.reset();
  if (!has_metric(report, name)) report.metrics.emplace_back(name, value);
}

Silhouette silhouette_of(const Dataset& data,
                         const ClusterAnswer& answer,
                         std::optional<std::size_t> threads) {
  return answer.kernel ? kernel_silhouette(*answer.kernel, data.examples, answer.labels, threads)
                       : silhouette(data.examples, answer.labels, threads);
}

SumOfSquares sum_of_squares_of(const Dataset& data,
                               const ClusterAnswer& answer,
                               std::optional<std::size_t> threads) {
  return answer.kernel
             ? kernel_sum_of_squares(*answer.kernel, data.examples, answer.labels, threads)
             : sum_of_squares(data.examples, answer.labels);
}

/// The method's kernel, or the default one.
Kernel machine_kernel(const Dataset& data, const ClusterAnswer& answer) {
  if (answer.kernel) return *answer.kernel;
  return Rbf{.gamma = resolve_gamma(GammaRule::scale(), data.examples)};
}

/// How likely random labels of the clustered rows are as tight; nothing for one cluster, and for
/// more rows than a matrix of all pairs is held for.
std::optional<double> chance_of(const Dataset& data,
                                const ClusterAnswer& answer,
                                const Arguments& arguments) {
  constexpr std::size_t most_rows = 5000;
  std::vector<std::size_t> rows;
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < answer.labels.size(); ++i) {
    if (answer.labels[i] < 0) continue;
    rows.push_back(i);
    labels.push_back(answer.labels[i]);
  }
  const std::size_t clusters = count_clusters(labels).clusters;
  // Random labels that leave no cluster empty must not be rare.
  const auto k = static_cast<double>(clusters);
  const bool too_few = static_cast<double>(rows.size()) < k * (std::log(k) + 1);
  if (clusters < 2 || too_few || rows.size() > most_rows) return std::nullopt;
  const std::optional<std::size_t> threads = threads_of(arguments);
  const DenseMatrix values =
      gram(answer.kernel.value_or(Linear{}), data.examples.select(rows), {.threads = threads});
  const ChanceLaw law = chance_law(
      values.view(),
      {.k = clusters, .seed = arguments.whole("seed", 0).value_or(0), .threads = threads});
  return law.p_value(kernel_sum_of_squares(values.view(), labels).total);
}

/// One row a cluster.
std::vector<ReportFields> cluster_rows(const Dataset& data,
                                       const ClusterAnswer& answer,
                                       std::optional<std::size_t> threads) {
  const SumOfSquares sums = sum_of_squares_of(data, answer, threads);
  const Silhouette silhouettes = silhouette_of(data, answer, threads);
  const std::size_t count = sums.of_cluster.size();
  std::vector<double> size(count, 0.0);
  std::vector<double> silhouette_sum(count, 0.0);
  for (std::size_t i = 0; i < answer.labels.size(); ++i) {
    if (answer.labels[i] < 0) continue;
    const auto c = static_cast<std::size_t>(answer.labels[i]);
    size[c] += 1;
    silhouette_sum[c] += silhouettes.of_row[i];
  }
  std::vector<ReportFields> rows;
  for (std::size_t c = 0; c < count; ++c) {
    rows.push_back({{"cluster", static_cast<std::int64_t>(c)},
                    {"size", static_cast<std::int64_t>(size[c])},
                    {"kernel_sse", sums.of_cluster[c]},
                    {"silhouette", silhouette_sum[c] / size[c]}});
  }
  return rows;
}

}  // namespace

bool pairs_are_cheap(const Dataset& data) {
  constexpr double most_work = 1e9;
  constexpr std::size_t most_rows = 10000;
  const auto work = static_cast<double>(data.size()) * static_cast<double>(data.examples.entries());
  return data.size() <= most_rows && work <= most_work;
}

void add_cheap_validators(const Dataset& data,
                          const ClusterAnswer& answer,
                          const Arguments& arguments,
                          RunReport& report) {
  const ClusterCounts counts = count_clusters(answer.labels);
  add_metric(report, "clusters", static_cast<double>(counts.clusters));
  add_metric(report, "outliers", static_cast<double>(counts.outliers));
  if (!pairs_are_cheap(data) && !arguments.has("validate")) return;
  const std::optional<std::size_t> threads = threads_of(arguments);
  if (!has_metric(report, "kernel_sse")) {
    add_metric(report, "kernel_sse", sum_of_squares_of(data, answer, threads).total);
  }
  if (!has_metric(report, "silhouette")) {
    add_metric(report, "silhouette", silhouette_of(data, answer, threads).mean);
  }
}

void add_validators(const ClusterMethod& method,
                    const Dataset& data,
                    const ClusterAnswer& answer,
                    const Arguments& arguments,
                    RunReport& report) {
  const SolveScope scope;
  const std::optional<std::size_t> threads = threads_of(arguments);
  const std::uint64_t seed = arguments.whole("seed", 0).value_or(0);
  const std::size_t k =
      method.takes_clusters ? arguments.whole("clusters", 1).value_or(1) : std::size_t{1};
  const Stability stability =
      bootstrap_stability(data,
                          answer.labels,
                          k,
                          cluster_function(method, arguments, answer.kernel),
                          {.seed = seed, .threads = threads, .progress = run_progress(arguments)});
  add_metric(report, "stability", stability.mean);
  add_metric(report, "kernel_sse_p_value", chance_of(data, answer, arguments));
  const ClusterRefit refit = refit_clusters(data,
                                            answer.labels,
                                            {.kernel = machine_kernel(data, answer),
                                             .allow_indefinite = true,
                                             .seed = seed,
                                             .threads = threads,
                                             .progress = run_progress(arguments)});
  add_metric(report, "refit_train_error", refit.train_error);
  add_metric(report, "refit_test_error", refit.test_error);
  add_metric(report, "fisher_ratio", refit.fisher_ratio);
  end_progress_line();
  report.solve.status = worse(report.solve.status, worse(stability.status, refit.status));
  report.tables.emplace_back("clusters", cluster_rows(data, answer, threads));
}

}  // namespace maxmargin::tool
