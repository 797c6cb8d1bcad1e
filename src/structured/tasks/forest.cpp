// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/coreference.md
#include "maxmargin/structured/tasks/forest.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

/// A pair that may be a link, and what it is worth.
struct Candidate {
  double weight = 0;
  ItemPair pair = {};
};

/// Which items are connected.
class Trees {
 public:
  explicit Trees(std::size_t items) : parent_(items) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }
  /// Whether they were apart.
  bool join(ItemPair pair) {
    const std::uint32_t a = root(pair.first);
    const std::uint32_t b = root(pair.second);
    if (a == b) return false;
    parent_[std::max(a, b)] = std::min(a, b);
    return true;
  }
  [[nodiscard]] Partition clusters() {
    std::vector<std::uint32_t> roots(parent_.size());
    for (std::uint32_t i = 0; i < roots.size(); ++i) roots[i] = root(i);
    return canonical_partition(roots);
  }

 private:
  std::uint32_t root(std::uint32_t i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];
      i = parent_[i];
    }
    return i;
  }

  std::vector<std::uint32_t> parent_;
};

/// Visits every candidate in the order of pairs: visit(pair, its number among the listed ones, or
/// nothing).
template <class Visit>
void for_each_candidate(const PartitionInput& x, const Visit& visit) {
  std::size_t p = 0;
  for (std::uint32_t i = 0; i < x.items; ++i) {
    const ItemPair next{i, i + 1};
    // Among the pairs of i the one with the next item is the first.
    const bool listed = p < x.pairs.size() && x.pairs[p] == next;
    if (!listed && next.second < x.items) visit(next, std::optional<std::size_t>());
    for (; p < x.pairs.size() && x.pairs[p].first == i; ++p) visit(x.pairs[p], std::optional(p));
  }
}

double score_of(const PartitionInput& x, std::optional<std::size_t> p, std::span<const double> w) {
  if (!p) return 0;
  double score = 0;
  for (std::size_t e = x.begins[*p]; e < x.begins[*p + 1]; ++e) {
    // A model may know fewer features than the data has.
    if (x.indices[e] < w.size()) score += w[x.indices[e]] * x.value(e);
  }
  require(!std::isnan(score),
          "the score of a pair is not a number, as weights or features are too large");
  return score;
}

/// The loop of "The three forests": the best spanning forest of the candidates.
LinkForest best_forest(std::size_t items, std::vector<Candidate> candidates) {
  // No two are equal, so that every sort gives the same order.
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.pair < b.pair;
  });
  Trees trees(items);
  LinkForest forest;
  for (const Candidate& candidate : candidates) {
    if (forest.links.size() + 1 >= items) break;
    if (trees.join(candidate.pair)) forest.links.push_back(candidate.pair);
  }
  std::ranges::sort(forest.links);
  forest.clusters = trees.clusters();
  return forest;
}

void check_clusters(const Partition& clusters, std::size_t items) {
  require(clusters.size() == items, "a partition must have the length of its input");
  require(is_canonical(clusters), "clusters must be numbered by their first items");
}

/// A spanning forest of the candidates within clusters, best by weight(pair, number).
template <class Weight>
LinkForest completion(const PartitionInput& x, const Partition& clusters, const Weight& weight) {
  check_clusters(clusters, x.items);
  std::vector<Candidate> candidates;
  for_each_candidate(x, [&](ItemPair pair, std::optional<std::size_t> p) {
    if (clusters[pair.first] != clusters[pair.second]) return;
    candidates.push_back({weight(pair, p), pair});
  });
  LinkForest forest = best_forest(x.items, std::move(candidates));
  forest.clusters = clusters;
  return forest;
}

}  // namespace

void ForestOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "wrong-link",
                .help = "what a wrong link costs, a missing one costing 1; less pays for recall",
                .value = "COST"},
               wrong_link,
               rules::positive);
}

ForestTask::ForestTask(std::size_t features, const ForestOptions& options)
    : features_(features), options_(options) {
  maxmargin::validate(options);
}

void ForestTask::joint_features(const Input& x, const Output& y, FeatureVector& psi) const {
  for (const ItemPair& link : y.links) {
    const auto at = std::ranges::lower_bound(x.pairs, link);
    if (at == x.pairs.end() || *at != link) {
      require(link.second == link.first + 1 && link.second < x.items,
              "a link must be a listed pair, or an item and the one before it");
      continue;
    }
    const auto p = static_cast<std::size_t>(at - x.pairs.begin());
    for (std::size_t e = x.begins[p]; e < x.begins[p + 1]; ++e) psi.add(x.indices[e], x.value(e));
  }
}

