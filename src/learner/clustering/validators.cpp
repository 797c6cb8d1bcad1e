// SPDX-License-Identifier: Apache-2.0
#include "learner/clustering/validators.hpp"
#include "learner/option_texts.hpp"

#include <cmath>
#include <limits>
#include <span>

#include "core/parts_of_run.hpp"
#include "eval/cluster_refit.hpp"
#include "learner/clustering/measures.hpp"
#include "learner/clustering/resampling.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/eval/stability.hpp"
#include "maxmargin/kernel/gamma.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "maxmargin/metric/cluster/random_labellings.hpp"

namespace maxmargin::learning {

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

/// The part of a Gram matrix that belongs to these rows.
DenseMatrix gram_part(DenseView gram, std::span<const std::size_t> rows) {
  DenseMatrix part(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) part(i, j) = gram(rows[i], rows[j]);
  }
  return part;
}

/// The method's kernel, or the default one.
Kernel machine_kernel(const Dataset& rows, const Clustering& found) {
  if (found.kernel) return *found.kernel;
  return Rbf{.gamma = resolve_gamma(GammaRule::scale(), rows.examples)};
}

}  // namespace

bool pairs_are_cheap(const Dataset& rows) {
  constexpr double most_work = 1e9;
  constexpr std::size_t most_rows = 10000;
  const auto work = static_cast<double>(rows.size()) * static_cast<double>(rows.examples.entries());
  return rows.size() <= most_rows && work <= most_work;
}

ClusterValidators::ClusterValidators(const ClusterLearner& method,
                                     const Dataset& rows,
                                     const Clustering& found,
                                     const ClusterRequest& request,
                                     const Context& context)
    : method_(method), rows_(rows), found_(found), request_(request), context_(context) {
  if (request.is_precomputed) given_gram_ = rows.examples.to_dense();
}

const SumOfSquares& ClusterValidators::sums() {
  if (!sums_) {
    sums_ = given_gram_     ? kernel_sum_of_squares(given_gram_->view(), found_.labels)
            : found_.kernel ? kernel_sum_of_squares(
                                  *found_.kernel, rows_.examples, found_.labels, context_.threads)
                            : sum_of_squares(rows_.examples, found_.labels);
  }
  return *sums_;
}

const Silhouette& ClusterValidators::silhouettes() {
  if (!silhouettes_) {
    silhouettes_ =
        given_gram_ ? silhouette_from_gram(given_gram_->view(), found_.labels, context_.threads)
        : found_.kernel
            ? kernel_silhouette(*found_.kernel, rows_.examples, found_.labels, context_.threads)
            : silhouette(rows_.examples, found_.labels, context_.threads);
  }
  return *silhouettes_;
}

bool ClusterValidators::may_continue(RunReport& report) const {
  const Continue answer = context_.ask({.phase = "validators"});
  if (answer == Continue::yes) return true;
  report.solve.status = worse(report.solve.status, status_of(answer));
  return false;
}

void ClusterValidators::add_cheap(RunReport& report, bool all) {
  const ClusterCounts counts = count_clusters(found_.labels);
  add_metric(report, "clusters", static_cast<double>(counts.clusters));
  add_metric(report, "outliers", static_cast<double>(counts.outliers));
  if (!pairs_are_cheap(rows_) && !all) return;
  const bool go = pairs_are_cheap(rows_) || may_continue(report);
  if (!has_metric(report, "kernel_sse")) {
    add_metric(report, "kernel_sse", go ? std::optional(sums().total) : std::nullopt);
  }
  if (!has_metric(report, "silhouette")) {
    add_metric(report, "silhouette", go ? std::optional(silhouettes().mean) : std::nullopt);
  }
}

