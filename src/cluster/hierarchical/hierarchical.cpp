// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/hierarchical/hierarchical.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "cluster/checked_bound.hpp"
#include "cluster/hierarchical/dendrogram.hpp"
#include "cluster/kmedoids/stoppable_distances.hpp"
#include "core/cluster_count.hpp"
#include "core/settle.hpp"
#include "core/stoppable.hpp"
#include "core/weights.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/linalg/point_rows.hpp"
#include "solver/cluster_numbers.hpp"
#include "solver/kmeans/bound.hpp"

namespace maxmargin {

namespace {

using hierarchical::AskMerges;
using hierarchical::FoundLinks;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> checked_weights(std::size_t n, std::span<const double> weights) {
  require(weights.empty() || weights.size() == n,
          "hierarchical clustering: there must be one weight a point");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    require_field(weights[i] > 0 && std::isfinite(weights[i]),
                  "hierarchical clustering: weights[" + std::to_string(i) + "]",
                  weights[i],
                  "finite and > 0");
  }
  return weights.empty() ? std::vector<double>(n, 1.0)
                         : std::vector<double>(weights.begin(), weights.end());
}

void require_distances(DenseView distances) {
  require(distances.rows > 0, "hierarchical clustering: there must be at least one point");
  require(distances.rows == distances.cols,
          "hierarchical clustering: the distances are " + std::to_string(distances.rows) + " x " +
              std::to_string(distances.cols) + ", must be square");
  for (std::size_t i = 0; i < distances.rows; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double value = distances(i, j);
      const bool fits =
          value >= 0 && std::isfinite(value) && value == distances(j, i) && (i != j || value == 0);
      if (fits) continue;
      require_field(false,
                    "distance (" + std::to_string(i) + ", " + std::to_string(j) + ")",
                    value,
                    "finite, >= 0, the same both ways and 0 on the diagonal");
    }
  }
}

/// No update of a distance may overflow: Ward's multiply squares by two weights, the others by one.
void require_moderate(double largest_distance, Linkage linkage, std::span<const double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double product = linkage == Linkage::ward
                             ? 4 * total * total * largest_distance * largest_distance
                             : 2 * total * largest_distance;
  require_field(std::isfinite(product),
                "hierarchical clustering: the largest distance",
                largest_distance,
                "so small that its products with the weights do not overflow");
}

/// At least the largest distance, from the norms of the rows; infinite when their squares overflow.
double largest_distance(const Examples& examples, Distance distance) {
  if (distance == Distance::cosine) return 2;
  double largest = 0;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    double norm = 0;
    if (distance == Distance::manhattan) {
      examples.row(i).for_each([&](std::size_t, double x) { norm += std::abs(x); });
    } else {
      norm = std::sqrt(4 * examples.row(i).squared_norm());
    }
    largest = std::max(largest, norm);
  }
  return distance == Distance::manhattan ? 2 * largest : largest;
}

DenseMatrix copy_of(DenseView matrix) {
  require_memory_for_numbers(matrix.rows, matrix.cols, "hierarchical clustering: the distances");
  DenseMatrix copy = DenseMatrix::uninitialized(matrix.rows, matrix.cols);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    std::ranges::copy(matrix.row(i), copy.row(i).begin());
  }
  return copy;
}

FoundLinks links_of_distances(DenseView distances,
                              Linkage linkage,
                              std::vector<double> weights,
                              const AskMerges& ask) {
  double largest = 0;
  for (std::size_t i = 0; i < distances.rows; ++i) {
    largest = std::max(largest, std::ranges::max(distances.row(i)));
  }
  require_moderate(largest, linkage, weights);
  if (linkage != Linkage::single) {
    return hierarchical::neighbour_chain(copy_of(distances), linkage, std::move(weights), ask);
  }
  const auto row = [&](std::size_t i, std::span<double> out) {
    std::ranges::copy(distances.row(i), out.begin());
  };
  return hierarchical::spanning_tree(distances.rows, row, ask);
}

/// The points less their mean, dense: a large common offset then costs the means no digits.
DenseMatrix centred_points(const Dataset& data, std::size_t threads) {
  require_memory_for_numbers(
      data.size(), checked_multiply(2, data.features()), "hierarchical clustering: the points");
  const PointRows rows = data.examples.points();
  DenseMatrix points = DenseMatrix::uninitialized(data.size(), data.features());
  rows.copy_shifted(0, data.size(), column_means(rows, data.weights, threads).value, points.view());
  return points;
}

