// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/data/taxonomy.hpp"
#include "maxmargin/linalg/row.hpp"
#include "maxmargin/structured/task.hpp"

/// Classes in a tree: docs/algorithms/hierarchy.md.
namespace maxmargin {

struct HierarchyOptions {
  /// A constant feature of this value for every node; finite, 0: none.
  double bias = 1;
  /// Every node is a class, not the leaves alone.
  bool inner_nodes = false;
};

/// Weights for every node, a class using those on its path from the top; the loss is half the
/// number of edges between two classes. The taxonomy must outlive the task.
class HierarchyTask {
 public:
  using Input = Row;
  /// A node that is a class.
  using Output = std::uint32_t;

  /// For inputs of `features` columns. Throws InvalidArgument for wrong options and an empty tree.
  HierarchyTask(const Taxonomy& tree, std::size_t features, const HierarchyOptions& options = {})
      : tree_(tree), features_(features), options_(options) {
    require_field(std::isfinite(options.bias), "bias", options.bias, "finite");
    require(tree.size() > 0, "the taxonomy has no nodes");
    block_ = features + (options.bias != 0 ? 1 : 0);
    dimension_ = checked_multiply(tree.size(), block_);
  }

  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  [[nodiscard]] const Taxonomy& tree() const { return tree_; }
  [[nodiscard]] bool is_class(std::uint32_t node) const {
    return node < tree_.size() && (options_.inner_nodes || tree_.is_leaf(node));
  }

  void joint_features(const Row& x, std::uint32_t y, FeatureVector& psi) const {
    check(y);
    for (std::uint32_t node = y; node != Taxonomy::no_parent; node = tree_.parent(node)) {
      const std::size_t begin = node * block_;
      x.for_each([&](std::size_t column, double value) {
        if (column < features_ && value != 0) psi.add(begin + column, value);
      });
      if (options_.bias != 0) psi.add(begin + features_, options_.bias);
    }
  }

  [[nodiscard]] double loss(std::uint32_t truth, std::uint32_t other) const {
    check(truth);
    check(other);
    return 0.5 * static_cast<double>(tree_.edges_between(truth, other));
  }

  [[nodiscard]] std::uint32_t predict(const Row& x, std::span<const double> w) const {
    const std::vector<double> scores = node_scores(x, w);
    return best_class([&](std::uint32_t node) { return scores[node]; });
  }

  [[nodiscard]] std::uint32_t loss_augmented_argmax(const Row& x,
                                                    std::uint32_t truth,
                                                    std::span<const double> w) const {
    const std::vector<double> scores = node_scores(x, w);
    const std::vector<double> losses = losses_from(truth);
    return best_class([&](std::uint32_t node) { return losses[node] + scores[node]; });
  }

  [[nodiscard]] std::uint32_t loss_scaled_argmax(const Row& x,
                                                 std::uint32_t truth,
                                                 std::span<const double> w) const {
    const std::vector<double> scores = node_scores(x, w);
    const std::vector<double> losses = losses_from(truth);
    return best_class(
        [&](std::uint32_t node) { return losses[node] * (1 + scores[node] - scores[truth]); });
  }

  void for_each_output(const Row& /*x*/,
                       const std::function<void(const std::uint32_t&)>& visit) const {
    for (std::uint32_t node = 0; node < tree_.size(); ++node) {
      if (is_class(node)) visit(node);
    }
  }

  /// w.Phi(x, node) for every node, one after its parent.
  [[nodiscard]] std::vector<double> node_scores(const Row& x, std::span<const double> w) const {
    std::vector<double> scores(tree_.size());
    for (std::uint32_t node = 0; node < tree_.size(); ++node) {
      const std::span<const double> own = w.subspan(node * block_, block_);
      scores[node] = x.dot(own.first(features_));
      if (options_.bias != 0) scores[node] += options_.bias * own.back();
      const std::uint32_t parent = tree_.parent(node);
      if (parent != Taxonomy::no_parent) scores[node] += scores[parent];
    }
    return scores;
  }

 private:
  void check(std::uint32_t node) const {
    require(is_class(node), "an output must be a node that is a class");
  }

  /// Delta(truth, node) for every node.
  [[nodiscard]] std::vector<double> losses_from(std::uint32_t truth) const {
    check(truth);
    std::vector<bool> on_path(tree_.size(), false);
    for (std::uint32_t node = truth; node != Taxonomy::no_parent; node = tree_.parent(node)) {
      on_path[node] = true;
    }
    // Where the path to a node leaves that to the truth.
    std::vector<std::uint32_t> common(tree_.size(), 0);
    std::vector<double> losses(tree_.size());
    for (std::uint32_t node = 0; node < tree_.size(); ++node) {
      const std::uint32_t parent = tree_.parent(node);
      if (on_path[node]) {
        common[node] = tree_.depth(node);
      } else if (parent != Taxonomy::no_parent) {
        common[node] = common[parent];
      }
      losses[node] =
          0.5 * static_cast<double>(tree_.depth(truth) + tree_.depth(node) - 2 * common[node]);
    }
    return losses;
  }

  /// The class of largest value; the lowest number among equals.
  template <class Value>
  [[nodiscard]] std::uint32_t best_class(const Value& value) const {
    std::uint32_t best = Taxonomy::no_parent;
    double best_value = -std::numeric_limits<double>::infinity();
    for (std::uint32_t node = 0; node < tree_.size(); ++node) {
      if (!is_class(node)) continue;
      const double here = value(node);
      if (best != Taxonomy::no_parent && !(here > best_value)) continue;
      best = node;
      best_value = here;
    }
    return best;
  }

  const Taxonomy& tree_;
  std::size_t features_;
  HierarchyOptions options_;
  std::size_t block_ = 0;
  std::size_t dimension_ = 0;
};

static_assert(MarginRescalingTask<HierarchyTask> && SlackRescalingTask<HierarchyTask> &&
              EnumerableTask<HierarchyTask>);

}  // namespace maxmargin
