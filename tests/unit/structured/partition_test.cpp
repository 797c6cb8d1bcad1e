// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/tasks/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "maxmargin/core/error.hpp"
#include "maxmargin/metric/structured/partition.hpp"
#include "maxmargin/structured/check_task.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "partition_cases.hpp"
#include "solver/linear/linear.hpp"
#include "solver/structural/methods.hpp"

namespace maxmargin {
namespace {

using Sample = std::pair<PartitionInput, Partition>;

constexpr std::uint32_t features = 4;

std::vector<Sample> samples(std::size_t most_items, double share_of_pairs, Rng& rng) {
  std::vector<Sample> result;
  for (std::size_t items = 0; items <= most_items; ++items) {
    for (std::size_t k = 0; k < 2; ++k) {
      result.emplace_back(random_pairs(items, features, share_of_pairs, rng),
                          random_partition(items, 1 + items / 2, rng));
    }
  }
  return result;
}

double score_of(const PartitionTask& task,
                const PartitionInput& x,
                const Partition& y,
                std::span<const double> w) {
  FeatureVector psi;
  task.joint_features(x, y, psi);
  return psi.dot(w);
}

std::vector<double> random_weights(std::size_t dimension, Rng& rng) {
  std::vector<double> w(dimension);
  for (double& weight : w) weight = rng.normal();
  return w;
}

const std::vector<PartitionOptions> all_losses = {
    {.loss = PartitionLoss::pairs},
    {.loss = PartitionLoss::links},
    {.loss = PartitionLoss::links, .wrong_link = 0.01},
    {.loss = PartitionLoss::links, .wrong_link = 0},
    {.loss = PartitionLoss::links, .wrong_link = 3}};

class PartitionTasks : public ::testing::TestWithParam<unsigned> {};

TEST_P(PartitionTasks, ExactSearchReachesTheBestOfAllPartitions) {
  Rng rng(GetParam());
  for (const PartitionOptions& options : all_losses) {
    for (const double share : {1.0, 0.3}) {
      const ExactPartitionTask task(features, options);
      const std::vector<Sample> cases = samples(7, share, rng);
      const TaskCheck check = check_task(task, std::span<const Sample>(cases), rng);
      EXPECT_EQ(check.compared, 2 * 5 * cases.size());
      EXPECT_EQ(check.missed, 0u);
      EXPECT_TRUE(check.faults.empty()) << check.faults.front();
    }
  }
}

TEST_P(PartitionTasks, MissesOfLocalSearchAreCountedAndFew) {
  Rng rng(GetParam());
  for (PartitionOptions options : all_losses) {
    options.exact_items = 0;
    const PartitionTask task(features, options);
    const std::vector<Sample> cases = samples(7, 1.0, rng);
    const TaskCheck check = check_task(task, std::span<const Sample>(cases), rng);
    // Inexact: a miss is no fault.
    EXPECT_TRUE(check.faults.empty()) << check.faults.front();
    EXPECT_LE(check.missed, check.compared / 10);
  }
}

TEST_P(PartitionTasks, LocalSearchIsNeverBelowTheTruth) {
  Rng rng(GetParam());
  for (PartitionOptions options : all_losses) {
    options.exact_items = GetParam() % 2 == 0 ? 0 : 12;
    const PartitionTask task(features, options);
    for (const std::size_t items : std::vector<std::size_t>{5, 13, 40}) {
      for (const double share : {1.0, 0.1}) {
        const PartitionInput x = random_pairs(items, features, share, rng);
        const Partition truth = random_partition(items, 1 + items / 3, rng);
        const std::vector<double> w = random_weights(features, rng);
        const Partition rival = task.loss_augmented_argmax(x, truth, w);
        EXPECT_TRUE(is_canonical(rival));
        EXPECT_GE(task.loss(truth, rival) + score_of(task, x, rival, w),
                  score_of(task, x, truth, w) - 1e-9);
        // And prediction starts from items alone.
        EXPECT_GE(score_of(task, x, task.predict(x, w), w), -1e-9);
      }
    }
  }
}

// Items whose pairs do not reach each other are divided by themselves, so many items are exact.
TEST_P(PartitionTasks, ComponentsAreSolvedExactly) {
  Rng rng(GetParam());
  // The link loss has plain sums as scores, which add up over groups.
  const PartitionTask task(features, {.loss = PartitionLoss::links, .exact_items = 6});
  const ExactPartitionTask exact(features, {.loss = PartitionLoss::links});
  const std::vector<double> w = random_weights(features, rng);
  constexpr std::size_t groups = 5;
  constexpr std::size_t size = 6;
  // Item a of group g is number a * groups + g.
  PartitionInput all{.items = groups * size};
  std::vector<PartitionInput> parts;
  for (std::size_t g = 0; g < groups; ++g) parts.push_back(random_pairs(size, features, 1, rng));
  std::vector<std::tuple<ItemPair, std::size_t, std::size_t>> order;
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t p = 0; p < parts[g].pairs.size(); ++p) {
      const auto number = [&](std::uint32_t item) {
        return static_cast<std::uint32_t>(item * groups + g);
      };
      const ItemPair pair = parts[g].pairs[p];
      order.push_back({{number(pair.first), number(pair.second)}, g, p});
    }
  }
  std::ranges::sort(order);
  for (const auto& [pair, g, p] : order) {
    all.pairs.push_back(pair);
    for (std::size_t e = parts[g].begins[p]; e < parts[g].begins[p + 1]; ++e) {
      all.indices.push_back(parts[g].indices[e]);
      all.values.push_back(parts[g].values[e]);
    }
    all.begins.push_back(all.indices.size());
  }
  data_of_one(all, features).validate();
  const Partition found = task.predict(all, w);
  double best = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    best += score_of(exact, parts[g], exact.predict(parts[g], w), w);
  }
  EXPECT_NEAR(score_of(task, all, found, w), best, 1e-9);
}

