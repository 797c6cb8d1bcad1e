// SPDX-License-Identifier: Apache-2.0
#include "cluster/hierarchical/dendrogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "cluster/union_find.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "solver/cluster_numbers.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

namespace hierarchical {

Dendrogram tree_of(std::size_t n, std::vector<Link> links) {
  std::ranges::stable_sort(links, {}, &Link::height);
  Dendrogram tree{.points = n};
  tree.merges.reserve(links.size());
  UnionFind groups(n);
  std::vector<std::size_t> name(n);  // of a group, by its root
  std::iota(name.begin(), name.end(), std::size_t{0});
  for (const Link& link : links) {
    const std::size_t a = name[groups.root(link.a)];
    const std::size_t b = name[groups.root(link.b)];
    groups.unite(link.a, link.b);
    name[groups.root(link.a)] = n + tree.merges.size();
    tree.merges.push_back({std::min(a, b), std::max(a, b), link.height});
  }
  return tree;
}

Dendrogram tree_of_some(std::size_t n,
                        std::vector<Link> links,
                        std::size_t k,
                        const std::function<double(std::size_t, std::size_t)>& between) {
  UnionFind groups(n);
  for (const Link& link : links) groups.unite(link.a, link.b);
  std::vector<std::size_t> sizes(n, 0);
  for (std::size_t i = 0; i < n; ++i) ++sizes[groups.root(i)];
  // The clusters by their first points, the largest first.
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < n; ++i) {
    if (sizes[i] > 0) first.push_back(i);
  }
  const auto largest = std::ranges::max_element(first, {}, [&](std::size_t i) { return sizes[i]; });
  std::iter_swap(first.begin(), largest);
  constexpr std::size_t most_picked = 16;  // who has stopped the work will not wait
  // A cluster and the nearest of those picked; guesses[h - 1] is that of the one picked as h-th.
  std::vector<Link> guesses;
  for (std::size_t c = 1; c < first.size(); ++c) guesses.push_back({0, first[c], infinity});
  for (std::size_t h = 0; h < std::min(k, most_picked); ++h) {
    for (std::size_t c = h; c < guesses.size(); ++c) {
      const double distance = between(first[h], guesses[c].b);
      if (distance < guesses[c].height) guesses[c] = {first[h], guesses[c].b, distance};
    }
    const auto rest = guesses.begin() + static_cast<std::ptrdiff_t>(h);
    if (rest == guesses.end()) break;
    std::iter_swap(rest, std::ranges::max_element(rest, guesses.end(), {}, &Link::height));
    first[h + 1] = guesses[h].b;
  }
  links.insert(links.end(), guesses.begin(), guesses.end());
  return tree_of(n, std::move(links));
}

FoundLinks spanning_tree(std::size_t n, const DistanceRow& row, const AskMerges& ask) {
  // nearest[j]: the distance of j to the tree so far, and the point of the tree where it is met.
  std::vector<double> nearest(n, infinity);
  std::vector<std::size_t> at(n, 0);
  std::vector<char> is_in_tree(n, 0);
  std::vector<double> distances(n);
  std::vector<Link> links;
  std::size_t last = 0;
  for (std::size_t step = 1; step < n; ++step) {
    if (step % merges_between_questions == 0) {
      if (const Continue answer = ask(links.size()); answer != Continue::yes) {
        return {std::move(links), answer};
      }
    }
    is_in_tree[last] = 1;
    row(last, distances);
    std::size_t next = n;
    for (std::size_t j = 0; j < n; ++j) {
      if (is_in_tree[j] != 0) continue;
      if (distances[j] < nearest[j]) {
        nearest[j] = distances[j];
        at[j] = last;
      }
      if (next == n || nearest[j] < nearest[next]) next = j;
    }
    links.push_back({at[next], next, nearest[next]});
    last = next;
  }
  return {std::move(links), Continue::yes};
}

}  // namespace hierarchical

std::vector<std::int32_t> Dendrogram::labels(std::size_t k) const {
  require_field(k >= 1 && k <= points,
                "the number of clusters",
                static_cast<double>(k),
                "from 1 to the number of points, " + std::to_string(points));
  maxmargin::validate(*this);
  // Every cluster by one of its points.
  std::vector<std::size_t> member(points + merges.size());
  std::iota(member.begin(), member.begin() + static_cast<std::ptrdiff_t>(points), std::size_t{0});
  UnionFind groups(points);
  for (std::size_t t = 0; t + k < points; ++t) {
    groups.unite(member[merges[t].first], member[merges[t].second]);
    member[points + t] = member[merges[t].first];
  }
  return number_by_size(groups.numbers(), k).labels;
}

std::size_t Dendrogram::clusters_at(double height) const {
  const auto made = std::ranges::upper_bound(merges, height, {}, &Merge::height) - merges.begin();
  return points - static_cast<std::size_t>(made);
}

void Dendrogram::describe(OptionVisitor& visit) {
  visit.check([this] {
    require(merges.size() + 1 == std::max<std::size_t>(points, 1),
            "Dendrogram: there must be one merge less than points");
    std::vector<bool> is_used(points + merges.size(), false);
    for (std::size_t t = 0; t < merges.size(); ++t) {
      const Merge& merge = merges[t];
      const bool fits = merge.first < merge.second && merge.second < points + t &&
                        !is_used[merge.first] && !is_used[merge.second];
      require(fits,
              "Dendrogram: merge " + std::to_string(t) +
                  " must join two different clusters that are there and not joined yet");
      require(merge.height >= (t > 0 ? merges[t - 1].height : 0.0),
              "Dendrogram: the heights must be >= 0 and never fall");
      is_used[merge.first] = true;
      is_used[merge.second] = true;
    }
  });
}

}  // namespace maxmargin
