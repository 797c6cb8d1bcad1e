// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/sv-clustering.md, "The sweep"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "cluster/sv/run.hpp"
#include "maxmargin/cluster/sv/clustering.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

SvSweepStep step_of(double gamma, const SvClustering& clustering) {
  return {.gamma = gamma,
          .squared_radius = clustering.model.squared_radius,
          .objective = clustering.report.primal_objective.value_or(0),
          .clusters = clustering.sizes.size(),
          .support_vectors = clustering.support_vectors,
          .bounded = clustering.bounded,
          .outliers = clustering.outliers,
          .status = clustering.report.status};
}

/// A sphere that failed has nothing to choose.
bool is_answer(const SvSweepStep& step) { return step.status != Status::numerical_failure; }

/// The step with fewest support vectors in [begin, end), the earliest of equals; of those that have
/// an answer, if any has.
std::size_t fewest_vectors(std::span<const SvSweepStep> steps, std::size_t begin, std::size_t end) {
  std::size_t best = begin;
  for (std::size_t s = begin + 1; s < end; ++s) {
    const bool is_better = is_answer(steps[s]) == is_answer(steps[best])
                               ? steps[s].support_vectors < steps[best].support_vectors
                               : is_answer(steps[s]);
    if (is_better) best = s;
  }
  return best;
}

}  // namespace

std::vector<double> sweep_gammas(const Examples& examples,
                                 std::size_t count,
                                 const GammaOptions& options) {
  require_field(count >= 1, "count of widths", static_cast<double>(count), ">= 1");
  // Copies are at distance 0 of each other and would hide how far apart places are.
  std::vector<std::size_t> rows(examples.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const Examples places = examples.select(sv_clustering::distinct_rows(examples, rows).first);
  const double one = resolve_gamma(GammaRule::quantile(1), places, options);
  const double other = resolve_gamma(GammaRule::neighbour(), places, options);
  const double coarse = std::min(one, other);
  const double fine = std::max(one, other);
  if (coarse == fine || count == 1) return {coarse};
  std::vector<double> gammas(count);
  for (std::size_t s = 0; s < count; ++s) {
    const double share = static_cast<double>(s) / static_cast<double>(count - 1);
    gammas[s] = coarse * std::pow(fine / coarse, share);
  }
  gammas.back() = fine;
  return gammas;
}

std::size_t choose_sweep_step(std::span<const SvSweepStep> steps, std::size_t rows) {
  require(!steps.empty(), "there must be a step");
  const auto follows_points = [&](const SvSweepStep& step) {
    return 2 * step.support_vectors > rows;
  };
  const bool all_follow = std::ranges::all_of(
      steps, [&](const SvSweepStep& step) { return follows_points(step) || !is_answer(step); });
  const auto counts = [&](const SvSweepStep& step) {
    return is_answer(step) && step.clusters > 1 && (all_follow || !follows_points(step));
  };
  std::size_t best_begin = 0;
  std::size_t best_length = 0;
  for (std::size_t begin = 0; begin < steps.size();) {
    std::size_t end = begin + 1;
    while (end < steps.size() && counts(steps[end]) &&
           steps[end].clusters == steps[begin].clusters) {
      ++end;
    }
    if (counts(steps[begin]) && end - begin > best_length) {
      best_begin = begin;
      best_length = end - begin;
    }
    begin = end;
  }
  if (best_length == 0) return fewest_vectors(steps, 0, steps.size());
  return fewest_vectors(steps, best_begin, best_begin + best_length);
}

SvSweep sweep_sv_clustering(const Dataset& data,
                            std::span<const double> gammas,
                            const SvClusteringOptions& options) {
  require(!gammas.empty(), "there must be at least one width");
  sv_clustering::require_fit(data, options);
  SvClusteringOptions at_width = options;
  for (const double gamma : gammas) {
    at_width.kernel = with_gamma(options.kernel.kernel(), gamma);
    validate(at_width);
  }
  sv_clustering::GraphCache graphs;
  SvSweep sweep;
  std::vector<sv_clustering::Run> runs;
  std::optional<Status> stopped;
  for (const double gamma : gammas) {
    at_width.kernel = with_gamma(options.kernel.kernel(), gamma);
    // A step that was stopped is no better than its parts: it counts only when there is no other.
    const bool has_answer = std::ranges::any_of(sweep.steps, is_answer);
    const auto when_stopped =
        has_answer ? sv_clustering::WhenStopped::give_up : sv_clustering::WhenStopped::answer;
    sv_clustering::Run run =
        sv_clustering::run_without_members(data, at_width, when_stopped, graphs);
    const Status status = run.clustering.report.status;
    if (was_stopped(status)) stopped = status;
    if (stopped && has_answer) break;
    sweep.steps.push_back(step_of(gamma, run.clustering));
    runs.push_back(std::move(run));
    if (stopped) break;
  }
  sweep.chosen = choose_sweep_step(sweep.steps, data.size());
  sweep.clustering = sv_clustering::with_members(data, std::move(runs[sweep.chosen]));
  if (stopped) {
    SolveReport& report = sweep.clustering.report;
    report.status = *stopped;
    if (!report.message.empty()) report.message += "; ";
    report.message += "the sweep was stopped after " + std::to_string(sweep.steps.size()) + " of " +
                      std::to_string(gammas.size()) + " widths";
  }
  return sweep;
}

}  // namespace maxmargin