TEST_P(PartitionTasks, OtherNumbersOfItemsGiveTheSamePartition) {
  Rng rng(GetParam());
  const ExactPartitionTask task(features);
  const PartitionInput x = random_pairs(8, features, 0.8, rng);
  const std::vector<double> w = random_weights(features, rng);
  const std::vector<std::size_t> number = rng.permutation(8);
  std::vector<std::pair<ItemPair, std::size_t>> order;
  for (std::size_t p = 0; p < x.pairs.size(); ++p) {
    const auto a = static_cast<std::uint32_t>(number[x.pairs[p].first]);
    const auto b = static_cast<std::uint32_t>(number[x.pairs[p].second]);
    order.push_back({{std::min(a, b), std::max(a, b)}, p});
  }
  std::ranges::sort(order);
  PartitionInput other{.items = 8};
  for (const auto& [pair, p] : order) {
    other.pairs.push_back(pair);
    for (std::size_t e = x.begins[p]; e < x.begins[p + 1]; ++e) {
      other.indices.push_back(x.indices[e]);
      other.values.push_back(x.values[e]);
    }
    other.begins.push_back(other.indices.size());
  }
  const Partition y = task.predict(x, w);
  const Partition of_other = task.predict(other, w);
  std::vector<std::uint32_t> back(8);
  for (std::size_t i = 0; i < 8; ++i) back[i] = of_other[number[i]];
  EXPECT_EQ(canonical_partition(back), y);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PartitionTasks, ::testing::Range(1u, 7u));

TEST(PartitionTask, OutputsAreAllSetPartitionsOnceInOrder) {
  const PartitionTask task(1);
  const std::vector<std::size_t> bell = {1, 1, 2, 5, 15, 52, 203, 877, 4140};
  for (std::size_t items = 0; items < bell.size(); ++items) {
    std::size_t count = 0;
    Partition last;
    task.for_each_output({.items = items}, [&](const Partition& y) {
      EXPECT_EQ(y.size(), items);
      EXPECT_TRUE(is_canonical(y));
      EXPECT_TRUE(count == 0 || last < y);
      last = y;
      ++count;
    });
    EXPECT_EQ(count, bell[items]);
  }
}