void ClusterValidators::add_costly(RunReport& report) {
  if (given_gram_) {
    report.solve.warnings.push_back(
        "a precomputed kernel has no resamples and no new points: no stability and no refitted "
        "machine");
  }
  add_metric(report, "stability", stability(report));
  add_metric(report, "kernel_sse_p_value", p_value(report));
  const ClusterRefit refit = refitted(report);
  add_metric(report, "refit_train_error", refit.train_error);
  add_metric(report, "refit_test_error", refit.test_error);
  add_metric(report, "fisher_ratio", refit.fisher_ratio);
  const bool known = sums_ && silhouettes_;
  if (known || may_continue(report)) report.tables.emplace_back("clusters", rows_of_clusters());
}

std::optional<double> ClusterValidators::stability(RunReport& report) const {
  if (given_gram_ || !may_continue(report)) return std::nullopt;
  const std::optional<std::string> given_k =
      last_of(request_.own, cluster_count_name, cluster_count_alias);
  const auto k = static_cast<std::size_t>(parse_integer(given_k.value_or("1")).value_or(1));
  const Context shared = shared_by_threads(context_);
  const Stability found =
      bootstrap_stability(rows_,
                          found_.labels,
                          k,
                          cluster_function(method_, request_.own, found_.kernel, shared),
                          {.context = shared});
  report.solve.status = worse(report.solve.status, found.status);
  for (const std::string& warning : found.warnings) report.solve.warnings.push_back(warning);
  return found.mean;
}

std::optional<double> ClusterValidators::p_value(RunReport& report) const {
  constexpr std::size_t most_rows = 5000;
  std::vector<std::size_t> rows;
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < found_.labels.size(); ++i) {
    if (found_.labels[i] < 0) continue;
    rows.push_back(i);
    labels.push_back(found_.labels[i]);
  }
  const std::size_t clusters = count_clusters(labels).clusters;
  // Random labels that leave no cluster empty must not be rare.
  const auto k = static_cast<double>(clusters);
  const bool too_few = static_cast<double>(rows.size()) < k * (std::log(k) + 1);
  if (clusters < 2 || too_few || rows.size() > most_rows || !may_continue(report))
    return std::nullopt;
  const DenseMatrix values = given_gram_ ? gram_part(given_gram_->view(), rows)
                                         : gram(found_.kernel.value_or(Linear{}),
                                                rows_.examples.select(rows),
                                                {.context = context_});
  const ChanceLaw law = chance_law(values.view(), {.k = clusters, .context = context_.quiet()});
  return law.p_value(kernel_sum_of_squares(values.view(), labels).total);
}

ClusterRefit ClusterValidators::refitted(RunReport& report) const {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  ClusterRefit refit{.train_error = nan, .test_error = nan, .fisher_ratio = nan};
  if (given_gram_ || !may_continue(report)) return refit;
  try {
    refit = refit_clusters(
        rows_,
        found_.labels,
        {.kernel = machine_kernel(rows_, found_), .allow_indefinite = true, .context = context_});
  } catch (const InvalidArgument& refusal) {
    report.solve.warnings.push_back(std::string("no machine can be refitted: ") + refusal.what());
  }
  report.solve.status = worse(report.solve.status, refit.status);
  return refit;
}

std::vector<ReportFields> ClusterValidators::rows_of_clusters() {
  const std::size_t count = sums().of_cluster.size();
  std::vector<double> size(count, 0.0);
  std::vector<double> silhouette_sum(count, 0.0);
  for (std::size_t i = 0; i < found_.labels.size(); ++i) {
    if (found_.labels[i] < 0) continue;
    const auto c = static_cast<std::size_t>(found_.labels[i]);
    size[c] += 1;
    silhouette_sum[c] += silhouettes().of_row[i];
  }
  std::vector<ReportFields> rows;
  for (std::size_t c = 0; c < count; ++c) {
    rows.push_back({{"cluster", static_cast<std::int64_t>(c)},
                    {"size", static_cast<std::int64_t>(size[c])},
                    {"kernel_sse", sums().of_cluster[c]},
                    {"silhouette", silhouette_sum[c] / size[c]}});
  }
  return rows;
}

}  // namespace maxmargin::learning
