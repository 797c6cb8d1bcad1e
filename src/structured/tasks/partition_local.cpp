// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/partition.md, step 3: merges, moves and splits
#include <algorithm>
#include <cmath>
#include <limits>

#include "structured/tasks/partition_search.hpp"

namespace maxmargin {

namespace {

/// A change must gain more than this share of the largest number around, or rounding could turn in
/// circles.
constexpr double least_gain_share = 1e-12;
constexpr std::size_t most_rounds = 100;
constexpr std::size_t most_passes = 100;

constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

/// A square table of the size of the problem.
template <class Value>
class Table {
 public:
  explicit Table(std::size_t size) : size_(size), cells_(size * size, Value{}) {}
  Value& operator()(std::size_t i, std::size_t j) { return cells_[i * size_ + j]; }

 private:
  std::size_t size_;
  std::vector<Value> cells_;
};

std::size_t cluster_count(const Partition& canonical) {
  std::size_t count = 0;
  for (const std::uint32_t cluster : canonical) count = std::max<std::size_t>(count, cluster + 1);
  return count;
}

double least_gain_of(const PartitionObjective& objective) {
  double largest = std::max(std::abs(objective.c_part), std::abs(objective.c_cluster));
  for (const double score : objective.scores) largest = std::max(largest, std::abs(score));
  return least_gain_share * largest;
}

/// Step 3a: the two clusters that gain most become one, as long as one pair gains.
class Merging {
 public:
  Merging(const PartitionObjective& objective, Partition& canonical, double least_gain)
      : objective_(objective),
        clusters_(canonical),
        least_gain_(least_gain),
        count_(cluster_count(canonical)),
        gain_(count_),
        has_class_(objective.c_part != 0 ? objective.items : 0),
        merged_into_(count_),
        partner_(count_, nobody) {
    for (std::size_t a = 0; a < count_; ++a) merged_into_[a] = a;
    fill_gains();
    for (std::size_t a = 0; a < count_; ++a) find_partner(a);
  }

  void run() {
    for (;;) {
      std::size_t best = nobody;
      for (std::size_t a = 0; a < count_; ++a) {
        if (!is_alive(a) || partner_[a] == nobody) continue;
        if (best == nobody || gain_(a, partner_[a]) > gain_(best, partner_[best])) best = a;
      }
      if (best == nobody || !(gain_(best, partner_[best]) > least_gain_)) break;
      merge(best, partner_[best]);
    }
    for (std::uint32_t& cluster : clusters_) cluster = static_cast<std::uint32_t>(end_of(cluster));
    clusters_ = canonical_partition(clusters_);
  }

 private:
  [[nodiscard]] bool is_alive(std::size_t a) const { return merged_into_[a] == a; }
  [[nodiscard]] std::size_t end_of(std::size_t a) const {
    while (merged_into_[a] != a) a = merged_into_[a];
    return a;
  }

  /// gain(A, B) = sum of scores across - c_part (classes in both) - c_cluster.
  void fill_gains() {
    const std::size_t n = objective_.items;
    for (std::size_t a = 0; a < count_; ++a) {
      for (std::size_t b = 0; b < count_; ++b) gain_(a, b) = -objective_.c_cluster;
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        gain_(clusters_[i], clusters_[j]) += objective_.score(i, j);
    }
    if (objective_.c_part == 0) return;
    std::vector<std::vector<std::size_t>> clusters_of_class(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t each = objective_.classes[i];
      if (has_class_(clusters_[i], each) == 0) clusters_of_class[each].push_back(clusters_[i]);
      has_class_(clusters_[i], each) = 1;
    }
    for (const std::vector<std::size_t>& sharing : clusters_of_class) {
      for (const std::size_t a : sharing) {
        for (const std::size_t b : sharing) gain_(a, b) -= objective_.c_part;
      }
    }
  }

  /// Lowest number first among equals.
  void find_partner(std::size_t a) {
    partner_[a] = nobody;
    for (std::size_t b = 0; b < count_; ++b) {
      if (b == a || !is_alive(b)) continue;
      if (partner_[a] == nobody || gain_(a, b) > gain_(a, partner_[a])) partner_[a] = b;
    }
  }