TEST(PartitionTask, FeaturesAreSumsWithinClusters) {
  const PartitionTask task(3, {.loss = PartitionLoss::links});
  const PartitionInput x{.items = 3,
                         .pairs = {{0, 1}, {0, 2}, {1, 2}},
                         .begins = {0, 2, 3, 4},
                         .indices = {0, 2, 0, 1},
                         .values = {1, 2, 4, 8}};
  const auto features_of = [&](const Partition& y, const PartitionTask& of) {
    FeatureVector psi;
    of.joint_features(x, y, psi);
    std::vector<double> dense(3, 0.0);
    psi.add_to(1, dense);
    return dense;
  };
  EXPECT_EQ(features_of({0, 1, 2}, task), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(features_of({0, 0, 1}, task), (std::vector<double>{1, 0, 2}));
  EXPECT_EQ(features_of({0, 1, 0}, task), (std::vector<double>{4, 0, 0}));
  EXPECT_EQ(features_of({0, 0, 0}, task), (std::vector<double>{5, 8, 2}));
  // With the pair loss a pair has the same share in the features as in the loss: one of three.
  const PartitionTask of_pairs(3);
  const std::vector<double> shares = features_of({0, 0, 0}, of_pairs);
  EXPECT_DOUBLE_EQ(shares[0], 5.0 / 3);
  EXPECT_DOUBLE_EQ(shares[1], 8.0 / 3);
  EXPECT_DOUBLE_EQ(shares[2], 2.0 / 3);
}

TEST(PartitionTask, PairLossIsTheShareOfWrongPairs) {
  const PartitionTask task(1);
  EXPECT_EQ(task.loss({0, 0, 1, 1}, {0, 0, 1, 1}), 0);
  EXPECT_EQ(task.loss({0, 0, 1, 1}, {0, 1, 2, 3}), 2.0 / 6);
  EXPECT_EQ(task.loss({0, 0, 1, 1}, {0, 0, 0, 0}), 4.0 / 6);
  EXPECT_EQ(task.loss({0, 0, 1, 1}, {0, 1, 0, 1}), 4.0 / 6);
  EXPECT_EQ(task.loss({0, 1}, {0, 0}), 1);
  EXPECT_EQ(task.loss({0}, {0}), 0);
  EXPECT_EQ(task.loss({}, {}), 0);
  // The loss that the metric reports.
  Rng rng(5);
  for (std::size_t k = 0; k < 20; ++k) {
    const Partition a = random_partition(9, 4, rng);
    const Partition b = random_partition(9, 4, rng);
    EXPECT_NEAR(task.loss(a, b), score_partition(a, b).pair_loss(), 1e-12);
  }
}

/// The loss (5.8) of a forest: n - k(y) - (edges within clusters of y) + r (edges across).
double forest_loss(const Partition& truth, const std::vector<ItemPair>& forest, double r) {
  const std::size_t clusters = truth.empty() ? 0 : *std::ranges::max_element(truth) + 1;
  double loss = static_cast<double>(truth.size() - clusters);
  for (const ItemPair& edge : forest) loss += truth[edge.first] == truth[edge.second] ? -1 : r;
  return loss;
}

/// The clusters that the edges make; empty when they have a circle.
Partition clusters_of(std::size_t items, const std::vector<ItemPair>& edges) {
  std::vector<std::uint32_t> numbers(items);
  std::iota(numbers.begin(), numbers.end(), std::uint32_t{0});
  for (const ItemPair& edge : edges) {
    const std::uint32_t from = numbers[edge.second];
    if (from == numbers[edge.first]) return {};
    std::ranges::replace(numbers, from, numbers[edge.first]);
  }
  return canonical_partition(numbers);
}

// seed-yu fact 47 and section 3.9.2: the loss of the best forest, >= 0, and 0 for the truth alone.
TEST(PartitionTask, LinkLossIsTheLeastLossOfAForest) {
  constexpr std::size_t items = 5;
  std::vector<ItemPair> pairs;
  for (std::uint32_t i = 0; i < items; ++i) {
    for (std::uint32_t j = i + 1; j < items; ++j) pairs.push_back({i, j});
  }
  std::vector<std::pair<Partition, std::vector<ItemPair>>> forests;
  for (std::uint32_t set = 0; set < 1U << pairs.size(); ++set) {
    std::vector<ItemPair> forest;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      if ((set >> p & 1U) != 0) forest.push_back(pairs[p]);
    }
    Partition clusters = clusters_of(items, forest);
    if (!clusters.empty()) forests.emplace_back(std::move(clusters), std::move(forest));
  }
  EXPECT_EQ(forests.size(), 291u);  // labelled forests on five vertices
  for (const double r : {1.0, 0.01}) {
    const PartitionTask task(1, {.loss = PartitionLoss::links, .wrong_link = r});
    for (const Partition& truth : {Partition{0, 0, 1, 1, 2}, Partition{0, 1, 0, 0, 1}}) {
      task.for_each_output({.items = items}, [&](const Partition& y) {
        double least = 1e9;
        for (const auto& [clusters, forest] : forests) {
          if (clusters == y) least = std::min(least, forest_loss(truth, forest, r));
        }
        EXPECT_NEAR(task.loss(truth, y), least, 1e-12);
        EXPECT_EQ(task.loss(truth, y) > 0, y != truth);
      });
    }
  }
}

