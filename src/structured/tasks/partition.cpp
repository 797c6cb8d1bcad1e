// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/partition.md
#include "maxmargin/structured/tasks/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/memory_limit.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "structured/tasks/partition_search.hpp"

namespace maxmargin {

namespace {

/// Tables of this size are 8 GB: more is a mistake.
constexpr std::size_t most_items_together = 20'000;

/// Tables for items that hang together: scores, and of merges or moves the larger ones.
std::size_t table_bytes(std::size_t items, std::size_t exact_items) {
  constexpr std::size_t bytes_a_pair = 20;
  constexpr std::size_t bytes_a_set = 20;
  return items <= exact_items ? bytes_a_set << items
                              : checked_multiply(bytes_a_pair, checked_multiply(items, items));
}

/// The problem on all items, as pairs that are not 0 and what all others have.
struct SparseObjective {
  std::size_t items = 0;
  const Partition* truth = nullptr;
  std::span<const ItemPair> pairs = {};
  std::vector<double> scores = {};
  /// Added to pairs together and apart in the truth.
  double together = 0;
  double apart = 0;
  double c_part = 0;
  double c_cluster = 0;

  [[nodiscard]] double shift(std::size_t i, std::size_t j) const {
    if (truth == nullptr) return 0;
    return (*truth)[i] == (*truth)[j] ? together : apart;
  }
  /// rho of step 1.
  [[nodiscard]] double slack() const { return -c_cluster; }
};

std::size_t root_of(std::vector<std::size_t>& parent, std::size_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

/// Step 1: items that hang together, each component in the order of items.
std::vector<std::vector<std::size_t>> components_of(const SparseObjective& objective) {
  const std::size_t n = objective.items;
  std::vector<std::size_t> parent(n);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto join = [&](std::size_t i, std::size_t j, double score) {
    if (!(score > -objective.slack())) return;
    const std::size_t a = root_of(parent, i);
    const std::size_t b = root_of(parent, j);
    parent[std::max(a, b)] = std::min(a, b);
  };
  // Pairs without features join as well if a shift or the slack does it.
  const bool all_count = objective.slack() > 0 || objective.apart > 0;
  std::size_t p = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!all_count) {
      for (; p < objective.pairs.size() && objective.pairs[p].first == i; ++p) {
        const std::size_t j = objective.pairs[p].second;
        join(i, j, objective.scores[p] + objective.shift(i, j));
      }
      continue;
    }
    for (std::size_t j = i + 1; j < n; ++j) {
      double score = objective.shift(i, j);
      if (p < objective.pairs.size() && objective.pairs[p].first == i &&
          objective.pairs[p].second == j) {
        score += objective.scores[p++];
      }
      join(i, j, score);
    }
  }
  std::vector<std::vector<std::size_t>> components;
  std::vector<std::size_t> number(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t root = root_of(parent, i);
    if (root == i) {
      number[i] = components.size();
      components.emplace_back();
    }
    components[number[root]].push_back(i);
  }
  return components;
}

/// The problem on some of the items.
PartitionObjective part_of(const SparseObjective& objective,
                           std::span<const std::size_t> members,
                           std::span<const std::size_t> place) {
  const std::size_t size = members.size();
  PartitionObjective part{
      .items = size, .c_part = objective.c_part, .c_cluster = objective.c_cluster};
  part.scores.assign(size * size, 0.0);
  for (std::size_t a = 0; a < size; ++a) {
    const std::size_t i = members[a];
    // Added, not assigned: pairs with items before a have their scores here already.
    for (std::size_t b = 0; b < size; ++b) {
      if (a != b) part.scores[a * size + b] += objective.shift(i, members[b]);
    }
    const auto begin = std::ranges::lower_bound(
        objective.pairs, i, {}, [](const ItemPair& pair) { return std::size_t{pair.first}; });
    for (auto p = static_cast<std::size_t>(begin - objective.pairs.begin());
         p < objective.pairs.size() && objective.pairs[p].first == i;
         ++p) {
      const std::size_t b = place[objective.pairs[p].second];
      if (b >= size || members[b] != objective.pairs[p].second) continue;  // another component
      part.scores[a * size + b] += objective.scores[p];
      part.scores[b * size + a] += objective.scores[p];
    }
  }
  if (objective.c_part != 0) {
    std::vector<std::uint32_t> classes;
    for (const std::size_t i : members) classes.push_back((*objective.truth)[i]);
    part.classes = canonical_partition(classes);
  }
  return part;
}

/// The best partition of a component that can be found.
Partition solve(const PartitionObjective& objective,
                std::size_t exact_items,
                const Partition* truth) {
  if (objective.items <= exact_items) return best_partition(objective);
  Partition alone(objective.items);
  std::iota(alone.begin(), alone.end(), std::uint32_t{0});
  Partition found = improved_partition(objective, std::move(alone));
  if (truth == nullptr) return found;
  Partition other = improved_partition(objective, *truth);
  return objective.value(other) > objective.value(found) ? other : found;
}

Partition maximise(const SparseObjective& objective, std::size_t exact_items) {
  Partition result(objective.items, 0);
  std::uint32_t next = 0;
  const std::vector<std::vector<std::size_t>> components = components_of(objective);
  std::vector<std::size_t> place(objective.items, 0);
  for (const std::vector<std::size_t>& members : components) {
    for (std::size_t a = 0; a < members.size(); ++a) place[members[a]] = a;
  }
  for (const std::vector<std::size_t>& members : components) {
    if (members.size() == 1) {
      result[members.front()] = next++;
      continue;
    }
    require_field(members.size() <= most_items_together,
                  "items that hang together",
                  static_cast<double>(members.size()),
                  "<= 20000");
    require_within_limit(
        table_bytes(members.size(), exact_items),
        std::nullopt,
        "an argmax of " + std::to_string(members.size()) + " items that hang together",
        "use smaller documents");
    Partition truth;
    if (objective.truth != nullptr) {
      for (const std::size_t i : members) truth.push_back((*objective.truth)[i]);
    }
    const Partition part = solve(part_of(objective, members, place),
                                 exact_items,
                                 objective.truth != nullptr ? &truth : nullptr);
    std::uint32_t most = 0;
    for (std::size_t a = 0; a < members.size(); ++a) {
      result[members[a]] = next + part[a];
      most = std::max(most, part[a]);
    }
    next += most + 1;
  }
  return canonical_partition(result);
}

SparseObjective scores_of(const PartitionInput& x, std::span<const double> w) {
  SparseObjective objective{.items = x.items, .pairs = x.pairs};
  objective.scores.reserve(x.pairs.size());
  for (std::size_t p = 0; p < x.pairs.size(); ++p) {
    double score = 0;
    for (std::size_t e = x.begins[p]; e < x.begins[p + 1]; ++e) {
      // A model may know fewer features than the data has.
      if (x.indices[e] < w.size()) score += w[x.indices[e]] * x.value(e);
    }
    objective.scores.push_back(score);
  }
  return objective;
}

double pair_count(std::size_t items) {
  const auto n = static_cast<double>(items);
  return n * (n - 1) / 2;
}

void check_partition(const Partition& y, std::size_t items) {
  require(y.size() == items, "a partition must have the length of its input");
  require(is_canonical(y), "clusters must be numbered by their first items");
}

std::size_t clusters_in(const Partition& canonical) {
  return canonical.empty() ? 0 : std::size_t{*std::ranges::max_element(canonical)} + 1;
}

/// Pairs within groups of equal, sorted things.
template <class Thing>
double pairs_within(std::vector<Thing> things) {
  std::ranges::sort(things);
  double pairs = 0;
  for (std::size_t begin = 0; begin < things.size();) {
    std::size_t end = begin;
    while (end < things.size() && things[end] == things[begin]) ++end;
    pairs += pair_count(end - begin);
    begin = end;
  }
  return pairs;
}

}  // namespace

