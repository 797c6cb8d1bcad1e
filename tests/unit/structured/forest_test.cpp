// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/tasks/forest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "maxmargin/core/error.hpp"
#include "maxmargin/structured/check_task.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "maxmargin/structured/tasks/partition.hpp"
#include "partition_cases.hpp"

namespace maxmargin {
namespace {

using Sample = std::pair<PartitionInput, LinkForest>;

constexpr std::uint32_t features = 4;

std::vector<double> random_weights(Rng& rng, std::size_t dimension = features) {
  std::vector<double> w(dimension);
  for (double& weight : w) weight = rng.normal();
  return w;
}

double score_of(const ForestTask& task,
                const PartitionInput& x,
                const LinkForest& y,
                std::span<const double> w) {
  FeatureVector psi;
  task.joint_features(x, y, psi);
  return psi.dot(w);
}

std::vector<Sample> samples(const ForestTask& task,
                            std::size_t most_items,
                            double share_of_pairs,
                            Rng& rng) {
  std::vector<Sample> result;
  for (std::size_t items = 0; items <= most_items; ++items) {
    for (std::size_t k = 0; k < 2; ++k) {
      PartitionInput x = random_pairs(items, features, share_of_pairs, rng);
      LinkForest truth = task.chain(x, random_partition(items, 1 + items / 2, rng));
      result.emplace_back(std::move(x), std::move(truth));
    }
  }
  return result;
}

/// Whether the links of y lie within clusters and no candidate could be added there: by trying all
/// candidates, which for_each_output names one at a time.
bool completes(const ForestTask& task,
               const PartitionInput& x,
               const Partition& clusters,
               const LinkForest& y) {
  const auto within = [&](const ItemPair& pair) {
    return clusters[pair.first] == clusters[pair.second];
  };
  if (!std::ranges::all_of(y.links, within)) return false;
  // Connected parts of what a forest links, by spreading the smallest number.
  std::vector<std::uint32_t> part(x.items);
  std::iota(part.begin(), part.end(), std::uint32_t{0});
  for (std::size_t round = 0; round < x.items; ++round) {
    for (const ItemPair& link : y.links) {
      part[link.first] = part[link.second] = std::min(part[link.first], part[link.second]);
    }
  }
  bool complete = true;
  task.for_each_output(x, [&](const LinkForest& other) {
    if (other.links.size() != 1) return;
    const ItemPair link = other.links.front();
    if (within(link) && part[link.first] != part[link.second]) complete = false;
  });
  return complete;
}

class Forests : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seeds, Forests, ::testing::Range(1u, 7u));

// seed-yu facts 45 and 46: prediction and loss-augmented forest equal enumeration, where all pairs
// are listed and where few are.
TEST_P(Forests, ArgmaxesReachTheBestOfAllForests) {
  Rng rng(GetParam());
  for (const double r : {1.0, 0.01, 3.0}) {
    for (const double share : {1.0, 0.3}) {
      const ForestTask task(features, {.wrong_link = r});
      const std::vector<Sample> cases = samples(task, 5, share, rng);
      const TaskCheck check = check_task(task, std::span<const Sample>(cases), rng);
      EXPECT_EQ(check.compared, 3 * 5 * cases.size());
      EXPECT_EQ(check.missed, 0u);
      EXPECT_TRUE(check.faults.empty()) << check.faults.front();
    }
  }
}

// seed-yu fact 48, and the candidates: the best of all forests that complete the truth, negative
// weights included; as many links as any of them, n - k where all pairs are listed.
TEST_P(Forests, CompletionsAreTheBestThatConnectTheTruth) {
  Rng rng(GetParam());
  for (const double share : {1.0, 0.3}) {
    const ForestTask task(features, {.wrong_link = 0.5});
    for (const auto& [x, truth] : samples(task, 5, share, rng)) {
      std::vector<double> w = random_weights(rng);
      if (GetParam() % 2 == 0) {
        for (double& weight : w) weight -= 2;  // mostly negative scores
      }
      const LinkForest found = task.complete(x, truth, w);
      double best = -std::numeric_limits<double>::infinity();
      const PartitionInput& input = x;
      const LinkForest& own = truth;
      std::size_t completions = 0;
      task.for_each_output(x, [&](const LinkForest& y) {
        if (!completes(task, input, own.clusters, y)) return;
        ++completions;
        EXPECT_EQ(y.links.size(), found.links.size());
        EXPECT_EQ(task.loss(own, y), 0);
        best = std::max(best, score_of(task, input, y, w));
      });
      EXPECT_NEAR(score_of(task, x, found, w), best, 1e-9);
      EXPECT_TRUE(completes(task, x, truth.clusters, found));
      EXPECT_EQ(task.has_one_completion(x, truth), completions == 1);
      EXPECT_EQ(found.clusters, truth.clusters);
      if (share == 1.0 && x.items > 0) {
        EXPECT_EQ(found.links.size(), x.items - *std::ranges::max_element(truth.clusters) - 1);
      }
      for (std::size_t k = 0; k < 5; ++k) {
        const LinkForest other = task.random_completion(x, truth, rng);
        EXPECT_TRUE(completes(task, x, truth.clusters, other));
        EXPECT_EQ(other.links.size(), found.links.size());
        EXPECT_EQ(task.loss(truth, other), 0);
      }
    }
  }
}

// seed-yu fact 47: the loss is >= 0 and, for r > 0, 0 for those forests alone that complete the
// truth; (5.8) where all pairs are listed.
TEST_P(Forests, OnlyForestsThatCompleteTheTruthHaveNoLoss) {
  Rng rng(GetParam());
  for (const double r : {1.0, 0.01}) {
    for (const double share : {1.0, 0.3}) {
      const ForestTask task(features, {.wrong_link = r});
      for (const auto& [x, truth] : samples(task, 5, share, rng)) {
        const PartitionInput& input = x;
        const LinkForest& own = truth;
        const std::size_t clusters =
            x.items == 0 ? 0 : std::size_t{*std::ranges::max_element(own.clusters)} + 1;
        task.for_each_output(x, [&](const LinkForest& y) {
          const double loss = task.loss(own, y);
          EXPECT_GE(loss, 0);
          EXPECT_EQ(loss == 0, completes(task, input, own.clusters, y));
          if (share < 1) return;
          EXPECT_EQ(loss == 0, y.clusters == own.clusters);
          double printed = static_cast<double>(input.items - clusters);
          for (const ItemPair& link : y.links) {
            printed += own.clusters[link.first] == own.clusters[link.second] ? -1 : r;
          }
          EXPECT_NEAR(loss, printed, 1e-12);
        });
      }
    }
  }
}

// The least loss of a forest with given trees is the link loss of partitions.
TEST(ForestTask, LeastLossOfTreesIsTheLinkLossOfPartitions) {
  Rng rng(3);
  const PartitionInput x = random_pairs(5, features, 1, rng);
  for (const double r : {1.0, 0.2}) {
    const ForestTask task(features, {.wrong_link = r});
    const PartitionTask partitions(features, {.loss = PartitionLoss::links, .wrong_link = r});
    const LinkForest truth = task.chain(x, {0, 0, 1, 1, 0});
    partitions.for_each_output(x, [&](const Partition& y) {
      double least = std::numeric_limits<double>::infinity();
      task.for_each_output(x, [&](const LinkForest& forest) {
        if (forest.clusters == y) least = std::min(least, task.loss(truth, forest));
      });
      EXPECT_NEAR(partitions.loss(truth.clusters, y), least, 1e-12);
    });
  }
}

TEST(ForestTask, OutputsAreAllForestsOfTheCandidatesOnce) {
  const ForestTask task(1);
  Rng rng(4);
  const std::vector<std::size_t> forests = {1, 1, 2, 7, 38, 291};
  for (std::size_t items = 0; items < forests.size(); ++items) {
    std::vector<std::vector<ItemPair>> seen;
    task.for_each_output(random_pairs(items, 1, 1, rng),
                         [&](const LinkForest& y) { seen.push_back(y.links); });
    std::ranges::sort(seen);
    EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
    EXPECT_EQ(seen.size(), forests[items]);
    // Neighbours alone are candidates where nothing is listed: 2^(items - 1) forests.
    std::size_t count = 0;
    task.for_each_output({.items = items}, [&](const LinkForest&) { ++count; });
    EXPECT_EQ(count, items == 0 ? 1u : std::size_t{1} << (items - 1));
  }
}

TEST(ForestTask, TheChainLinksNeighboursOfAClusterAndNearOnesWhereTheyAreNoCandidates) {
  const ForestTask task(1);
  Rng rng(5);
  const PartitionInput all = random_pairs(6, 1, 1, rng);
  using Links = std::vector<ItemPair>;
  EXPECT_EQ(task.chain(all, {0, 1, 0, 2, 1, 0}).links, (Links{{0, 2}, {1, 4}, {2, 5}}));
  EXPECT_EQ(task.chain(all, {0, 1, 2, 3, 4, 5}).links, Links());
  // Of 0, 2, 4, 5 the pairs 0-4 and 2-4 are listed, and 4-5 is a candidate without features.
  const PartitionInput few{
      .items = 6, .pairs = {{0, 4}, {2, 4}}, .begins = {0, 1, 2}, .indices = {0, 0}};
  EXPECT_EQ(task.chain(few, {0, 1, 0, 1, 0, 0}).links, (Links{{0, 4}, {2, 4}, {4, 5}}));
  // What no candidate joins stays in parts: 1 and 3.
  EXPECT_EQ(task.chain(few, {0, 1, 0, 1, 0, 0}).clusters, (Partition{0, 1, 0, 1, 0, 0}));
}

// A pair that is not listed has the score 0: across true clusters it is a rival's link, and leaving
// it out would take a larger rival for none.
TEST(ForestTask, RivalsLinkCandidatesWithoutFeatures) {
  const ForestTask task(1, {.wrong_link = 0.5});
  const PartitionInput x{.items = 3};
  const LinkForest truth = task.chain(x, {0, 1, 1});
  EXPECT_EQ(truth.links, (std::vector<ItemPair>{{1, 2}}));
  const LinkForest rival = task.loss_augmented_argmax(x, truth, std::vector<double>{1});
  EXPECT_EQ(rival.links, (std::vector<ItemPair>{{0, 1}}));
  EXPECT_EQ(task.loss(truth, rival), 1.5);
}

TEST(ForestTask, FeaturesAreSumsOverLinks) {
  const ForestTask task(3);
  const PartitionInput x{.items = 4,
                         .pairs = {{0, 1}, {0, 2}, {1, 2}},
                         .begins = {0, 2, 3, 4},
                         .indices = {0, 2, 0, 1},
                         .values = {1, 2, 4, 8}};
  const auto features_of = [&](const std::vector<ItemPair>& links) {
    FeatureVector psi;
    task.joint_features(x, {.links = links}, psi);
    std::vector<double> dense(3, 0.0);
    psi.add_to(1, dense);
    return dense;
  };
  EXPECT_EQ(features_of({}), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(features_of({{0, 1}, {1, 2}}), (std::vector<double>{1, 8, 2}));
  EXPECT_EQ(features_of({{0, 1}, {0, 2}, {2, 3}}), (std::vector<double>{5, 0, 2}));
}

// Equal weights, at w = 0 all of them, are no matter of chance.
TEST(ForestTask, EqualScoresGiveTheFirstLinks) {
  const ForestTask task(features);
  Rng rng(6);
  const PartitionInput x = random_pairs(5, features, 1, rng);
  const std::vector<double> w(features, 0.0);
  const LinkForest truth = task.chain(x, {0, 0, 0, 0, 1});
  EXPECT_EQ(task.complete(x, truth, w).links, (std::vector<ItemPair>{{0, 1}, {0, 2}, {0, 3}}));
  EXPECT_TRUE(task.predict(x, w).links.empty());
  EXPECT_EQ(task.predict(x, w).clusters, (Partition{0, 1, 2, 3, 4}));
  // Features that the weights do not know count nothing.
  EXPECT_TRUE(task.predict(x, {}).links.empty());
}

// Larger than brute force can go: no exchange of one link improves a forest.
TEST(ForestTask, NoExchangeOfALinkImprovesALargeForest) {
  Rng rng(7);
  const ForestTask task(features, {.wrong_link = 0.3});
  const PartitionInput x = random_pairs(40, features, 0.5, rng);
  const std::vector<double> w = random_weights(rng);
  const LinkForest truth = task.chain(x, random_partition(40, 8, rng));
  const LinkForest rival = task.loss_augmented_argmax(x, truth, w);
  const auto value = [&](const LinkForest& y) {
    return task.loss(truth, y) + score_of(task, x, y, w);
  };
  const double best = value(rival);
  EXPECT_GT(rival.links.size(), 20u);
  const auto is_forest = [&](const std::vector<ItemPair>& links) {
    std::vector<std::uint32_t> part(x.items);
    std::iota(part.begin(), part.end(), std::uint32_t{0});
    for (const ItemPair& link : links) {
      const std::uint32_t from = part[link.second];
      if (from == part[link.first]) return false;
      std::ranges::replace(part, from, part[link.first]);
    }
    return true;
  };
  for (std::size_t out = 0; out <= rival.links.size(); ++out) {
    LinkForest less = rival;
    if (out < less.links.size()) {
      less.links.erase(less.links.begin() + static_cast<std::ptrdiff_t>(out));
      EXPECT_LE(value(less), best + 1e-9);
    }
    for (const ItemPair& pair : x.pairs) {
      LinkForest other = less;
      if (std::ranges::find(other.links, pair) != other.links.end()) continue;
      other.links.push_back(pair);
      if (!is_forest(other.links)) continue;
      EXPECT_LE(value(other), best + 1e-9);
    }
  }
}

// Every slack is at least the loss of the prediction, at any weights and completion.
TEST(ForestTask, SlacksAreAtLeastLossesOfPredictions) {
  Rng rng(8);
  const ForestTask task(features, {.wrong_link = 0.2});
  for (std::size_t round = 0; round < 20; ++round) {
    const std::vector<double> w = random_weights(rng);
    std::vector<PartitionInput> inputs;
    std::vector<LinkForest> truths;
    for (std::size_t k = 0; k < 4; ++k) {
      inputs.push_back(random_pairs(12, features, k % 2 == 0 ? 1.0 : 0.3, rng));
      const LinkForest start = task.chain(inputs.back(), random_partition(12, 4, rng));
      truths.push_back(task.complete(inputs.back(), start, w));
    }
    const StructuralHinge<ForestTask> risk(task, inputs, truths);
    EXPECT_TRUE(risk.is_exact());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      StructuralPlane plane;
      risk.largest_plane(i, w, plane);
      EXPECT_GE(plane.offset - plane.slope.dot(w),
                task.loss(truths[i], task.predict(inputs[i], w)) - 1e-9);
    }
    EXPECT_EQ(risk.misses(), 0u);
  }
}

TEST(ForestTask, MemoryOfAnArgmaxGrowsWithCandidates) {
  const ForestTask task(1);
  Rng rng(9);
  EXPECT_EQ(task.argmax_bytes({}), 0u);
  EXPECT_EQ(task.argmax_bytes(random_pairs(100, 1, 1, rng)), 16u * (4950 + 100) + 32u * 100);
}

TEST(ForestTask, WrongInputIsRefusedByName) {
  const auto message = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const InvalidArgument& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(message([] { ForestTask(1, {.wrong_link = -1}); }),
            "--wrong-link -1: must be a finite number > 0");
  EXPECT_NE(message([] { ForestTask(1, {.wrong_link = 0}); }), "");
  EXPECT_EQ(message([] { ForestTask(1, {.wrong_link = std::nan("")}); }),
            "--wrong-link nan: must be a finite number > 0");
  const ForestTask task(1);
  FeatureVector psi;
  EXPECT_NE(message([&] { task.joint_features({.items = 3}, {.links = {{0, 2}}}, psi); }), "");
  EXPECT_NE(message([&] { task.joint_features({.items = 3}, {.links = {{2, 3}}}, psi); }), "");
  EXPECT_NE(message([&] { (void)task.loss({.clusters = {0, 1}}, {.links = {{1, 2}}}); }), "");
  // A truth without its links.
  EXPECT_EQ(message([&] {
              (void)task.loss({.clusters = {0, 0}}, {.links = {{0, 1}}});
            }),
            "the truth is not complete: see ForestTask::complete");
  EXPECT_NE(message([&] { (void)task.chain({.items = 2}, {0}); }), "");
  EXPECT_NE(message([&] { (void)task.chain({.items = 2}, {1, 0}); }), "");
  EXPECT_NE(message([&] { (void)task.loss_augmented_argmax({.items = 2}, {}, {}); }), "");
  // Weights whose sum overflows to both sides.
  const PartitionInput x{.items = 2, .pairs = {{0, 1}}, .begins = {0, 2}, .indices = {0, 1}};
  const std::vector<double> w = {std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity()};
  EXPECT_NE(message([&] { (void)ForestTask(2).predict(x, w); }).find("not a number"),
            std::string::npos);
}

}  // namespace
}  // namespace maxmargin
