// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string>

#include "core/parallel.hpp"
#include "core/weights.hpp"
#include "maxmargin/cluster/hierarchical/hierarchical.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/point_rows.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Linkage distance of one point to every cluster.
class ClusterDistances {
 public:
  explicit ClusterDistances(const HierarchicalModel& model)
      : model_(model),
        k_(static_cast<std::size_t>(*std::ranges::max_element(model.clusters)) + 1),
        mass_(k_, 0.0) {
    for (std::size_t i = 0; i < model.clusters.size(); ++i) {
      mass_[static_cast<std::size_t>(model.clusters[i])] += weight_of(model.weights, i);
    }
  }
  [[nodiscard]] std::int32_t nearest(const Row& x, std::vector<double>& distances) const {
    const bool is_least = model_.linkage == Linkage::single || model_.linkage == Linkage::ward;
    distances.assign(k_, is_least ? infinity : 0.0);
    for (std::size_t i = 0; i < model_.clusters.size(); ++i) {
      const double distance = distance_between(model_.distance, x, model_.points.row(i));
      double& of_cluster = distances[static_cast<std::size_t>(model_.clusters[i])];
      if (is_least) {
        of_cluster = std::min(of_cluster, distance);
      } else if (model_.linkage == Linkage::complete) {
        of_cluster = std::max(of_cluster, distance);
      } else {
        of_cluster += weight_of(model_.weights, i) * distance;
      }
    }
    if (model_.linkage == Linkage::average) {
      for (std::size_t c = 0; c < k_; ++c) distances[c] /= mass_[c];
    }
    return static_cast<std::int32_t>(std::ranges::min_element(distances) - distances.begin());
  }

 private:
  const HierarchicalModel& model_;
  std::size_t k_;
  std::vector<double> mass_;
};

}  // namespace

std::vector<std::int32_t> HierarchicalModel::predict(const Examples& examples,
                                                     std::optional<std::size_t> threads) const {
  require(points.rows() > 0 && clusters.size() == points.rows() &&
              (weights.empty() || weights.size() == points.rows()),
          "there must be at least one point, and a cluster for each");
  require(!examples.is_dense() || !points.is_dense() || examples.cols() == points.cols(),
          "the examples have " + std::to_string(examples.cols()) + " features, the model " +
              std::to_string(points.cols()));
  require_finite("the data", examples.points(), thread_count(threads));
  const ClusterDistances cluster_distances(*this);
  std::vector<std::int32_t> labels(examples.rows());
  parallel_chunks(thread_count(threads),
                  examples.rows(),
                  64,
                  [&](std::size_t, std::size_t begin, std::size_t end) {
                    std::vector<double> distances;
                    for (std::size_t i = begin; i < end; ++i) {
                      labels[i] = cluster_distances.nearest(examples.row(i), distances);
                    }
                  });
  return labels;
}

}  // namespace maxmargin