void PartitionOptions::describe(OptionVisitor& visit) {
  visit.name({.name = "loss", .help = "share of wrong pairs, or missing and wrong links"}, loss);
  visit.number({.name = "wrong-link",
                .help = "what a wrong link costs, a missing one costing 1; less pays for recall",
                .value = "COST"},
               wrong_link,
               rules::not_negative);
  visit.rule(loss == PartitionLoss::links || wrong_link == 1,
             "--wrong-link: belongs to --loss links");
  visit.rule(exact_items <= PartitionTask::most_exact_items,
             "the exact search for partitions takes at most 16 items");
}

PartitionTask::PartitionTask(std::size_t features, const PartitionOptions& options)
    : features_(features), options_(options) {
  maxmargin::validate(options);
}

void PartitionTask::joint_features(const Input& x, const Output& y, FeatureVector& psi) const {
  check_partition(y, x.items);
  // Features and loss of a pair have the same share in their document.
  const bool shares = options_.loss == PartitionLoss::pairs && x.items >= 2;
  const double share = shares ? 1 / pair_count(x.items) : 1.0;
  for (std::size_t p = 0; p < x.pairs.size(); ++p) {
    if (y[x.pairs[p].first] != y[x.pairs[p].second]) continue;
    for (std::size_t e = x.begins[p]; e < x.begins[p + 1]; ++e) {
      psi.add(x.indices[e], share * x.value(e));
    }
  }
}

