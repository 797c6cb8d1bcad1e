// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/taxonomy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

Label named(const char* name) { return Label::parse(name); }

std::string problem_of(const std::vector<TaxonomyLink>& links) {
  try {
    const Taxonomy tree(links);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

TEST(Taxonomy, NumbersParentsBeforeChildrenAndLabelsInOrder) {
  const Taxonomy tree(std::vector<TaxonomyLink>{{named("dog"), named("mammal")},
                                                {named("hen"), named("bird")},
                                                {named("cat"), named("mammal")},
                                                {named("bird"), named("animal")},
                                                {named("mammal"), named("animal")},
                                                {named("moss")}});
  std::vector<std::string> names;
  for (std::uint32_t v = 0; v < tree.size(); ++v) names.push_back(tree.name(v).text());
  EXPECT_EQ(names,
            (std::vector<std::string>{"animal", "moss", "bird", "mammal", "cat", "dog", "hen"}));
  EXPECT_EQ(tree.depth(0), 1u);
  EXPECT_EQ(tree.depth(6), 3u);
  EXPECT_EQ(tree.parent(0), Taxonomy::no_parent);
  EXPECT_EQ(tree.parent(6), 2u);
  EXPECT_TRUE(tree.is_leaf(1));
  EXPECT_FALSE(tree.is_leaf(2));
  EXPECT_EQ(tree.find(named("cat")), 4u);
  EXPECT_EQ(tree.find(named("cow")), std::nullopt);
  EXPECT_EQ(tree.edges_between(4, 5), 2u);  // cat, dog
  EXPECT_EQ(tree.edges_between(4, 6), 4u);  // cat, hen
  EXPECT_EQ(tree.edges_between(4, 1), 4u);  // cat, moss: over the nameless root
  EXPECT_EQ(tree.edges_between(4, 0), 2u);  // cat, animal
  EXPECT_EQ(tree.edges_between(3, 3), 0u);
}

TEST(Taxonomy, DistancesEqualBreadthFirstSearch) {
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    Rng rng(seed);
    const std::size_t n = 15;
    std::vector<TaxonomyLink> links;
    for (std::size_t v = 0; v < n; ++v) {
      TaxonomyLink link = {.node = Label(static_cast<double>(v))};
      if (v > 0 && !rng.bernoulli(0.2)) link.parent = Label(static_cast<double>(rng.index(v)));
      links.push_back(link);
    }
    rng.shuffle(std::span(links));
    const Taxonomy tree(links);
    ASSERT_EQ(tree.size(), n);
    // Node n is the nameless root.
    std::vector<std::vector<std::size_t>> beside(n + 1);
    for (std::uint32_t v = 0; v < n; ++v) {
      const std::size_t up = tree.parent(v) == Taxonomy::no_parent ? n : tree.parent(v);
      EXPECT_TRUE(up == n || up < v);
      beside[v].push_back(up);
      beside[up].push_back(v);
    }
    for (std::uint32_t a = 0; a < n; ++a) {
      std::vector<std::size_t> distance(n + 1, n + 1);
      distance[a] = 0;
      std::queue<std::size_t> next;
      next.push(a);
      for (; !next.empty(); next.pop()) {
        for (const std::size_t other : beside[next.front()]) {
          if (distance[other] <= n) continue;
          distance[other] = distance[next.front()] + 1;
          next.push(other);
        }
      }
      for (std::uint32_t b = 0; b < n; ++b) EXPECT_EQ(tree.edges_between(a, b), distance[b]);
    }
  }
}

TEST(Taxonomy, WhatIsNoTreeIsRefused) {
  EXPECT_EQ(problem_of({{named("a"), named("b")}, {named("a"), named("c")}}),
            "Taxonomy: the node \"a\" comes twice");
  EXPECT_EQ(problem_of({{named("a"), named("a")}}), "Taxonomy: the node \"a\" is above itself");
  EXPECT_EQ(problem_of({{named("x"), named("a")},
                        {named("a"), named("b")},
                        {named("b"), named("c")},
                        {named("c"), named("a")}}),
            "Taxonomy: the node \"a\" is above itself");
  EXPECT_EQ(problem_of({}), "none");
}

TEST(Taxonomy, LongChainsAreWalkedOnce) {
  std::vector<TaxonomyLink> links;
  for (int v = 0; v < 20000; ++v) links.push_back({Label(1.0 * v), Label(v + 1.0)});
  const Taxonomy tree(links);
  EXPECT_EQ(tree.depth(20000), 20001u);
  EXPECT_EQ(tree.edges_between(0, 20000), 20000u);
}

}  // namespace
}  // namespace maxmargin
