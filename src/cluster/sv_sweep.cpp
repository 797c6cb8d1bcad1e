// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/sv-clustering.md, "The sweep"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "cluster/sv_run.hpp"
#include "maxmargin/cluster/sv_clustering.hpp"
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

/// The step with fewest support vectors in [begin, end), the earliest of equals.
std::size_t fewest_vectors(std::span<const SvSweepStep> steps, std::size_t begin, std::size_t end) {
  std::size_t best = begin;
  for (std::size_t s = begin; s < end; ++s) {
    if (steps[s].support_vectors < steps[best].support_vectors) best = s;
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
  const Examples places = examples.select(svc::distinct_rows(examples, rows).first);
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
  require(!steps.empty(), "choose_sweep_step: there must be a step");
  const bool all_close = std::ranges::all_of(
      steps, [&](const SvSweepStep& step) { return 2 * step.support_vectors > rows; });
  const auto counts = [&](const SvSweepStep& step) {
    return step.clusters > 1 && (all_close || 2 * step.support_vectors <= rows);
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
  require(!gammas.empty(), "sweep_sv_clustering: there must be at least one width");
  svc::require_fit(data, options);
  SvClusteringOptions at_width = options;
  for (const double gamma : gammas) {
    at_width.kernel = with_gamma(options.kernel, gamma);
    at_width.validate();
  }
  svc::GraphCache graphs;
  SvSweep sweep;
  std::vector<svc::Run> runs;
  std::optional<Status> stopped;
  for (const double gamma : gammas) {
    at_width.kernel = with_gamma(options.kernel, gamma);
    // A step that was stopped is no better than its parts: it counts only when there is no other.
    const auto when_stopped = runs.empty() ? svc::WhenStopped::answer : svc::WhenStopped::give_up;
    svc::Run run = svc::run_without_members(data, at_width, when_stopped, graphs);
    const Status status = run.clustering.report.status;
    if (svc::was_stopped(status)) stopped = status;
    if (stopped && !runs.empty()) break;
    sweep.steps.push_back(step_of(gamma, run.clustering));
    runs.push_back(std::move(run));
    if (stopped) break;
  }
  sweep.chosen = choose_sweep_step(sweep.steps, data.size());
  sweep.clustering = svc::with_members(data, std::move(runs[sweep.chosen]));
  if (stopped) sweep.clustering.report.status = *stopped;
  return sweep;
}

}  // namespace maxmargin
