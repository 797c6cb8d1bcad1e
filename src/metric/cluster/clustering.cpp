// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/cluster/clustering.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/metric/cluster/assignment.hpp"
#include "metric/ratio.hpp"

namespace maxmargin {

namespace {

/// Rows are clusters, columns classes; the cost is minus the count, so the least cost is the most
/// rows right.
Assignment best_matching(const Contingency& table) {
  DenseMatrix cost(table.cluster_numbers().size(), table.class_numbers().size());
  for (const Contingency::Cell& cell : table.cells()) {
    cost(cell.cluster_rank, cell.class_rank) = -cell.count;
  }
  return solve_assignment(cost.view());
}

double pairs_within(double count) { return count * (count - 1) / 2; }

/// -p log p of the share p = count / total.
double entropy_term(double count, double total) {
  return count == 0 ? 0 : -(count / total) * std::log(count / total);
}

}  // namespace

std::vector<ClusterMatch> match_clusters(const Contingency& table) {
  const Assignment matching = best_matching(table);
  std::vector<ClusterMatch> matches;
  matches.reserve(table.cluster_numbers().size());
  for (std::size_t k = 0; k < table.cluster_numbers().size(); ++k) {
    ClusterMatch match{.cluster = table.cluster_numbers()[k]};
    if (const auto column = matching.column_of_row[k]) {
      match.matched_class = table.class_numbers()[*column];
    }
    matches.push_back(match);
  }
  return matches;
}

double misassignment(const Contingency& table) {
  return ratio(table.total() + best_matching(table).cost, table.total());
}

double matched_accuracy(const Contingency& table) {
  return ratio(-best_matching(table).cost, table.total());
}

double majority_error(const Contingency& table) {
  std::vector<double> largest(table.cluster_numbers().size(), 0.0);
  for (const Contingency::Cell& cell : table.cells()) {
    largest[cell.cluster_rank] = std::max(largest[cell.cluster_rank], cell.count);
  }
  double wrong = table.total();
  for (const double count : largest) wrong -= count;
  return ratio(wrong, table.total());
}

double purity(const Contingency& table) { return 1 - majority_error(table); }

double adjusted_rand_index(const Contingency& table) {
  if (table.total() == 0) return undefined;
  double together_in_both = 0;
  double together_in_classes = 0;
  double together_in_clusters = 0;
  for (const auto& cell : table.cells()) together_in_both += pairs_within(cell.count);
  for (const double size : table.class_sizes()) together_in_classes += pairs_within(size);
  for (const double size : table.cluster_sizes()) together_in_clusters += pairs_within(size);
  const double all = pairs_within(table.total());
  const double largest = (together_in_classes + together_in_clusters) / 2;
  const double expected = all == 0 ? 0 : together_in_classes * (together_in_clusters / all);
  // Equal only when both sides are one block or both are all singletons.
  if (largest == expected) return 1;
  return (together_in_both - expected) / (largest - expected);
}

double normalized_mutual_information(const Contingency& table) {
  const double total = table.total();
  if (total == 0) return undefined;
  double class_entropy = 0;
  double cluster_entropy = 0;
  double joint_entropy = 0;
  for (const double size : table.class_sizes()) class_entropy += entropy_term(size, total);
  for (const double size : table.cluster_sizes()) cluster_entropy += entropy_term(size, total);
  for (const auto& cell : table.cells()) joint_entropy += entropy_term(cell.count, total);
  // Every outlier is a cluster of its own.
  const double outlier_entropy = table.outliers() * entropy_term(1, total);
  cluster_entropy += outlier_entropy;
  joint_entropy += outlier_entropy;
  const double mean_entropy = (class_entropy + cluster_entropy) / 2;
  if (mean_entropy == 0) return 1;
  const double shared = class_entropy + cluster_entropy - joint_entropy;
  return std::clamp(shared / mean_entropy, 0.0, 1.0);
}

}  // namespace maxmargin
