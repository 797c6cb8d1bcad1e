// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/sv-clustering.md
#include "maxmargin/cluster/sv/clustering.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "cluster/sv/run.hpp"
#include "cluster/sv/sphere.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/model/kernel/svr.hpp"
#include "solver/cluster_numbers.hpp"

namespace maxmargin {

void svc::require_effort(const std::string& owner, std::size_t neighbours, std::size_t samples) {
  require_field(neighbours >= 1 && neighbours <= most_sv_neighbours,
                owner + ".neighbours",
                static_cast<double>(neighbours),
                "between 1 and " + std::to_string(most_sv_neighbours));
  require_field(samples >= 1 && samples <= most_sv_samples,
                owner + ".samples",
                static_cast<double>(samples),
                "between 1 and " + std::to_string(most_sv_samples));
}

void SvClusteringOptions::validate() const {
  require_field(nu >= 0 && nu < 1, "SvClusteringOptions.nu", nu, "in [0, 1)");
  svc::require_effort("SvClusteringOptions", neighbours, samples);
  require(!std::holds_alternative<Precomputed>(kernel),
          "support vector clustering looks at the kernel between the points; a precomputed matrix "
          "does not know it");
  KernelMachineOptions{.kernel = kernel,
                       .allow_indefinite = allow_indefinite,
                       .control = {.tolerance = tolerance,
                                   .max_iterations = max_iterations,
                                   .memory_limit = memory_limit,
                                   .threads = threads}}
      .validate();
}

namespace svc {

namespace {

/// Rows within the level.
std::vector<std::size_t> rows_inside(const Sphere& sphere) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < sphere.squared_distances.size(); ++i) {
    if (sphere.squared_distances[i] <= sphere.level) rows.push_back(i);
  }
  return rows;
}

/// Which of the distinct rows hold weight, themselves or in a repetition.
std::vector<char> distinct_on_sphere(const Sphere& sphere,
                                     const std::vector<std::size_t>& inside,
                                     const DistinctRows& distinct) {
  std::vector<char> on_sphere(distinct.first.size(), 0);
  for (std::size_t k = 0; k < inside.size(); ++k) {
    if (sphere.beta[inside[k]] > 0) on_sphere[distinct.place[k]] = 1;
  }
  return on_sphere;
}

/// sv-clustering.md step 5: the pieces of distinct rows become clusters of all rows.
void write_labels(const std::vector<std::size_t>& inside,
                  const DistinctRows& distinct,
                  const Labelling& labelling,
                  SvClustering& result) {
  std::vector<std::int32_t> pieces(inside.size());
  for (std::size_t k = 0; k < inside.size(); ++k) pieces[k] = labelling.piece[distinct.place[k]];
  if (pieces.empty()) return;
  const auto count = static_cast<std::size_t>(std::ranges::max(pieces)) + 1;
  ClusterNumbers numbers = number_by_size(pieces, count);
  for (std::size_t k = 0; k < inside.size(); ++k) result.labels[inside[k]] = numbers.labels[k];
  result.sizes = std::move(numbers.sizes);
  result.outliers = result.labels.size() - inside.size();
  result.segments = labelling.segments;
  result.segments_inside = labelling.segments_inside;
}

/// What the sphere says, all rows still outliers.
SvClustering without_labels(const Dataset& data,
                            const SvClusteringOptions& options,
                            Sphere& sphere) {
  SvClustering result;
  result.labels.assign(data.size(), -1);
  result.outliers = data.size();
  result.report = std::move(sphere.report);
  result.model.neighbours = options.neighbours;
  result.model.samples = options.samples;
  result.model.sphere = std::move(sphere.function);
  result.model.squared_radius = sphere.squared_radius;
  result.model.level = sphere.level;
  result.support_vectors = sphere.support_vectors;
  result.bounded = sphere.bounded;
  return result;
}

/// What is said of labels after a stop.
std::string stop_message(bool all_points_placed, std::size_t points) {
  if (all_points_placed) return "the labelling was stopped: clusters may be parts of larger ones";
  return "the run was stopped: the clusters are those of " +
         std::to_string(std::min(points, sample_points)) +
         " points and the others go with the nearest of them";
}

}  // namespace

void require_fit(const Dataset& data, const SvClusteringOptions& options) {
  options.validate();
  require(options.graph != ProximityGraph::delaunay || data.features() == 2,
          "the Delaunay graph needs points with 2 features, these have " +
              std::to_string(data.features()));
}

Run run_without_members(const Dataset& data,
                        const SvClusteringOptions& options,
                        WhenStopped when_stopped,
                        GraphCache& graphs) {
  PhaseTimer timer;
  timer.enter("sphere");
  Sphere sphere = solve_sphere(data, options);
  Run run{.clustering = without_labels(data, options, sphere)};
  SvClustering& result = run.clustering;
  // A limit of iterations ends the sphere and nothing else; a stop ends all.
  Watch watch(options.on_progress, result.report.status);
  const auto is_idle = [&] { return watch.stopped() && when_stopped == WhenStopped::give_up; };
  if (result.report.status == Status::numerical_failure || is_idle()) {
    result.report.seconds = timer.finish();
    return run;
  }

  timer.enter("graph");
  const std::vector<std::size_t> inside = rows_inside(sphere);
  const DistinctRows distinct = distinct_rows(data.examples, inside);
  const Examples points = data.examples.select(distinct.first);
  if (options.graph != ProximityGraph::support_vectors && !watch.stopped()) {
    static_cast<void>(graphs.edges(distinct.first, points, options, watch));
  }

  timer.enter("labelling");
  const Contour contour(result.model, thread_count(options.threads));
  std::optional<Labelling> labelling;
  if (!watch.stopped()) {
    const std::vector<char> on_sphere = distinct_on_sphere(sphere, inside, distinct);
    labelling = label_points(contour, points, distinct.first, on_sphere, options, graphs, watch);
  }
  if (watch.stopped()) result.report.status = watch.status();
  if (!is_idle()) {
    if (watch.stopped()) result.report.message = stop_message(labelling.has_value(), points.rows());
    if (!labelling) labelling = label_by_sample(contour, points, options);
    write_labels(inside, distinct, *labelling, result);
    run.members = distinct.first;
  }
  result.report.seconds = timer.finish();
  return run;
}

SvClustering with_members(const Dataset& data, Run run) {
  SvClusterModel& model = run.clustering.model;
  model.members = data.examples.select(run.members);
  for (const std::size_t row : run.members) {
    model.member_clusters.push_back(run.clustering.labels[row]);
  }
  return std::move(run.clustering);
}

}  // namespace svc

SvClustering cluster_sv(const Dataset& data, const SvClusteringOptions& options) {
  svc::require_fit(data, options);
  svc::GraphCache graphs;
  return svc::with_members(
      data, svc::run_without_members(data, options, svc::WhenStopped::answer, graphs));
}

}  // namespace maxmargin
