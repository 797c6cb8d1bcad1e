// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cluster/relabeler/search.hpp"
#include "maxmargin/cluster/relabeler/relabeler.hpp"

/// More than two clusters by splitting in two: docs/algorithms/relabeler.md, "More clusters".
namespace maxmargin::relabel {

class Tree {
 public:
  /// What is given must outlive the tree. `chance` is the law of all points in two clusters, where
  /// there is one already: those that options.p_value still needs are drawn.
  Tree(DenseView gram, const RelabelerOptions& options, const ChanceLaw* chance, Monitor& monitor);

  /// Splits until there are options.k clusters or none can be split.
  void grow();
  /// Labels, sizes, training error and the machine, clusters numbered by size.
  void write(RelabelerClustering& result) const;

  [[nodiscard]] const RelabelCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] double objective() const noexcept { return objective_; }
  /// The worst of the splits; `collapsed` when there are too few of them.
  [[nodiscard]] Verdict verdict() const noexcept { return verdict_; }
  /// Of all points. Requires grow().
  [[nodiscard]] const Found& first_split() const { return *first_; }

 private:
  /// A leaf of the tree: a cluster.
  struct Leaf {
    std::vector<std::size_t> members = {};
    double kernel_sse = 0;
    bool can_split = true;
    /// The function that sends points here and on which side; none for the root.
    std::optional<std::size_t> parent = std::nullopt;
    bool not_below = false;
  };
  struct Node {
    Run run = {};
    std::vector<std::size_t> members = {};
    RelabelerSplit split = {};
  };

  [[nodiscard]] Leaf leaf_of(std::vector<std::size_t> members) const;
  /// The leaf to split next: of largest sum of squares; unset when there is none.
  [[nodiscard]] std::optional<std::size_t> next_leaf() const;
  [[nodiscard]] Found search_split(const Leaf& leaf) const;
  /// Both sides of a run as leaves in place of the one that was split.
  void split(std::size_t leaf, Run run);

  DenseView gram_;
  const RelabelerOptions& options_;
  const ChanceLaw* chance_;
  Monitor& monitor_;
  std::vector<Leaf> leaves_;
  std::vector<Node> nodes_;
  std::optional<Found> first_ = std::nullopt;
  RelabelCounts counts_ = {};
  double objective_ = 0;
  Verdict verdict_ = Verdict::accepted;
};

}  // namespace maxmargin::relabel
