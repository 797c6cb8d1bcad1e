// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/structured/partition.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/metric/cluster/assignment.hpp"
#include "maxmargin/metric/cluster/clustering.hpp"
#include "metric/ratio.hpp"

namespace maxmargin {

namespace {

struct Cell {
  std::size_t key = 0;
  std::size_t response = 0;
  double count = 0;
};

/// How many mentions every pair of clusters has in common; sizes count all mentions of a side.
struct Overlap {
  std::vector<double> key_sizes = {};
  std::vector<double> response_sizes = {};
  std::vector<Cell> cells = {};
};

Overlap overlap_of(std::span<const std::int32_t> key, std::span<const std::int32_t> response) {
  const Contingency by_key(key, response);
  // The other way round for the sizes: by_key leaves out mentions that are not in the key.
  const Contingency by_response(response, key);
  Overlap overlap;
  overlap.key_sizes.assign(by_key.class_sizes().begin(), by_key.class_sizes().end());
  overlap.response_sizes.assign(by_response.class_sizes().begin(), by_response.class_sizes().end());
  const auto numbers = by_response.class_numbers();
  for (const Contingency::Cell& cell : by_key.cells()) {
    const auto place =
        std::ranges::lower_bound(numbers, by_key.cluster_numbers()[cell.cluster_rank]);
    overlap.cells.push_back({.key = cell.class_rank,
                             .response = static_cast<std::size_t>(place - numbers.begin()),
                             .count = cell.count});
  }
  return overlap;
}

double pairs_of(double mentions) { return mentions * (mentions - 1) / 2; }

/// Sum over clusters of value(size).
template <class Value>
double sum_over(const std::vector<double>& sizes, const Value& value) {
  double sum = 0;
  for (const double size : sizes) sum += value(size);
  return sum;
}

/// Cells of clusters that hang together by common mentions, one list for each such group: clusters
/// of different groups have nothing in common.
std::vector<std::vector<Cell>> groups_of(const Overlap& overlap) {
  const std::size_t keys = overlap.key_sizes.size();
  std::vector<std::size_t> parent(keys + overlap.response_sizes.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t cluster) {
    while (parent[cluster] != cluster) cluster = parent[cluster] = parent[parent[cluster]];
    return cluster;
  };
  for (const Cell& cell : overlap.cells) parent[root(keys + cell.response)] = root(cell.key);
  std::map<std::size_t, std::vector<Cell>> by_root;
  for (const Cell& cell : overlap.cells) by_root[root(cell.key)].push_back(cell);
  std::vector<std::vector<Cell>> groups;
  for (auto& [number, cells] : by_root) groups.push_back(std::move(cells));
  return groups;
}

/// The clusters of one side that cells name, ascending.
std::vector<std::size_t> clusters_in(const std::vector<Cell>& cells, std::size_t Cell::*side) {
  std::vector<std::size_t> clusters;
  for (const Cell& cell : cells) clusters.push_back(cell.*side);
  std::ranges::sort(clusters);
  clusters.erase(std::unique(clusters.begin(), clusters.end()), clusters.end());
  return clusters;
}

/// The largest sum of similarities over one-to-one matchings of clusters, group by group: pairs
/// that have nothing in common add nothing.
template <class Similarity>
double matched(const std::vector<std::vector<Cell>>& groups, const Similarity& similarity) {
  double sum = 0;
  for (const std::vector<Cell>& cells : groups) {
    const std::vector<std::size_t> keys = clusters_in(cells, &Cell::key);
    const std::vector<std::size_t> responses = clusters_in(cells, &Cell::response);
    require_memory_for_numbers(keys.size(), responses.size(), "the matching of clusters");
    DenseMatrix cost(keys.size(), responses.size(), 0.0);
    for (const Cell& cell : cells) {
      const auto row = std::ranges::lower_bound(keys, cell.key) - keys.begin();
      const auto column = std::ranges::lower_bound(responses, cell.response) - responses.begin();
      cost(static_cast<std::size_t>(row), static_cast<std::size_t>(column)) = -similarity(cell);
    }
    sum -= solve_assignment(cost.view()).cost;
  }
  return sum;
}

}  // namespace

double PartitionScore::recall() const noexcept { return ratio(recall_sum, recall_total); }
double PartitionScore::precision() const noexcept { return ratio(precision_sum, precision_total); }

double PartitionScore::f1() const noexcept {
  const double r = recall();
  const double p = precision();
  if (std::isnan(r) && std::isnan(p)) return undefined;
  if (!(r > 0) || !(p > 0)) return 0;
  return 2 * p * r / (p + r);
}

void PartitionScore::add(const PartitionScore& other) noexcept {
  recall_sum += other.recall_sum;
  recall_total += other.recall_total;
  precision_sum += other.precision_sum;
  precision_total += other.precision_total;
}

double PartitionScores::pair_loss() const noexcept { return ratio(wrong_pairs, all_pairs); }
double PartitionScores::muc_loss() const noexcept { return 1 - muc.f1(); }
double PartitionScores::conll_average() const noexcept {
  return (muc.f1() + b_cubed.f1() + ceaf_entity.f1()) / 3;
}

void PartitionScores::add(const PartitionScores& other) noexcept {
  documents += other.documents;
  mentions.add(other.mentions);
  pairs.add(other.pairs);
  muc.add(other.muc);
  b_cubed.add(other.b_cubed);
  ceaf_mention.add(other.ceaf_mention);
  ceaf_entity.add(other.ceaf_entity);
  wrong_pairs += other.wrong_pairs;
  all_pairs += other.all_pairs;
}

PartitionScores score_partition(std::span<const std::int32_t> key,
                                std::span<const std::int32_t> response) {
  const Overlap overlap = overlap_of(key, response);
  const auto same = [](double size) { return size; };
  const double in_key = sum_over(overlap.key_sizes, same);
  const double in_response = sum_over(overlap.response_sizes, same);

  PartitionScores scores{.documents = 1};
  double common = 0;
  double common_pairs = 0;
  double common_links = 0;
  for (const Cell& cell : overlap.cells) {
    common += cell.count;
    common_pairs += pairs_of(cell.count);
    common_links += cell.count - 1;
    scores.b_cubed.recall_sum += cell.count * cell.count / overlap.key_sizes[cell.key];
    scores.b_cubed.precision_sum += cell.count * cell.count / overlap.response_sizes[cell.response];
  }
  scores.mentions = {common, in_key, common, in_response};
  scores.pairs = {common_pairs,
                  sum_over(overlap.key_sizes, pairs_of),
                  common_pairs,
                  sum_over(overlap.response_sizes, pairs_of)};
  const auto links = [](double size) { return size - 1; };
  scores.muc = {common_links,
                sum_over(overlap.key_sizes, links),
                common_links,
                sum_over(overlap.response_sizes, links)};
  scores.b_cubed.recall_total = in_key;
  scores.b_cubed.precision_total = in_response;

  const std::vector<std::vector<Cell>> groups = groups_of(overlap);
  const double by_mentions = matched(groups, [](const Cell& cell) { return cell.count; });
  scores.ceaf_mention = {by_mentions, in_key, by_mentions, in_response};
  const double by_share = matched(groups, [&](const Cell& cell) {
    return 2 * cell.count / (overlap.key_sizes[cell.key] + overlap.response_sizes[cell.response]);
  });
  scores.ceaf_entity = {by_share,
                        static_cast<double>(overlap.key_sizes.size()),
                        by_share,
                        static_cast<double>(overlap.response_sizes.size())};

  scores.wrong_pairs = scores.pairs.recall_total + scores.pairs.precision_total - 2 * common_pairs;
  scores.all_pairs = pairs_of(in_key + in_response - common);
  return scores;
}

PartitionScores score_partition(std::span<const std::uint32_t> key,
                                std::span<const std::uint32_t> response) {
  std::vector<std::int32_t> signed_key;
  std::vector<std::int32_t> signed_response;
  for (const std::uint32_t cluster : key) signed_key.push_back(narrow<std::int32_t>(cluster));
  for (const std::uint32_t cluster : response) {
    signed_response.push_back(narrow<std::int32_t>(cluster));
  }
  return score_partition(std::span<const std::int32_t>(signed_key),
                         std::span<const std::int32_t>(signed_response));
}

}  // namespace maxmargin
