// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/relabeler/relabeler.hpp"

#include <algorithm>
#include <string>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

std::vector<std::int32_t> RelabelerRule::clusters_of(DenseView values) const {
  validate(values.cols);
  std::vector<std::int32_t> labels(values.rows, 0);
  if (clusters == 1) return labels;
  for (std::size_t i = 0; i < values.rows; ++i) {
    const auto row = values.row(i);
    if (tree.empty()) {
      labels[i] = static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin());
      continue;
    }
    std::int32_t at = 0;
    while (at >= 0) {
      const auto f = static_cast<std::size_t>(at);
      at = row[f] < 0 ? tree[f].below : tree[f].not_below;
    }
    labels[i] = -1 - at;
  }
  return labels;
}

void RelabelerRule::validate(std::size_t functions) const {
  require_field(clusters >= 1, "the number of clusters", static_cast<double>(clusters), ">= 1");
  if (clusters == 1) {
    require(tree.empty(), "a rule of one cluster has no tree");
    return;
  }
  const std::size_t wanted = tree.empty() ? clusters : clusters - 1;
  require_field(functions == wanted,
                "the number of functions",
                static_cast<double>(functions),
                std::to_string(wanted));
  if (tree.empty()) return;
  require(tree.size() == functions, "the tree must have one entry a function");
  std::vector<bool> function_seen(functions, false);
  std::vector<bool> cluster_seen(clusters, false);
  for (std::size_t f = 0; f < tree.size(); ++f) {
    for (const std::int32_t child : {tree[f].below, tree[f].not_below}) {
      // A child after its parent: no walk can go round.
      const auto place = static_cast<std::size_t>(child >= 0 ? child : -1 - child);
      const bool fits = child >= 0 ? place > f && place < functions && !function_seen[place]
                                   : place < clusters && !cluster_seen[place];
      require(fits, "the tree: function " + std::to_string(f) + " has a wrong child");
      (child >= 0 ? function_seen : cluster_seen)[place] = true;
    }
  }
}

std::vector<std::int32_t> RelabelerModel::predict(const Examples& examples,
                                                  std::optional<std::size_t> threads) const {
  const DenseMatrix values = decision_values(
      functions, examples, {.context = {.threads = threads}, .precision = ValuePrecision::exact});
  return rule.clusters_of(values.view());
}

}  // namespace maxmargin
