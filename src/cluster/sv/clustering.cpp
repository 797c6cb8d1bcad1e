// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/sv-clustering.md
#include "maxmargin/cluster/sv/clustering.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "cluster/sv/run.hpp"
#include "cluster/sv/sphere.hpp"
#include "core/parallel.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "model/kernel/proof.hpp"
#include "solver/cluster_numbers.hpp"

namespace maxmargin {

void SvClusteringOptions::describe(OptionVisitor& visit) {
  kernel.describe(visit, allow_indefinite);
  visit.rule(!std::holds_alternative<Precomputed>(kernel.kernel()),
             "--kernel precomputed: support vector clustering looks at the kernel between the "
             "points; a precomputed matrix does not know it");
  visit.rule(!is_for_strings(kernel.kernel()),
             "--kernel spectrum: support vector clustering looks at the kernel between the points; "
             "there is nothing between strings");
  visit.number({.name = "nu",
                .help = "share of the weight that may lie outside the sphere; more are outliers",
                .value = "SHARE"},
               nu,
               rules::share_below_one);
  visit.name({.name = "graph", .help = "pairs of points to look at; delaunay needs two features"},
             graph);
  visit.whole({.name = "neighbours", .help = "nearest neighbours of each point in the graph"},
              neighbours,
              {.least = 1, .most = most_sv_neighbours});
  visit.whole({.name = "samples", .help = "places looked at between two points; more see more"},
              samples,
              {.least = 1, .most = most_sv_samples});
  visit.number({.name = "tolerance",
                .help = "relative duality gap at which the sphere is solved",
                .value = "GAP"},
               tolerance,
               rules::share_inside);
  visit.whole({.name = "max-iterations",
               .help = "upper limit on the steps of the sphere's solver",
               .fallback = "10 minutes of work"},
              max_iterations,
              {.least = 1});
  visit.threads(context.threads);
}

namespace sv_clustering {

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
  if (lacks_proof(options.kernel.kernel())) take_back_proof(result.report);
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
  validate(options);
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
  Watch watch(options.context.on_progress, result.report.status);
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
  const Contour contour(result.model, thread_count(options.context.threads));
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

}  // namespace sv_clustering

SvClustering cluster_sv(const Dataset& data, const SvClusteringOptions& options) {
  sv_clustering::require_fit(data, options);
  // The pairs of points that a width is taken from are drawn with seed 0 in every run.
  const SvClusteringOptions resolved =
      with_kernel_for(options, data.examples, {.context = options.context.with_seed(0)});
  sv_clustering::GraphCache graphs;
  return sv_clustering::with_members(
      data,
      sv_clustering::run_without_members(
          data, resolved, sv_clustering::WhenStopped::answer, graphs));
}

}  // namespace maxmargin