FoundLinks links_of_examples(const Dataset& data,
                             const HierarchicalOptions& options,
                             std::vector<double> weights,
                             const AskMerges& ask) {
  const std::size_t n = data.size();
  const std::size_t threads = thread_count(options.context.threads);
  // The distances are the larger part of the work.
  if (const Continue answer = ask(0); answer != Continue::yes) return {{}, answer};
  if (options.linkage == Linkage::ward && data.features() <= n) {
    return hierarchical::ward_chain(centred_points(data, threads), std::move(weights), ask);
  }
  if (options.linkage != Linkage::single) {
    require_memory_for_numbers(n, n, "hierarchical clustering: the distances");
    try {
      return hierarchical::neighbour_chain(
          stoppable_distances(data.examples, options.distance, options.context),
          options.linkage,
          std::move(weights),
          ask);
    } catch (const Stopped& stopped) {
      return {{}, stopped.answer()};
    }
  }
  constexpr std::size_t large = 1 << 20;  // entries; less is over before a second thread has begun
  const std::size_t across = data.examples.entries() >= large ? threads : 1;
  const auto row = [&](std::size_t i, std::span<double> out) {
    parallel_chunks(across, n, 4096, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t j = begin; j < end; ++j) {
        // Always from the lower to the higher, so that both ways give the same bits.
        out[j] = distance_between(
            options.distance, data.examples.row(std::min(i, j)), data.examples.row(std::max(i, j)));
      }
    });
  };
  return hierarchical::spanning_tree(n, row, ask);
}

AskMerges question(const HierarchicalOptions& options, std::size_t n) {
  return [&options, n](std::size_t merges) {
    return options.context.ask({.phase = "merge", .iteration = merges, .max_iterations = n - 1});
  };
}

/// hierarchical.md step 4: cuts the tree and says what the cut costs.
HierarchicalClustering cut(FoundLinks found,
                           std::size_t n,
                           const HierarchicalOptions& options,
                           const std::function<double(std::size_t, std::size_t)>& between) {
  HierarchicalClustering result;
  const bool is_complete = found.answer == Continue::yes;
  result.tree = is_complete
                    ? hierarchical::tree_of(n, std::move(found.links))
                    : hierarchical::tree_of_some(n, std::move(found.links), options.k, between);
  const std::vector<Merge>& merges = result.tree.merges;
  const std::size_t distinct = result.tree.clusters_at(0.0);
  require_cluster_count(options.k <= distinct,
                        options.k,
                        "at most the number of distinct points, " + std::to_string(distinct));
  ClusterNumbers numbers = number_by_size(result.tree.labels(options.k), options.k);
  result.labels = std::move(numbers.labels);
  result.sizes = std::move(numbers.sizes);
  const std::size_t made = n - options.k;
  result.cut_height = made > 0 ? merges[made - 1].height : 0;
  result.next_height = made < merges.size() ? merges[made].height : infinity;
  result.report.iterations = made;
  if (!is_complete) {
    result.report.status = status_of(found.answer);
    result.report.message =
        "stopped before the tree was complete: what was left is joined by distances of first "
        "points";
    return result;
  }
  double half_squares = 0;
  for (std::size_t t = 0; t < made; ++t) half_squares += merges[t].height * merges[t].height / 2;
  result.report.primal_objective =
      options.linkage == Linkage::ward ? half_squares : result.cut_height;
  return result;
}

/// The weighted means of the clusters, as points.
DenseMatrix cluster_means(const Dataset& data,
                          std::span<const std::int32_t> labels,
                          std::size_t k) {
  require_memory_for_numbers(k, data.features(), "the means of the clusters");
  DenseMatrix means(k, data.features());
  std::vector<double> mass(k, 0.0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    mass[static_cast<std::size_t>(labels[i])] += weight_of(data.weights, i);
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto c = static_cast<std::size_t>(labels[i]);
    data.examples.row(i).axpy_into(weight_of(data.weights, i) / mass[c], means.row(c));
  }
  return means;
}

/// Weighted sum of squares around the means of the clusters.
double squares_around(const Dataset& data, std::span<const std::int32_t> labels, DenseView means) {
  double sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Row mean(means.row(static_cast<std::size_t>(labels[i])));
    sum += weight_of(data.weights, i) * data.examples.row(i).squared_distance(mean);
  }
  return sum;
}

