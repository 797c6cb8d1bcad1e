// SPDX-License-Identifier: Apache-2.0
#include "solver/kmeans/run.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "solver/kmeans/pass.hpp"

namespace maxmargin::kmeans {

namespace {

/// The farthest point from its centre that its cluster can spare, the lowest of equals.
std::optional<std::size_t> farthest_spare_point(const Points& points,
                                                const Assignment& assignment,
                                                std::span<const std::size_t> members) {
  std::optional<std::size_t> farthest;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto cluster = static_cast<std::size_t>(assignment.labels[i]);
    if (points.weight(i) <= 0 || members[cluster] < 2) continue;
    if (!farthest || assignment.squared_distances[i] > assignment.squared_distances[*farthest]) {
      farthest = i;
    }
  }
  return farthest;
}

/// Gives every empty cluster the farthest point another cluster can spare; returns how many.
std::size_t refill_empty_clusters(const Points& points,
                                  std::size_t threads,
                                  Assignment& assignment,
                                  ClusterSums& sums) {
  std::vector<std::size_t> members(sums.members().begin(), sums.members().end());
  std::size_t refilled = 0;
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (members[c] > 0) continue;
    const auto point = farthest_spare_point(points, assignment, members);
    if (!point) break;
    --members[static_cast<std::size_t>(assignment.labels[*point])];
    members[c] = 1;
    assignment.labels[*point] = static_cast<std::int32_t>(c);
    assignment.squared_distances[*point] = 0;
    ++refilled;
  }
  if (refilled > 0) sum_members(points, assignment.labels, threads, sums);
  return refilled;
}

/// Centres become the means of their members; a cluster without members keeps its centre.
void move_to_means(const ClusterSums& sums, DenseMatrix& centres) {
  for (std::size_t c = 0; c < centres.rows(); ++c) {
    if (sums.members()[c] == 0) continue;
    const double weight = sums.weights()[c];
    for (std::size_t j = 0; j < centres.cols(); ++j) centres(c, j) = sums.sums()(c, j) / weight;
  }
}

}  // namespace

Run run_lloyd(const Points& points,
              Run run,
              std::size_t max_iterations,
              double slow,
              std::size_t threads,
              const std::function<Continue(std::size_t, double)>& ask) {
  DenseMatrix& centres = run.centres;
  run.is_paused = false;
  Assignment assignment;
  ClusterSums sums(points, centres.rows());
  double before = std::numeric_limits<double>::infinity();
  while (run.iterations < max_iterations) {
    assign_and_sum(points, centres, threads, assignment, sums);
    ++run.iterations;
    if (assignment.changed == 0) {
      run.status = Status::solved;
      break;
    }
    run.refilled += refill_empty_clusters(points, threads, assignment, sums);
    move_to_means(sums, centres);
    const Continue answer = ask(run.iterations, assignment.objective);
    if (answer != Continue::yes) {
      run.status = status_of(answer);
      break;
    }
    if (before - assignment.objective < slow * assignment.objective &&
        run.iterations < max_iterations) {
      run.is_paused = true;
      run.inertia = plain_inertia(points, centres, assignment.labels, threads);
      return run;
    }
    before = assignment.objective;
  }
  // The last step moved the centres: the labels follow, so that they always name the nearest one.
  if (run.status != Status::solved) {
    assign_and_sum(points, centres, threads, assignment, sums);
    if (assignment.changed == 0) run.status = Status::solved;
  }
  run.inertia = plain_inertia(points, centres, assignment.labels, threads);
  run.labels = std::move(assignment.labels);
  return run;
}

}  // namespace maxmargin::kmeans
