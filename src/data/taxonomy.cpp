// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/taxonomy.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

/// All names of the links, sorted, each once.
std::vector<Label> names_of(std::span<const TaxonomyLink> links) {
  std::vector<Label> names;
  for (const TaxonomyLink& link : links) {
    names.push_back(link.node);
    if (link.parent) names.push_back(*link.parent);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::uint32_t position(std::span<const Label> names, const Label& name) {
  return narrow<std::uint32_t>(std::ranges::lower_bound(names, name) - names.begin());
}

/// The parent of every name, by position.
std::vector<std::uint32_t> parents_of(std::span<const TaxonomyLink> links,
                                      std::span<const Label> names) {
  std::vector<std::uint32_t> parents(names.size(), Taxonomy::no_parent);
  std::vector<bool> has_link(names.size(), false);
  for (const TaxonomyLink& link : links) {
    const std::uint32_t node = position(names, link.node);
    if (has_link[node]) {
      throw InvalidArgument("Taxonomy: the node \"" + link.node.text() + "\" comes twice");
    }
    has_link[node] = true;
    if (link.parent) parents[node] = position(names, *link.parent);
  }
  return parents;
}

/// 1 at the top. Walks up to a node whose depth is known, then down again.
std::vector<std::uint32_t> depths_of(std::span<const std::uint32_t> parents,
                                     std::span<const Label> names) {
  std::vector<std::uint32_t> depths(parents.size(), 0);
  std::vector<bool> on_walk(parents.size(), false);
  std::vector<std::uint32_t> walk;
  for (std::uint32_t start = 0; start < parents.size(); ++start) {
    std::uint32_t node = start;
    for (; node != Taxonomy::no_parent && depths[node] == 0; node = parents[node]) {
      if (on_walk[node]) {
        throw InvalidArgument("Taxonomy: the node \"" + names[node].text() + "\" is above itself");
      }
      on_walk[node] = true;
      walk.push_back(node);
    }
    std::uint32_t depth = node == Taxonomy::no_parent ? 0 : depths[node];
    for (; !walk.empty(); walk.pop_back()) depths[walk.back()] = ++depth;
  }
  return depths;
}

}  // namespace

Taxonomy::Taxonomy(std::span<const TaxonomyLink> links) {
  const std::vector<Label> names = names_of(links);
  const std::vector<std::uint32_t> parents = parents_of(links, names);
  const std::vector<std::uint32_t> depths = depths_of(parents, names);
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t at) { return depths[at]; });
  by_name_.resize(order.size());
  for (std::uint32_t node = 0; node < order.size(); ++node) by_name_[order[node]] = node;
  leaf_.assign(order.size(), 1);
  for (const std::uint32_t at : order) {
    names_.push_back(names[at]);
    depths_.push_back(depths[at]);
    parents_.push_back(parents[at] == no_parent ? no_parent : by_name_[parents[at]]);
    if (parents_.back() != no_parent) leaf_[parents_.back()] = 0;
  }
}

std::optional<std::uint32_t> Taxonomy::find(const Label& name) const {
  const auto name_of = [&](std::uint32_t node) -> const Label& { return names_[node]; };
  const auto at = std::ranges::lower_bound(by_name_, name, {}, name_of);
  if (at == by_name_.end() || names_[*at] != name) return std::nullopt;
  return *at;
}

std::size_t Taxonomy::edges_between(std::uint32_t a, std::uint32_t b) const {
  std::size_t edges = 0;
  // The deeper one climbs; at the top both climb to the nameless root.
  while (a != b) {
    const std::uint32_t depth_a = a == no_parent ? 0 : depths_[a];
    const std::uint32_t depth_b = b == no_parent ? 0 : depths_[b];
    std::uint32_t& deeper = depth_a >= depth_b ? a : b;
    deeper = parents_[deeper];
    ++edges;
  }
  return edges;
}

}  // namespace maxmargin