TEST(PartitionTask, LinkLossCountsWhatMitreCounts) {
  Rng rng(7);
  const PartitionTask task(1, {.loss = PartitionLoss::links, .wrong_link = 0.25});
  for (std::size_t k = 0; k < 20; ++k) {
    const Partition truth = random_partition(12, 5, rng);
    const Partition other = random_partition(12, 5, rng);
    const PartitionScore muc = score_partition(truth, other).muc;
    EXPECT_NEAR(
        task.loss(truth, other),
        muc.recall_total - muc.recall_sum + 0.25 * (muc.precision_total - muc.precision_sum),
        1e-12);
  }
}

TEST(PartitionTask, WithoutWeightsAllItemsStayAlone) {
  Rng rng(1);
  const PartitionInput x = random_pairs(14, features, 1, rng);
  const std::vector<double> w(features, 0.0);
  Partition alone(14);
  std::iota(alone.begin(), alone.end(), std::uint32_t{0});
  EXPECT_EQ(PartitionTask(features).predict(x, w), alone);
  EXPECT_EQ(ExactPartitionTask(features).predict(x, w), alone);
  // Features that the weights do not know count nothing.
  EXPECT_EQ(PartitionTask(features).predict(x, {}), alone);
}

TEST(PartitionTask, WrongInputIsRefusedByName) {
  const auto message = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const InvalidArgument& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(message([] { PartitionTask(1, {.wrong_link = -1}); }),
            "--wrong-link -1: must be a finite number >= 0");
  EXPECT_EQ(message([] { PartitionTask(1, {.exact_items = 17}); }),
            "the exact search for partitions takes at most 16 items");
  const ExactPartitionTask task(1);
  const std::vector<double> w = {1};
  EXPECT_EQ(message([&] { static_cast<void>(task.predict({.items = 17}, w)); }),
            "the number of items = 17, must be <= 16");
  EXPECT_NE(message([&] { static_cast<void>(task.loss({0, 1}, {0})); }), "");
  EXPECT_NE(message([&] { static_cast<void>(task.loss({1, 0}, {0, 0})); }), "");
  EXPECT_NE(message([&] { static_cast<void>(task.loss_augmented_argmax({.items = 2}, {0}, w)); }),
            "");
  FeatureVector psi;
  EXPECT_NE(message([&] { task.joint_features({.items = 1}, {1}, psi); }), "");
}