double ForestTask::loss(const Output& truth, const Output& other) const {
  std::size_t good = 0;
  for (const ItemPair& link : other.links) {
    require(link.first < link.second && link.second < truth.clusters.size(),
            "a link is beyond the items of the truth");
    good += truth.clusters[link.first] == truth.clusters[link.second] ? 1U : 0U;
  }
  require(good <= truth.links.size(), "the truth is not complete: see ForestTask::complete");
  const std::size_t missing = truth.links.size() - good;
  const std::size_t wrong = other.links.size() - good;
  return static_cast<double>(missing) + options_.wrong_link * static_cast<double>(wrong);
}

LinkForest ForestTask::predict(const Input& x, std::span<const double> w) const {
  std::vector<Candidate> candidates;
  for_each_candidate(x, [&](ItemPair pair, std::optional<std::size_t> p) {
    const double weight = score_of(x, p, w);
    if (weight > 0) candidates.push_back({weight, pair});
  });
  return best_forest(x.items, std::move(candidates));
}

LinkForest ForestTask::loss_augmented_argmax(const Input& x,
                                             const Output& truth,
                                             std::span<const double> w) const {
  check_clusters(truth.clusters, x.items);
  std::vector<Candidate> candidates;
  for_each_candidate(x, [&](ItemPair pair, std::optional<std::size_t> p) {
    const bool good = truth.clusters[pair.first] == truth.clusters[pair.second];
    const double weight = score_of(x, p, w) + (good ? -1 : options_.wrong_link);
    if (weight > 0) candidates.push_back({weight, pair});
  });
  return best_forest(x.items, std::move(candidates));
}

LinkForest ForestTask::complete(const Input& x,
                                const Output& truth,
                                std::span<const double> w) const {
  return completion(
      x, truth.clusters, [&](ItemPair, std::optional<std::size_t> p) { return score_of(x, p, w); });
}

bool ForestTask::has_one_completion(const Input& x, const Output& truth) const {
  check_clusters(truth.clusters, x.items);
  // Every candidate within clusters is a link: they have no circle.
  std::size_t within = 0;
  for_each_candidate(x, [&](ItemPair pair, std::optional<std::size_t>) {
    within += truth.clusters[pair.first] == truth.clusters[pair.second] ? 1U : 0U;
  });
  return within == truth.links.size();
}

LinkForest ForestTask::random_completion(const Input& x, const Output& truth, Rng& rng) const {
  return completion(
      x, truth.clusters, [&](ItemPair, std::optional<std::size_t>) { return rng.uniform(); });
}

LinkForest ForestTask::chain(const Input& x, const Partition& clusters) const {
  check_clusters(clusters, x.items);
  // Places within clusters: neighbours are one apart.
  std::vector<std::size_t> place;
  std::vector<std::size_t> size(x.items, 0);
  place.reserve(x.items);
  for (const std::uint32_t cluster : clusters) place.push_back(size[cluster]++);
  return completion(x, clusters, [&](ItemPair pair, std::optional<std::size_t>) {
    return -static_cast<double>(place[pair.second] - place[pair.first]);
  });
}

std::size_t ForestTask::argmax_bytes(const Input& x) const {
  // Candidates, parents and roots, links and clusters.
  constexpr std::size_t bytes_an_item = 32;
  return checked_add(checked_multiply(sizeof(Candidate), checked_add(x.pairs.size(), x.items)),
                     checked_multiply(bytes_an_item, x.items));
}

void ForestTask::for_each_output(const Input& x,
                                 const std::function<void(const Output&)>& visit) const {
  std::vector<ItemPair> candidates;
  for_each_candidate(
      x, [&](ItemPair pair, std::optional<std::size_t>) { candidates.push_back(pair); });
  LinkForest forest;
  // From candidate k on, with the links of the forest taken.
  const std::function<void(std::size_t, const Trees&)> extend = [&](std::size_t k,
                                                                    const Trees& trees) {
    if (k == candidates.size()) {
      Trees own = trees;
      forest.clusters = own.clusters();
      visit(forest);
      return;
    }
    extend(k + 1, trees);
    Trees joined = trees;
    if (!joined.join(candidates[k])) return;
    forest.links.push_back(candidates[k]);
    extend(k + 1, joined);
    forest.links.pop_back();
  };
  extend(0, Trees(x.items));
}

}  // namespace maxmargin