  void merge(std::size_t a, std::size_t b) {
    std::vector<std::size_t> in_both;
    if (objective_.c_part != 0) {
      for (std::size_t each = 0; each < objective_.items; ++each) {
        if (has_class_(a, each) != 0 && has_class_(b, each) != 0) in_both.push_back(each);
        has_class_(a, each) |= has_class_(b, each);
      }
    }
    merged_into_[b] = a;
    for (std::size_t c = 0; c < count_; ++c) {
      if (c == a || !is_alive(c)) continue;
      // A class that a, b and c have was taken off twice, and the cluster, too.
      double gain = gain_(a, c) + gain_(b, c) + objective_.c_cluster;
      for (const std::size_t each : in_both) gain += has_class_(c, each) * objective_.c_part;
      gain_(a, c) = gain;
      gain_(c, a) = gain;
    }
    for (std::size_t c = 0; c < count_; ++c) {
      if (!is_alive(c)) continue;
      if (c == a || partner_[c] == a || partner_[c] == b) {
        find_partner(c);
      } else {
        const double known = gain_(c, partner_[c]);
        if (gain_(c, a) > known || (gain_(c, a) == known && a < partner_[c])) partner_[c] = a;
      }
    }
  }

  const PartitionObjective& objective_;
  Partition& clusters_;
  double least_gain_;
  std::size_t count_;
  Table<double> gain_;
  Table<unsigned char> has_class_;
  std::vector<std::size_t> merged_into_;
  std::vector<std::size_t> partner_;
};

/// Step 3b: items go where they gain most, in their order, until none moves.
class Moving {
 public:
  Moving(const PartitionObjective& objective, Partition& canonical, double least_gain)
      : objective_(objective),
        clusters_(canonical),
        least_gain_(least_gain),
        to_cluster_(objective.items),
        of_class_(objective.c_part != 0 ? objective.items : 0),
        sizes_(objective.items + 1, 0) {
    for (std::size_t i = 0; i < objective.items; ++i) {
      for (std::size_t j = 0; j < objective.items; ++j) {
        to_cluster_(i, clusters_[j]) += objective.score(i, j);
      }
      ++sizes_[clusters_[i]];
      if (objective.c_part != 0) ++of_class_(clusters_[i], objective.classes[i]);
    }
    used_ = cluster_count(canonical);
  }

  void run() {
    bool moved = true;
    for (std::size_t pass = 0; moved && pass < most_passes; ++pass) {
      moved = false;
      for (std::size_t i = 0; i < objective_.items; ++i) moved = move(i) || moved;
    }
    clusters_ = canonical_partition(clusters_);
  }

 private:
  /// What c's parts lose without item i, or gain by it, when it is (or would be) alone of its
  /// class.
  [[nodiscard]] double part(std::size_t i, std::size_t c, std::uint32_t others) {
    if (objective_.c_part == 0) return 0;
    return of_class_(c, objective_.classes[i]) == others ? objective_.c_part : 0.0;
  }

  bool move(std::size_t i) {
    const std::size_t home = clusters_[i];
    double stay = to_cluster_(i, home) + part(i, home, 1);
    if (sizes_[home] == 1) stay += objective_.c_cluster;
    std::size_t best = home;
    double best_gain = least_gain_;
    std::size_t empty = nobody;
    for (std::size_t c = 0; c < used_; ++c) {
      if (c == home) continue;
      if (sizes_[c] == 0) {
        if (empty == nobody) empty = c;
        continue;
      }
      const double gain = to_cluster_(i, c) + part(i, c, 0) - stay;
      if (gain > best_gain) {
        best_gain = gain;
        best = c;
      }
    }
    if (sizes_[home] > 1) {
      const double alone = objective_.c_part + objective_.c_cluster;
      // There are fewer clusters than items, so a number is left.
      if (alone - stay > best_gain) best = empty == nobody ? used_ : empty;
    }
    if (best == home) return false;
    if (best == used_) ++used_;
    clusters_[i] = static_cast<std::uint32_t>(best);
    --sizes_[home];
    ++sizes_[best];
    if (objective_.c_part != 0) {
      --of_class_(home, objective_.classes[i]);
      ++of_class_(best, objective_.classes[i]);
    }
    for (std::size_t j = 0; j < objective_.items; ++j) {
      to_cluster_(j, home) -= objective_.score(i, j);
      to_cluster_(j, best) += objective_.score(i, j);
    }
    return true;
  }