TEST(PartitionTask, TablesAreMeasuredByItemsThatMayHangTogether) {
  // Items 0 to 29 hang together by pairs, the others stand alone.
  PartitionInput x{.items = 1000};
  for (std::uint32_t i = 0; i < 29; ++i) {
    x.pairs.push_back({.first = i, .second = i + 1});
    x.indices.push_back(0);
    x.begins.push_back(x.indices.size());
  }
  const auto bytes = [&](const PartitionOptions& options) {
    return PartitionTask(1, options).argmax_bytes(x);
  };
  EXPECT_EQ(bytes({}), 20u * 1000 * 1000);
  EXPECT_EQ(bytes({.loss = PartitionLoss::links, .wrong_link = 0.1}), 20u * 1000 * 1000);
  EXPECT_EQ(bytes({.loss = PartitionLoss::links, .wrong_link = 0}), 20u * 30 * 30);
  EXPECT_EQ(PartitionTask(1).argmax_bytes({.items = 10}), 20u << 10);
}

// Two items are together or not: the binary machine without bias, features those of the pair.
TEST(PartitionLearning, TwoItemsAreTheBinaryMachine) {
  Rng rng(3);
  constexpr std::size_t n = 40;
  constexpr double c = 0.3;
  std::vector<PartitionInput> inputs;
  std::vector<Partition> outputs;
  DenseMatrix examples(n, features);
  std::vector<double> targets;
  for (std::size_t i = 0; i < n; ++i) {
    PartitionInput x{.items = 2, .pairs = {{0, 1}}, .begins = {0, features}};
    const bool together = i % 3 == 0;
    for (std::uint32_t f = 0; f < features; ++f) {
      examples(i, f) = rng.normal() + (together && f == 0 ? 1.0 : 0.0);
      x.indices.push_back(f);
      x.values.push_back(examples(i, f));
    }
    inputs.push_back(std::move(x));
    outputs.push_back(together ? Partition{0, 0} : Partition{0, 1});
    targets.push_back(together ? 1 : -1);
  }
  const ExactPartitionTask task(features);
  const StructuralHinge<ExactPartitionTask> risk(task, inputs, outputs);
  const StructuralSolution structural =
      solve_block_frank_wolfe(risk, {.c = c, .tolerance = 1e-6, .max_passes = 100'000});
  const LinearSolution linear = solve_dual_coordinate(
      {.examples = std::as_const(examples).view(), .targets = targets, .c = c},
      {.tolerance = 1e-8});
  ASSERT_EQ(structural.report.status, Status::solved);
  const double best = *linear.report.primal_objective;
  EXPECT_NEAR(*structural.report.primal_objective, best, 2e-6 * best);
  // P is 1-strongly convex.
  double distance = 0;
  for (std::size_t f = 0; f < features; ++f) {
    distance += (structural.w[f] - linear.w[f]) * (structural.w[f] - linear.w[f]);
  }
  EXPECT_LE(distance, 2 * 2e-6 * best);
}

struct Planted {
  std::vector<PartitionInput> inputs;
  std::vector<Partition> outputs;
};

Planted planted(
    std::size_t documents, std::size_t items, double error, Rng& rng, std::size_t clusters = 0) {
  Planted data;
  for (std::size_t d = 0; d < documents; ++d) {
    data.outputs.push_back(random_partition(items, clusters > 0 ? clusters : 1 + items / 4, rng));
    data.inputs.push_back(planted_pairs(data.outputs.back(), error, rng));
  }
  return data;
}

constexpr std::size_t planted_features = 5;

TEST(PartitionLearning, APlantedRuleIsLearnedExactly) {
  Rng rng(1);
  const Planted train = planted(30, 8, 0, rng);
  for (const PartitionOptions& options : all_losses) {
    if (options.wrong_link < 1) continue;  // joining what is apart costs next to nothing
    const ExactPartitionTask task(planted_features, options);
    const StructuralHinge<ExactPartitionTask> risk(task, train.inputs, train.outputs);
    const StructuralSolution solution =
        solve_block_frank_wolfe(risk, {.c = 10, .tolerance = 1e-2, .max_passes = 5000});
    ASSERT_EQ(solution.report.status, Status::solved);
    EXPECT_TRUE(risk.is_exact());
    EXPECT_EQ(risk.misses(), 0u);
    // The certificate, computed apart.
    EXPECT_NEAR(structural_primal(risk, 10, solution.w),
                *solution.report.primal_objective,
                1e-9 * *solution.report.primal_objective);
    EXPECT_LE(*solution.report.dual_objective, *solution.report.primal_objective);
    const Planted test = planted(20, 12, 0, rng);
    for (std::size_t d = 0; d < test.inputs.size(); ++d) {
      EXPECT_EQ(task.predict(test.inputs[d], solution.w), test.outputs[d]);
    }
  }
}

TEST(PartitionLearning, LongDocumentsAreLearnedByAnInexactSearch) {
  Rng rng(2);
  const Planted train = planted(10, 30, 0.1, rng, 3);
  const PartitionTask task(planted_features);
  const StructuralHinge<PartitionTask> risk(task, train.inputs, train.outputs);
  // The gap is an estimate, and the risk says so.
  EXPECT_FALSE(risk.is_exact());
  const StructuralSolution solution =
      solve_block_frank_wolfe(risk, {.c = 100, .tolerance = 1e-2, .max_passes = 5000});
  ASSERT_EQ(solution.report.status, Status::solved);
  // The search starts from the truth, too.
  EXPECT_EQ(risk.misses(), 0u);
  const Planted test = planted(10, 40, 0.1, rng, 3);
  PartitionScores scores;
  for (std::size_t d = 0; d < test.inputs.size(); ++d) {
    scores.add(score_partition(test.outputs[d], task.predict(test.inputs[d], solution.w)));
  }
  // One pair in ten lies; in clusters of a dozen items together they say the truth. (In clusters of
  // four an item has more false friends than true ones, and no rule finds the truth.)
  EXPECT_LE(scores.pair_loss(), 0.01);
}

// seed-yu fact 17
TEST(PartitionLearning, SlackIsAtLeastTheLossOfThePrediction) {
  Rng rng(4);
  const Planted train = planted(20, 7, 0.2, rng);
  for (const PartitionOptions& options : all_losses) {
    const ExactPartitionTask task(planted_features, options);
    const StructuralHinge<ExactPartitionTask> risk(task, train.inputs, train.outputs);
    const StructuralSolution solution = solve_block_frank_wolfe(risk, {.c = 1});
    for (std::size_t i = 0; i < train.inputs.size(); ++i) {
      StructuralPlane plane;
      risk.largest_plane(i, solution.w, plane);
      const double slack = plane.offset - plane.slope.dot(solution.w);
      const Partition y = task.predict(train.inputs[i], solution.w);
      EXPECT_GE(slack, task.loss(train.outputs[i], y) - 1e-9);
    }
  }
}

// seed-yu fact 16, for threads
TEST(PartitionLearning, ThreadsChangeNothing) {
  Rng rng(6);
  const Planted train = planted(12, 20, 0.2, rng);
  const PartitionTask task(planted_features, {.loss = PartitionLoss::links});
  const StructuralHinge<PartitionTask> risk(task, train.inputs, train.outputs);
  std::vector<double> first;
  for (const std::size_t threads : std::vector<std::size_t>{1, 2, 4}) {
    const StructuralSolution solution = solve_block_frank_wolfe(
        risk, {.c = 0.1, .max_passes = 20, .context = {.threads = threads}});
    if (first.empty()) first = solution.w;
    EXPECT_EQ(solution.w, first);
  }
}

}  // namespace
}  // namespace maxmargin
