// SPDX-License-Identifier: Apache-2.0
#include "cluster_choice.hpp"

#include <algorithm>

#include "cluster_run.hpp"
#include "interrupt.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/eval/choose_clusters.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

constexpr std::size_t least_clusters = 2;
constexpr std::size_t most_clusters = 10;

/// The clusterings of all rows, by rising k; without those that the method refused, and fewer when
/// the callback ended one of them.
struct Candidates {
  std::vector<std::size_t> counts = {};
  std::vector<ClusterAnswer> answers = {};
  std::vector<std::string> warnings = {};
};

Candidates run_candidates(const ClusterMethod& method,
                          const Dataset& data,
                          const Arguments& arguments) {
  Candidates candidates;
  std::optional<InvalidArgument> first_refusal;
  const SolveScope scope;
  for (const std::size_t k : cluster_counts_to_try(data, least_clusters, most_clusters)) {
    Arguments own = arguments;
    own.given["clusters"] = std::to_string(k);
    try {
      candidates.answers.push_back(method.run(data, own, run_progress(arguments)));
    } catch (const InvalidArgument& refusal) {
      if (!first_refusal) first_refusal = refusal;
      candidates.warnings.push_back("k = " + std::to_string(k) +
                                    " is left out: " + in_words_of_the_tool(refusal.what()));
      continue;
    }
    candidates.counts.push_back(k);
    if (was_stopped(candidates.answers.back().report.status)) break;
  }
  if (candidates.counts.empty()) {
    if (first_refusal) throw *first_refusal;
    throw UsageError("-k auto: there must be at least two different points");
  }
  return candidates;
}

ReportValue value_or_nothing(std::optional<double> value) {
  return value ? ReportValue(*value) : ReportValue(std::monostate{});
}

std::optional<double> measure_of(const ClusterAnswer& answer, std::string_view name) {
  for (const auto& [listed, value] : answer.metrics) {
    if (listed == name) return value;
  }
  return std::nullopt;
}

/// What the method itself says of candidate c: the information criterion of a mixture, or the gap
/// after the k-th eigenvalue of a graph, which the next candidate knows.
void add_own_measures(const Candidates& candidates, std::size_t c, ReportFields& row) {
  const ClusterAnswer& answer = candidates.answers[c];
  if (const std::optional<double> bic = measure_of(answer, "bic")) row.emplace_back("bic", *bic);
  if (const std::optional<double> value = measure_of(answer, "last_eigenvalue")) {
    std::optional<double> gap;
    if (c + 1 < candidates.answers.size()) {
      const std::optional<double> next = measure_of(candidates.answers[c + 1], "last_eigenvalue");
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

ChosenClusters choose_and_run(const ClusterMethod& method,
                              const Dataset& data,
                              const Arguments& arguments) {
  if (has_precomputed_kernel(method, arguments)) {
    throw UsageError(
        "-k auto: the method is run on parts of the data, and a precomputed kernel has none; give "
        "a "
        "number");
  }
  PhaseTimer timer;
  timer.enter("candidates");
  Candidates candidates = run_candidates(method, data, arguments);
  timer.enter("choosing k");
  std::vector<ClusterCandidate> clusterings;
  for (std::size_t c = 0; c < candidates.counts.size(); ++c) {
    clusterings.push_back({candidates.counts[c], candidates.answers[c].labels});
  }
  const std::optional<Kernel> kernel = candidates.answers.front().kernel;
  const ClusterFunction cluster = cluster_function(method, arguments, kernel);
  ClusterChoice choice = [&] {
    const SolveScope scope;
    return choose_clusters(data,
                           clusterings,
                           cluster,
                           {.kernel = kernel,
                            .seed = arguments.whole("seed", 0).value_or(0),
                            .threads = threads_of(arguments),
                            .progress = run_progress(arguments)});
  }();
  end_progress_line();

  ChosenClusters chosen{.arguments = arguments, .table = table_of(choice, candidates)};
  const auto place = std::ranges::find(candidates.counts, choice.k) - candidates.counts.begin();
  chosen.answer = std::move(candidates.answers[static_cast<std::size_t>(place)]);
  chosen.arguments.given["clusters"] = std::to_string(choice.k);
  SolveReport& report = chosen.answer.report;
  report.status = worse(report.status, choice.status);
  for (const std::vector<std::string>& warnings : {candidates.warnings, choice.warnings}) {
    report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
  }
  for (auto& phase : timer.finish()) report.seconds.push_back(std::move(phase));
  if (choice.gap_k) {
    chosen.answer.metrics.emplace_back("gap_k", static_cast<double>(*choice.gap_k));
  }
  return chosen;
}

}  // namespace maxmargin::tool