double PartitionTask::loss(const Output& truth, const Output& other) const {
  check_partition(truth, truth.size());
  check_partition(other, truth.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cells;
  cells.reserve(truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) cells.emplace_back(truth[i], other[i]);
  if (options_.loss == PartitionLoss::pairs) {
    if (truth.size() < 2) return 0;
    const double wrong = pairs_within(truth) + pairs_within(other) - 2 * pairs_within(cells);
    return wrong / pair_count(truth.size());
  }
  std::ranges::sort(cells);
  const auto m = static_cast<std::size_t>(std::unique(cells.begin(), cells.end()) - cells.begin());
  return static_cast<double>(m - clusters_in(truth)) +
         options_.wrong_link * static_cast<double>(m - clusters_in(other));
}

Partition PartitionTask::predict(const Input& x, std::span<const double> w) const {
  return maximise(scores_of(x, w), options_.exact_items);
}

Partition PartitionTask::loss_augmented_argmax(const Input& x,
                                               const Output& truth,
                                               std::span<const double> w) const {
  check_partition(truth, x.items);
  SparseObjective objective = scores_of(x, w);
  objective.truth = &truth;
  if (options_.loss == PartitionLoss::links) {
    objective.c_part = 1 + options_.wrong_link;
    objective.c_cluster = -options_.wrong_link;
  } else {
    // Loss and score of a pair times the number of pairs.
    objective.apart = 1;
    objective.together = -1;
  }
  return maximise(objective, options_.exact_items);
}

std::size_t PartitionTask::argmax_bytes(const Input& x) const {
  // As loss_augmented_argmax has it: unless links that are wrong cost nothing, pairs without
  // features may hang together, too.
  if (options_.loss == PartitionLoss::pairs || options_.wrong_link > 0) {
    return table_bytes(x.items, options_.exact_items);
  }
  const SparseObjective every_pair{
      .items = x.items, .pairs = x.pairs, .scores = std::vector<double>(x.pairs.size(), 1.0)};
  std::size_t most = 0;
  for (const std::vector<std::size_t>& members : components_of(every_pair)) {
    most = std::max(most, members.size());
  }
  return table_bytes(most, options_.exact_items);
}

void PartitionTask::for_each_output(const Input& x,
                                    const std::function<void(const Output&)>& visit) const {
  Partition y(x.items, 0);
  // clusters_before[i]: clusters among the items before i.
  std::vector<std::uint32_t> clusters_before(x.items, 1);
  if (x.items > 0) clusters_before[0] = 0;
  for (;;) {
    visit(y);
    // The last item that may go to the next cluster; items after it return to the first.
    std::size_t i = x.items;
    while (i > 1 && y[i - 1] == clusters_before[i - 1]) --i;
    if (i <= 1) return;
    ++y[--i];
    for (std::size_t j = i + 1; j < x.items; ++j) {
      y[j] = 0;
      clusters_before[j] = std::max(clusters_before[j - 1], y[j - 1] + 1);
    }
  }
}

ExactPartitionTask::ExactPartitionTask(std::size_t features, PartitionOptions options)
    : PartitionTask(features, (options.exact_items = most_exact_items, options)) {}

namespace {

void require_few_items(std::size_t items) {
  require_field(items <= PartitionTask::most_exact_items,
                "the number of items",
                static_cast<double>(items),
                "<= 16");
}

}  // namespace

Partition ExactPartitionTask::predict(const Input& x, std::span<const double> w) const {
  require_few_items(x.items);
  return PartitionTask::predict(x, w);
}

Partition ExactPartitionTask::loss_augmented_argmax(const Input& x,
                                                    const Output& truth,
                                                    std::span<const double> w) const {
  require_few_items(x.items);
  return PartitionTask::loss_augmented_argmax(x, truth, w);
}

}  // namespace maxmargin
