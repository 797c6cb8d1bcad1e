// SPDX-License-Identifier: Apache-2.0
#include "cluster/relabeler/tree.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "maxmargin/metric/cluster/geometry.hpp"
#include "solver/cluster_numbers.hpp"

namespace maxmargin::relabel {

namespace {

/// Below this share of the points' squared lengths a sum of squares is rounding: all points are
/// one.
constexpr double no_spread = 1e-12;

DenseMatrix part_of(DenseView gram, std::span<const std::size_t> members) {
  DenseMatrix part = DenseMatrix::uninitialized(members.size(), members.size());
  for (std::size_t a = 0; a < members.size(); ++a) {
    for (std::size_t b = 0; b < members.size(); ++b) part(a, b) = gram(members[a], members[b]);
  }
  return part;
}

}  // namespace

Tree::Tree(DenseView gram,
           const RelabelerOptions& options,
           const ChanceLaw* chance,
           Monitor& monitor)
    : gram_(gram), options_(options), chance_(chance), monitor_(monitor) {
  std::vector<std::size_t> all(gram.rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  leaves_.push_back(leaf_of(std::move(all)));
  leaves_.front().can_split = true;
}

Tree::Leaf Tree::leaf_of(std::vector<std::size_t> members) const {
  Leaf leaf{.members = std::move(members)};
  double trace = 0;
  double sum = 0;
  for (const std::size_t i : leaf.members) {
    trace += gram_(i, i);
    for (const std::size_t j : leaf.members) sum += gram_(i, j);
  }
  leaf.kernel_sse = trace - sum / static_cast<double>(leaf.members.size());
  leaf.can_split = leaf.members.size() >= 2 * options_.min_cluster &&
                   std::abs(leaf.kernel_sse) > no_spread * std::abs(trace);
  return leaf;
}

std::optional<std::size_t> Tree::next_leaf() const {
  std::optional<std::size_t> largest;
  for (std::size_t l = 0; l < leaves_.size(); ++l) {
    if (!leaves_[l].can_split) continue;
    if (!largest || leaves_[l].kernel_sse > leaves_[*largest].kernel_sse) largest = l;
  }
  return largest;
}

Found Tree::search_split(const Leaf& leaf) const {
  RelabelerOptions two = options_;
  two.k = 2;
  const bool is_root = nodes_.empty();
  DenseMatrix part;
  if (!is_root) {
    two.context.seed = derive_seed(options_.context.seed, "relabeler split", nodes_.size());
    two.known_classes.clear();  // for the trace, which is of the first split
    part = part_of(gram_, leaf.members);
  }
  const DenseView view = is_root ? gram_ : part.view();
  const ChanceLaw* law = is_root ? chance_ : nullptr;
  std::optional<ChanceLaw> own;
  if (two.p_value && law == nullptr) {
    own = draw_chance(view, two, two.context.seed, monitor_);
    if (own) law = &*own;
  }
  return search(view, two, law, monitor_);
}

void Tree::split(std::size_t l, Run run) {
  const Leaf leaf = std::move(leaves_[l]);
  const std::size_t node = nodes_.size();
  std::vector<std::size_t> below;
  std::vector<std::size_t> not_below;
  for (std::size_t m = 0; m < leaf.members.size(); ++m) {
    (run.labels[m] == 0 ? below : not_below).push_back(leaf.members[m]);
  }
  if (leaf.parent) {
    RelabelerSplit& parent = nodes_[*leaf.parent].split;
    (leaf.not_below ? parent.not_below : parent.below) = static_cast<std::int32_t>(node);
  }
  leaves_[l] = leaf_of(std::move(below));
  leaves_[l].parent = node;
  leaves_.push_back(leaf_of(std::move(not_below)));
  leaves_.back().parent = node;
  leaves_.back().not_below = true;
  nodes_.push_back({.run = std::move(run), .members = leaf.members});
}

void Tree::grow() {
  while (leaves_.size() < options_.k) {
    const std::optional<std::size_t> l = next_leaf();
    if (!l) {
      verdict_ = Verdict::collapsed;
      return;
    }
    if (first_ && monitor_.stopped()) return;
    Found found = search_split(leaves_[*l]);
    counts_ += found.counts;
    if (!first_) first_ = found;
    const bool one_class = std::ranges::adjacent_find(found.run.labels, std::not_equal_to<>()) ==
                           found.run.labels.end();
    const bool refused =
        found.run.verdict == Verdict::rejected || found.run.verdict == Verdict::collapsed;
    // Another cluster may be split better; of all points the best run is the answer, such as it is.
    if (one_class || (refused && !nodes_.empty())) {
      leaves_[*l].can_split = false;
      continue;
    }
    verdict_ = std::max(verdict_, found.run.verdict);
    objective_ += found.run.objective;
    split(*l, std::move(found.run));
    if (refused) return;
  }
}

void Tree::write(RelabelerClustering& result) const {
  std::vector<std::int32_t> labels(gram_.rows, 0);
  for (std::size_t l = 0; l < leaves_.size(); ++l) {
    for (const std::size_t i : leaves_[l].members) labels[i] = static_cast<std::int32_t>(l);
  }
  ClusterNumbers numbers = number_by_size(labels, leaves_.size());
  result.rule = {.clusters = leaves_.size()};
  for (const Node& node : nodes_) result.rule.tree.push_back(node.split);
  for (std::size_t c = 0; c < leaves_.size(); ++c) {
    const Leaf& leaf = leaves_[numbers.old_number[c]];
    if (!leaf.parent) continue;
    RelabelerSplit& parent = result.rule.tree[*leaf.parent];
    (leaf.not_below ? parent.not_below : parent.below) = -1 - static_cast<std::int32_t>(c);
  }
  result.labels = std::move(numbers.labels);
  result.sizes = std::move(numbers.sizes);
  result.coefficients = DenseMatrix(gram_.rows, nodes_.size());
  std::size_t errors = 0;
  for (std::size_t f = 0; f < nodes_.size(); ++f) {
    const Node& node = nodes_[f];
    errors += node.run.errors;
    result.offsets.push_back(node.run.offsets.empty() ? 0.0 : node.run.offsets.front());
    for (std::size_t m = 0; m < node.members.size() && node.run.coefficients.cols() > 0; ++m) {
      result.coefficients(node.members[m], f) = node.run.coefficients(m, 0);
    }
  }
  result.training_error = static_cast<double>(errors) / static_cast<double>(gram_.rows);
}

}  // namespace maxmargin::relabel
