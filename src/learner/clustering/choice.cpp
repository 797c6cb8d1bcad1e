// SPDX-License-Identifier: Apache-2.0
#include "learner/clustering/choice.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/parts_of_run.hpp"
#include "eval/choose_clusters.hpp"
#include "learner/clustering/request.hpp"
#include "learner/clustering/resampling.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/timer.hpp"

namespace maxmargin::learning {

namespace {

constexpr std::size_t least_clusters = 2;
constexpr std::size_t most_clusters = 10;

/// The clusterings of all rows, by rising k; without those that the method refused, and fewer when
/// the callback ended one of them.
struct Candidates {
  std::vector<std::size_t> counts = {};
  std::vector<Clustering> found = {};
  std::vector<std::string> warnings = {};
};

Candidates run_candidates(const ClusterLearner& method,
                          const Dataset& rows,
                          const OptionTexts& own,
                          const Context& context) {
  Candidates candidates;
  std::optional<InvalidArgument> first_refusal;
  for (const std::size_t k : cluster_counts_to_try(rows, least_clusters, most_clusters)) {
    try {
      candidates.found.push_back(method.run(rows, with_cluster_count(own, k), context));
    } catch (const InvalidArgument& refusal) {
      if (!first_refusal) first_refusal = refusal;
      candidates.warnings.push_back("k = " + std::to_string(k) + " is left out: " + refusal.what());
      continue;
    }
    candidates.counts.push_back(k);
    if (was_stopped(candidates.found.back().report.status)) break;
  }
  if (candidates.counts.empty()) {
    if (first_refusal) throw *first_refusal;
    throw InvalidArgument("-k auto: there must be at least two different points");
  }
  return candidates;
}

ReportValue value_or_nothing(std::optional<double> value) {
  return value ? ReportValue(*value) : ReportValue(std::monostate{});
}

std::optional<double> measure_of(const Clustering& found, std::string_view name) {
  for (const auto& [listed, value] : found.metrics) {
    if (listed == name) return value;
  }
  return std::nullopt;
}

/// What the method itself says of candidate c: the information criterion of a mixture, or the gap
/// after the k-th eigenvalue of a graph, which the next candidate knows.
void add_own_measures(const Candidates& candidates, std::size_t c, ReportFields& row) {
  const Clustering& found = candidates.found[c];
  if (const std::optional<double> bic = measure_of(found, "bic")) row.emplace_back("bic", *bic);
  if (const std::optional<double> value = measure_of(found, "last_eigenvalue")) {
    std::optional<double> gap;
    if (c + 1 < candidates.found.size()) {
      const std::optional<double> next = measure_of(candidates.found[c + 1], "last_eigenvalue");
      if (next && candidates.counts[c + 1] == candidates.counts[c] + 1) gap = *next - *value;
    }
    row.emplace_back("eigengap", value_or_nothing(gap));
  }
}

std::vector<ReportFields> table_of(const ClusterChoice& choice, const Candidates& candidates) {
  std::vector<ReportFields> table;
  for (std::size_t c = 0; c < choice.scores.size(); ++c) {
    const ClusterCountScore& score = choice.scores[c];
    ReportFields row = {{"k", static_cast<std::int64_t>(score.k)},
                        {"stability", score.stability},
                        {"stability_error", score.stability_error},
                        {"median_stability", score.median_stability},
                        {"silhouette", score.silhouette},
                        {"gap", score.gap},
                        {"gap_error", score.gap_error}};
    add_own_measures(candidates, c, row);
    row.emplace_back("chosen", score.k == choice.k);
    table.push_back(std::move(row));
  }
  return table;
}

}  // namespace

ChosenClusters choose_and_run(const ClusterLearner& method,
                              const Dataset& rows,
                              const OptionTexts& own,
                              const Context& context) {
  PhaseTimer timer;
  timer.enter("candidates");
  Candidates candidates = run_candidates(method, rows, own, context);
  timer.enter("choosing k");
  std::vector<ClusterCandidate> clusterings;
  for (std::size_t c = 0; c < candidates.counts.size(); ++c) {
    clusterings.push_back({candidates.counts[c], candidates.found[c].labels});
  }
  const std::optional<Kernel> kernel = candidates.found.front().kernel;
  const Context shared = shared_by_threads(context);
  const ClusterChoice choice = choose_clusters(rows,
                                               clusterings,
                                               cluster_function(method, own, kernel, shared),
                                               {.kernel = kernel, .context = shared});

  ChosenClusters chosen{.own = with_cluster_count(own, choice.k),
                        .table = table_of(choice, candidates)};
  const auto place = std::ranges::find(candidates.counts, choice.k) - candidates.counts.begin();
  chosen.found = std::move(candidates.found[static_cast<std::size_t>(place)]);
  SolveReport& report = chosen.found.report;
  report.status = worse(report.status, choice.status);
  for (const std::vector<std::string>& warnings : {candidates.warnings, choice.warnings}) {
    report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
  }
  for (auto& phase : timer.finish()) report.seconds.push_back(std::move(phase));
  if (choice.gap_k) {
    chosen.found.metrics.emplace_back("gap_k", static_cast<double>(*choice.gap_k));
  }
  return chosen;
}

}  // namespace maxmargin::learning
