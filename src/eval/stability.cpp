// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/eval/stability.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/parallel.hpp"
#include "eval/fold_evaluator.hpp"
#include "eval/resampling.hpp"
#include "eval/task_runner.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/splits.hpp"
#include "maxmargin/metric/cluster/clustering.hpp"

namespace maxmargin {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Outliers as one more cluster.
std::vector<std::int32_t> with_outliers_numbered(std::span<const std::int32_t> clusters) {
  std::vector<std::int32_t> numbered(clusters.begin(), clusters.end());
  const std::int32_t largest =
      numbered.empty() ? -1 : *std::max_element(numbered.begin(), numbered.end());
  for (std::int32_t& cluster : numbered) {
    if (cluster < 0) cluster = largest + 1;
  }
  return numbered;
}

/// The rows of a subsample in increasing order.
std::vector<std::size_t> subsample(std::size_t n,
                                   double share,
                                   std::uint64_t seed,
                                   std::size_t index) {
  const double wanted = std::round(share * static_cast<double>(n));
  const auto size = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), n > 0 ? 1 : 0, n);
  std::vector<std::size_t> rows = Rng(seed, "subsample", index).sample(n, size);
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// A subsample and its clusters.
struct Clustered {
  std::vector<std::size_t> rows = {};
  std::vector<std::int32_t> clusters = {};
};

double agreement_on_common_rows(const Clustered& first, const Clustered& second) {
  std::vector<std::int32_t> a;
  std::vector<std::int32_t> b;
  std::size_t j = 0;
  for (std::size_t i = 0; i < first.rows.size(); ++i) {
    while (j < second.rows.size() && second.rows[j] < first.rows[i]) ++j;
    if (j == second.rows.size()) break;
    if (second.rows[j] != first.rows[i]) continue;
    a.push_back(first.clusters[i]);
    b.push_back(second.clusters[j]);
  }
  return clustering_agreement(a, b);
}

/// Runs `agreement` for every sample.
template <class Agreement>
Stability run_samples(const StabilityOptions& options, const Agreement& agreement) {
  Stability stability;
  stability.of_sample.assign(options.samples, nan);
  TaskRunner runner(thread_count(options.context.threads),
                    "stability",
                    options.samples,
                    options.context.on_progress);
  Refusals refusals;
  runner.run(options.samples, [&](std::size_t sample) -> std::size_t {
    const SampleValue found = agreement(sample);
    if (found.stopped) return 0;
    refusals.add(found.refusal);
    stability.of_sample[sample] = found.value;
    return 1;
  });
  stability.status = runner.status();
  refusals.warn("samples that the method refused have no stability", stability.warnings);
  stability.mean = mean_of_defined(stability.of_sample);
  return stability;
}

}  // namespace

double mean_of_defined(std::span<const double> values) { return summarise_folds(values).mean; }

SampleClusters try_clusters(const ClusterFunction& cluster,
                            const Dataset& data,
                            std::size_t k,
                            std::uint64_t seed) {
  SampleClusters found;
  try {
    found.labels = cluster(data, k, seed);
  } catch (const InvalidArgument& problem) {
    found.refusal = problem.what();
    return found;
  }
  found.stopped = found.labels.empty() && data.size() > 0;
  require(found.stopped || found.labels.size() == data.size(),
          "the clustering returned " + std::to_string(found.labels.size()) + " labels for " +
              std::to_string(data.size()) + " rows");
  return found;
}

void Refusals::add(const std::string& reason) {
  if (reason.empty()) return;
  const std::lock_guard lock(mutex_);
  if (reason_.empty() || reason < reason_) reason_ = reason;
}

void Refusals::warn(std::string_view what, std::vector<std::string>& warnings) const {
  if (!reason_.empty()) warnings.push_back(std::string(what) + ": " + reason_);
}

double clustering_agreement(std::span<const std::int32_t> first,
                            std::span<const std::int32_t> second) {
  return adjusted_rand_index(
      Contingency(with_outliers_numbered(first), with_outliers_numbered(second)));
}

SampleValue pair_agreement(const ResamplingSource& source,
                           std::size_t k,
                           std::size_t pair,
                           double share,
                           std::uint64_t seed) {
  Clustered halves[2];
  for (std::size_t half = 0; half < 2; ++half) {
    const std::size_t index = 2 * pair + half;
    Clustered& sample = halves[half];
    sample.rows = subsample(source.data.size(), share, seed, index);
    if (source.distinct.count_among(sample.rows) < k) return {};
    SampleClusters found = try_clusters(source.cluster,
                                        source.data.select(sample.rows),
                                        k,
                                        derive_seed(seed, "subsample run", index));
    if (!found.known()) return SampleValue::undefined(std::move(found));
    sample.clusters = std::move(found.labels);
  }
  return SampleValue::of(agreement_on_common_rows(halves[0], halves[1]));
}

void StabilityOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "samples", .help = "resamples, or pairs of subsamples; more vary less"},
              samples,
              {.least = 1});
  visit.number({.name = "share", .help = "share of the rows in a subsample"},
               share,
               NumberRule{"a number in (0.5, 1]", {.least = 0.5, .most = 1, .has_most = true}});
}

Stability subsample_stability(const Dataset& data,
                              std::size_t k,
                              const ClusterFunction& cluster,
                              const StabilityOptions& options) {
  validate(options);
  require(static_cast<bool>(cluster), "the method is empty");
  require_field(k >= 1, "k", static_cast<double>(k), ">= 1");
  const DistinctRows distinct(data);
  const ResamplingSource source{data, distinct, cluster};
  return run_samples(options, [&](std::size_t pair) {
    return pair_agreement(source, k, pair, options.share, options.context.seed);
  });
}

Stability bootstrap_stability(const Dataset& data,
                              std::span<const std::int32_t> clusters,
                              std::size_t k,
                              const ClusterFunction& cluster,
                              const StabilityOptions& options) {
  validate(options);
  require(static_cast<bool>(cluster), "the method is empty");
  require_field(k >= 1, "k", static_cast<double>(k), ">= 1");
  require(clusters.size() == data.size(),
          std::to_string(clusters.size()) + " labels for " + std::to_string(data.size()) + " rows");
  const DistinctRows distinct(data);
  return run_samples(options, [&](std::size_t sample) -> SampleValue {
    if (data.size() == 0) return {};
    const std::vector<std::size_t> rows =
        bootstrap(data.size(), options.context.seed, sample).train;
    if (distinct.count_among(rows) < k) return {};
    SampleClusters again = try_clusters(
        cluster, data.select(rows), k, derive_seed(options.context.seed, "bootstrap run", sample));
    if (!again.known()) return SampleValue::undefined(std::move(again));
    std::vector<std::int32_t> before;
    std::vector<std::int32_t> after;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i > 0 && rows[i] == rows[i - 1]) continue;  // repetitions stand side by side
      before.push_back(clusters[rows[i]]);
      after.push_back(again.labels[i]);
    }
    return SampleValue::of(clustering_agreement(before, after));
  });
}

}  // namespace maxmargin