  const PartitionObjective& objective_;
  Partition& clusters_;
  double least_gain_;
  Table<double> to_cluster_;
  Table<std::uint32_t> of_class_;
  std::vector<std::size_t> sizes_;
  std::size_t used_ = 0;
};

/// Step 3c, for one cluster: members of side 1 would leave. F rises by the value returned.
double split(const PartitionObjective& objective,
             std::span<const std::size_t> members,
             std::vector<char>& side) {
  const std::size_t size = members.size();
  std::size_t first = 0;
  std::size_t second = 1;
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = a + 1; b < size; ++b) {
      if (objective.score(members[a], members[b]) <
          objective.score(members[first], members[second])) {
        first = a;
        second = b;
      }
    }
  }
  side.assign(size, 0);
  for (std::size_t a = 0; a < size; ++a) {
    const bool leaves =
        objective.score(members[a], members[second]) > objective.score(members[a], members[first]);
    side[a] = a == second || (a != first && leaves) ? 1 : 0;
  }
  // towards[a]: scores to side 1 less those to side 0.
  std::vector<double> towards(size, 0.0);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) {
      const double score = objective.score(members[a], members[b]);
      towards[a] += side[b] != 0 ? score : -score;
    }
  }
  const double least_gain = least_gain_of(objective);
  bool changed = true;
  for (std::size_t pass = 0; changed && pass < most_passes; ++pass) {
    changed = false;
    for (std::size_t a = 0; a < size; ++a) {
      const double gain = side[a] != 0 ? -towards[a] : towards[a];
      if (a == first || a == second || !(gain > least_gain)) continue;
      side[a] = side[a] != 0 ? 0 : 1;
      const double twice = side[a] != 0 ? 2.0 : -2.0;
      for (std::size_t b = 0; b < size; ++b) {
        towards[b] += twice * objective.score(members[a], members[b]);
      }
      changed = true;
    }
  }
  double gain = objective.c_cluster;
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = a + 1; b < size; ++b) {
      if (side[a] != side[b]) gain -= objective.score(members[a], members[b]);
    }
  }
  if (objective.c_part != 0) {
    std::vector<unsigned> sides_of_class(objective.items, 0);
    for (std::size_t a = 0; a < size; ++a) {
      sides_of_class[objective.classes[members[a]]] |= side[a] != 0 ? 2U : 1U;
    }
    for (const unsigned sides : sides_of_class) gain += sides == 3 ? objective.c_part : 0.0;
  }
  return gain;
}

void split_clusters(const PartitionObjective& objective, Partition& canonical, double least_gain) {
  std::vector<std::vector<std::size_t>> members(cluster_count(canonical));
  for (std::size_t i = 0; i < canonical.size(); ++i) members[canonical[i]].push_back(i);
  std::size_t next = members.size();
  std::vector<char> side;
  for (const std::vector<std::size_t>& cluster : members) {
    // Of two items one can move away.
    if (cluster.size() < 3 || !(split(objective, cluster, side) > least_gain)) continue;
    for (std::size_t a = 0; a < cluster.size(); ++a) {
      if (side[a] != 0) canonical[cluster[a]] = static_cast<std::uint32_t>(next);
    }
    ++next;
  }
  canonical = canonical_partition(canonical);
}

}  // namespace

double PartitionObjective::value(std::span<const std::uint32_t> clusters) const {
  double sum = 0;
  for (std::size_t i = 0; i < items; ++i) {
    for (std::size_t j = i + 1; j < items; ++j) {
      if (clusters[i] == clusters[j]) sum += score(i, j);
    }
  }
  if (c_part == 0 && c_cluster == 0) return sum;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;
  for (std::size_t i = 0; i < items; ++i) {
    parts.emplace_back(clusters[i], classes.empty() ? 0 : classes[i]);
  }
  std::ranges::sort(parts);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (k == 0 || parts[k] != parts[k - 1]) sum += c_part;
    if (k == 0 || parts[k].first != parts[k - 1].first) sum += c_cluster;
  }
  return sum;
}

Partition improved_partition(const PartitionObjective& objective, Partition start) {
  const double least_gain = least_gain_of(objective);
  Partition clusters = canonical_partition(start);
  double value = objective.value(clusters);
  for (std::size_t round = 0; round < most_rounds; ++round) {
    Merging(objective, clusters, least_gain).run();
    Moving(objective, clusters, least_gain).run();
    split_clusters(objective, clusters, least_gain);
    const double now = objective.value(clusters);
    if (!(now > value + least_gain)) break;
    value = now;
  }
  return clusters;
}

}  // namespace maxmargin