HierarchicalModel model_of(const Dataset& data,
                           std::span<const std::int32_t> labels,
                           const HierarchicalOptions& options) {
  HierarchicalModel model{.linkage = options.linkage, .distance = options.distance};
  if (options.linkage == Linkage::ward) {
    model.points = cluster_means(data, labels, options.k);
    for (std::size_t c = 0; c < options.k; ++c) {
      model.clusters.push_back(static_cast<std::int32_t>(c));
    }
  } else {
    model.points = data.examples.owned();
    model.clusters.assign(labels.begin(), labels.end());
    model.weights = data.weights;
  }
  return model;
}

/// Ward's sum of squares is one of k-means: what bounds those bounds it.
void add_lower_bound(const Dataset& data,
                     const HierarchicalOptions& options,
                     HierarchicalClustering& result) {
  const double bound =
      data.examples.is_dense()
          ? kmeans_lower_bound(
                data.examples.dense(), options.k, data.weights, options.context.threads)
          : kmeans_lower_bound(
                data.examples.sparse(), options.k, data.weights, options.context.threads);
  // The heights carry the rounding of up to n updates of all squares.
  double all = 0;
  for (const Merge& merge : result.tree.merges) all += merge.height * merge.height / 2;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const auto terms = static_cast<double>(data.size() + data.features());
  result.report.lower_bound =
      checked_bound(bound, *result.report.primal_objective, 16 * terms * epsilon * all);
}

}  // namespace

void HierarchicalOptions::describe(OptionVisitor& visit) {
  describe_cluster_count(visit, k);
  visit.name({.name = "linkage", .help = "how far two clusters are apart"}, linkage);
  describe_distance(visit, distance);
}

Dendrogram build_dendrogram(DenseView distances, Linkage linkage, std::span<const double> weights) {
  require_distances(distances);
  const auto go_on = [](std::size_t) { return Continue::yes; };
  return hierarchical::tree_of(
      distances.rows,
      links_of_distances(distances, linkage, checked_weights(distances.rows, weights), go_on)
          .links);
}

HierarchicalClustering cluster_hierarchical(const Dataset& data,
                                            const HierarchicalOptions& options) {
  PhaseTimer timer;
  timer.enter("merge");
  validate(options);
  require(options.linkage != Linkage::ward || options.distance == Distance::euclidean,
          "--distance " + std::string(to_string(options.distance)) +
              ": Ward's linkage is for euclidean distances; take --linkage average, complete or "
              "single");
  require(data.size() > 0, "hierarchical clustering: there must be at least one point");
  require_finite(
      "hierarchical clustering", data.examples.points(), thread_count(options.context.threads));
  std::vector<double> weights = checked_weights(data.size(), data.weights);
  require_moderate(largest_distance(data.examples, options.distance), options.linkage, weights);
  const AskMerges ask_merges = question(options, data.size());
  const auto between = [&](std::size_t i, std::size_t j) {
    return distance_between(options.distance, data.examples.row(i), data.examples.row(j));
  };
  HierarchicalClustering result =
      cut(links_of_examples(data, options, std::move(weights), ask_merges),
          data.size(),
          options,
          between);
  result.model = model_of(data, result.labels, options);
  if (options.linkage == Linkage::ward) {
    if (result.report.status != Status::solved) {
      result.report.primal_objective =
          squares_around(data, result.labels, result.model.points.dense());
    } else if (std::min(data.size(), data.features()) <= options.lower_bound_limit &&
               ask_merges(data.size() - 1) == Continue::yes) {
      timer.enter("lower bound");
      add_lower_bound(data, options, result);
    }
  }
  settle_end(result.report, Ending::procedure);
  result.report.seconds = timer.finish();
  return result;
}

HierarchicalClustering cluster_hierarchical(DenseView distances,
                                            const HierarchicalOptions& options,
                                            std::span<const double> weights) {
  PhaseTimer timer;
  timer.enter("merge");
  validate(options);
  require_distances(distances);
  HierarchicalClustering result =
      cut(links_of_distances(distances,
                             options.linkage,
                             checked_weights(distances.rows, weights),
                             question(options, distances.rows)),
          distances.rows,
          options,
          [&](std::size_t i, std::size_t j) { return distances(i, j); });
  result.report.seconds = timer.finish();
  return result;
}

}  // namespace maxmargin
