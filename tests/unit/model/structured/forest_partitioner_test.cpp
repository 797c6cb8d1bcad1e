// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/structured/forest_partitioner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "io/model/structured_file.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/metric/structured/partition.hpp"
#include "maxmargin/model/structured/partitioner.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "partition_cases.hpp"

namespace maxmargin {
namespace {

/// Items of a cluster look alike to the one before them in it and to no other: they hang together,
/// and most of their pairs object.
PartitionInput chained_pairs(const Partition& clusters, Rng& rng) {
  PartitionInput input = planted_pairs(clusters, 0, rng);
  for (std::size_t p = 0; p < input.pairs.size(); ++p) {
    const ItemPair pair = input.pairs[p];
    bool is_next = clusters[pair.first] == clusters[pair.second];
    for (std::size_t k = pair.first + 1; k < pair.second; ++k) {
      if (clusters[k] == clusters[pair.first]) is_next = false;
    }
    input.values[input.begins[p] + 1] = is_next ? 1.0 : 0.0;
  }
  return input;
}

PartitionData chained_documents(std::size_t documents, std::size_t items, Rng& rng) {
  PartitionData data = planted_documents(documents, items, items, 0, rng);
  for (std::size_t d = 0; d < documents; ++d) {
    data.inputs[d] = chained_pairs(data.partitions[d], rng);
  }
  return data;
}

template <class Machine>
PartitionScores scores_of(const Machine& machine, const PartitionData& data) {
  const std::vector<Partition> predicted = machine.predict(data.inputs, 2);
  PartitionScores scores;
  for (std::size_t d = 0; d < data.size(); ++d) {
    scores.add(score_partition(data.partitions[d], predicted[d]));
  }
  return scores;
}

ForestPartitionerOptions options_of(double c, double tolerance = 1e-4) {
  ForestPartitionerOptions options;
  options.search.solving.c = c;
  options.search.solving.tolerance = tolerance;
  return options;
}

TEST(ForestPartitioner, LearnsClustersThatHangTogetherByALink) {
  Rng rng(1);
  const PartitionData data = chained_documents(15, 9, rng);
  const PartitionData fresh = chained_documents(15, 14, rng);
  const TrainedForestPartitioner trained = train_forest_partitioner(data, options_of(10));
  EXPECT_EQ(scores_of(trained.model, fresh).conll_average(), 1);
  EXPECT_EQ(trained.model.predict(fresh.inputs, 1), trained.model.predict(fresh.inputs, 3));
  // What the sum over all pairs cannot.
  const TrainedPartitioner pairs = train_partitioner(data, {.solving = {.c = 10}});
  EXPECT_LT(scores_of(pairs.model, fresh).conll_average(), 0.95);
}

// The objective of the report is that of the weights, by another loop, and it never rose.
TEST(ForestPartitioner, TheObjectiveIsTrueAndNeverRises) {
  Rng rng(2);
  const PartitionData data = planted_documents(20, 1, 8, 0.25, rng);
  for (const DocumentWeight weight : {DocumentWeight::one, DocumentWeight::size}) {
    for (const ForestStart start :
         {ForestStart::chain, ForestStart::random, ForestStart::weights}) {
      ForestPartitionerOptions options = options_of(1, 1e-3);
      options.task.wrong_link = 0.3;
      options.start = start;
      options.document_weight = weight;
      options.search.start_weights.assign(data.features, 0.1);
      const TrainedForestPartitioner trained = train_forest_partitioner(data, options);
      const double found = *trained.search.report.primal_objective;
      EXPECT_EQ(trained.search.report.status, Status::local_optimum);
      EXPECT_NEAR(
          forest_partitioner_objective(trained.model, data, 1, weight), found, 1e-9 * found);
      ASSERT_FALSE(trained.search.trace.empty());
      for (std::size_t k = 1; k < trained.search.trace.size(); ++k) {
        EXPECT_LE(trained.search.trace[k].objective, trained.search.trace[k - 1].objective);
      }
      EXPECT_NEAR(trained.search.trace.back().objective, found, 1e-9 * found);
      // A clearly better answer than none.
      const ForestPartitioner nothing{.task = trained.model.task,
                                      .weights = std::vector<double>(data.features, 0.0)};
      EXPECT_LT(found, 0.9 * forest_partitioner_objective(nothing, data, 1, weight));
    }
  }
}

/// The least objective over all w: that of the convex problems at all completions, one by one.
double least_objective(const PartitionData& data, const ForestTask& task, double c) {
  std::vector<std::vector<LinkForest>> completions;
  for (std::size_t d = 0; d < data.size(); ++d) {
    const LinkForest chain = task.chain(data.inputs[d], data.partitions[d]);
    std::vector<LinkForest>& own = completions.emplace_back();
    task.for_each_output(data.inputs[d], [&](const LinkForest& y) {
      if (task.loss(chain, y) != 0) return;
      own.push_back({.clusters = chain.clusters, .links = y.links});
    });
  }
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> pick(data.size(), 0);
  for (;;) {
    std::vector<LinkForest> truths;
    for (std::size_t d = 0; d < data.size(); ++d) truths.push_back(completions[d][pick[d]]);
    const StructuralHinge<ForestTask> risk(task, data.inputs, truths);
    const StructuralSolution found = solve_structural(
        risk, StructuralMethod::one_slack, {.c = c, .tolerance = 1e-7, .max_passes = 10000});
    least = std::min(least, *found.report.primal_objective);
    std::size_t d = 0;
    while (d < pick.size() && ++pick[d] == completions[d].size()) pick[d++] = 0;
    if (d == pick.size()) return least;
  }
}

// No run is below the least of the convex optima over all completions, and the best of some runs is
// there.
TEST(ForestPartitioner, TinyProblemsReachTheLeastOverAllCompletions) {
  std::size_t reached = 0;
  constexpr unsigned problems = 8;
  for (unsigned seed = 1; seed <= problems; ++seed) {
    Rng rng(seed, "tiny forests");
    PartitionData data{.features = 3, .source = "tiny"};
    // 16 completions of four items together, 3 of three.
    for (const Partition& clusters : {Partition{0, 0, 0, 0}, Partition{0, 0, 1, 0}}) {
      data.inputs.push_back(random_pairs(4, 3, 1, rng));
      data.partitions.push_back(clusters);
      data.names.emplace_back("d");
      data.item_names.push_back({"a", "b", "c", "d"});
    }
    ForestPartitionerOptions options = options_of(1, 1e-6);
    options.task.wrong_link = seed % 2 == 0 ? 0.1 : 1;
    options.search.restarts = 10;
    const double least = least_objective(data, ForestTask(3, options.task), 1);
    const TrainedForestPartitioner trained = train_forest_partitioner(data, options);
    const double found = *trained.search.report.primal_objective;
    EXPECT_GE(found, least * (1 - 1e-5));
    if (found <= least * (1 + 1e-5)) ++reached;
    if (trained.search.report.lower_bound) {
      EXPECT_LE(*trained.search.report.lower_bound, least * (1 + 1e-6));
    }
  }
  EXPECT_EQ(reached, problems);
}

// Two items are together or not: nothing is hidden, and the machine is the one of links.
TEST(ForestPartitioner, TwoItemsAreTheMachineOfLinks) {
  Rng rng(4);
  const PartitionData data = planted_documents(40, 2, 2, 0.2, rng);
  for (const double r : {1.0, 0.2}) {
    ForestPartitionerOptions options = options_of(0.3, 1e-5);
    options.task.wrong_link = r;
    const TrainedForestPartitioner forests = train_forest_partitioner(data, options);
    const TrainedPartitioner links =
        train_partitioner(data,
                          {.solving = {.c = 0.3, .tolerance = 1e-5},
                           .task = {.loss = PartitionLoss::links, .wrong_link = r}});
    const double objective = *forests.search.report.primal_objective;
    EXPECT_NEAR(objective, *links.report.primal_objective, 2e-5 * objective);
  }
}

// Documents of one size: their weight is one factor, which C takes.
TEST(ForestPartitioner, WeightsOfDocumentsAreAFactorOfC) {
  Rng rng(5);
  const PartitionData data = planted_documents(12, 6, 6, 0.2, rng);
  ForestPartitionerOptions by_size = options_of(3);
  by_size.document_weight = DocumentWeight::size;
  const TrainedForestPartitioner small = train_forest_partitioner(data, by_size);
  const TrainedForestPartitioner whole = train_forest_partitioner(data, options_of(0.5));
  const double objective = *whole.search.report.primal_objective;
  EXPECT_NEAR(*small.search.report.primal_objective, objective, 1e-3 * objective);
  EXPECT_NEAR(forest_partitioner_objective(whole.model, data, 3, DocumentWeight::size),
              objective,
              1e-9 * objective);
  // A document twice is a document of twice the weight.
  PartitionData twice = data;
  for (std::size_t d = 0; d < data.size(); ++d) {
    twice.inputs.push_back(data.inputs[d]);
    twice.partitions.push_back(data.partitions[d]);
    twice.names.push_back(data.names[d]);
    twice.item_names.push_back(data.item_names[d]);
  }
  EXPECT_NEAR(forest_partitioner_objective(whole.model, twice, 0.25, DocumentWeight::one),
              objective,
              1e-9 * objective);
}

TEST(ForestPartitioner, ThreadsGiveTheSameBits) {
  Rng rng(6);
  const PartitionData data = planted_documents(15, 3, 20, 0.2, rng);
  std::vector<std::vector<double>> found;
  for (const std::size_t threads : {1U, 3U}) {
    ForestPartitionerOptions options = options_of(1, 1e-2);
    options.search.restarts = 2;
    options.search.solving.context.threads = threads;
    found.push_back(train_forest_partitioner(data, options).model.weights);
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST(ForestPartitioner, StoppedRunsAnswer) {
  Rng rng(7);
  const PartitionData data = planted_documents(15, 3, 12, 0.2, rng);
  ForestPartitionerOptions options = options_of(1);
  options.search.solving.context.on_progress = [](const Progress&) { return Continue::stop; };
  const TrainedForestPartitioner stopped = train_forest_partitioner(data, options);
  EXPECT_EQ(stopped.search.report.status, Status::stopped_by_callback);
  EXPECT_EQ(stopped.model.weights.size(), data.features);
  for (const double weight : stopped.model.weights) EXPECT_TRUE(std::isfinite(weight));
}

TEST(ForestPartitioner, SmallDocumentsDoNoHarm) {
  Rng rng(8);
  PartitionData data = planted_documents(10, 4, 6, 0.1, rng);
  ForestPartitionerOptions options = options_of(1);
  options.document_weight = DocumentWeight::size;
  const double before = *train_forest_partitioner(data, options).search.report.primal_objective;
  for (const std::size_t items : {0U, 1U}) {
    data.inputs.push_back({.items = items});
    data.partitions.push_back(Partition(items, 0));
    data.names.emplace_back("small");
    data.item_names.emplace_back(items, "x");
  }
  const TrainedForestPartitioner trained = train_forest_partitioner(data, options);
  EXPECT_NEAR(*trained.search.report.primal_objective, before, 1e-3 * before);
  const std::vector<Partition> predicted = trained.model.predict(data.inputs, 1);
  EXPECT_EQ(predicted[10], Partition());
  EXPECT_EQ(predicted[11], Partition{0});
}

TEST(ForestPartitioner, WrongDataAndOptionsAreNamed) {
  const auto message = [](const PartitionData& data, const ForestPartitionerOptions& options) {
    try {
      (void)train_forest_partitioner(data, options);
    } catch (const InvalidArgument& problem) {
      return std::string(problem.what());
    }
    return std::string("none");
  };
  Rng rng(9);
  const PartitionData good = planted_documents(3, 3, 3, 0, rng);
  EXPECT_EQ(message({.source = "f"}, {}), "f: there is no document to learn from");
  PartitionData bare = good;
  bare.partitions.clear();
  EXPECT_EQ(message(bare, {}), "planted: the items have no clusters to learn from");
  const PartitionData one{
      .inputs = {{.items = 1}}, .partitions = {{0}}, .names = {"d"}, .item_names = {{"x"}}};
  EXPECT_EQ(message(one, {}),
            "the documents: no document has two items, so there is nothing to learn from");
  PartitionData plain{
      .inputs = {{.items = 2}}, .partitions = {{0, 0}}, .names = {"d"}, .item_names = {{"x", "y"}}};
  EXPECT_EQ(message(plain, {}), "the documents: no pair has features to learn from");
  ForestPartitionerOptions options;
  options.start = ForestStart::weights;
  options.search.start_weights = {1, 2};
  EXPECT_EQ(message(good, options),
            "the weights to start from must be one for each feature of the data");
  options = {};
  options.task.wrong_link = -1;
  EXPECT_EQ(message(good, options), "--wrong-link -1: must be a finite number > 0");
  const ForestPartitioner few{.task = ForestTask(2), .weights = {1, 1}};
  EXPECT_THROW((void)forest_partitioner_objective(few, good, 1, DocumentWeight::one),
               InvalidArgument);
}

// All in one cluster, and all alone: nothing but constants to learn.
TEST(ForestPartitioner, OneClusterAndNone) {
  Rng rng(10);
  PartitionData data = planted_documents(5, 6, 6, 0, rng);
  for (Partition& clusters : data.partitions) clusters = {0, 0, 0, 0, 0, 0};
  const TrainedForestPartitioner together = train_forest_partitioner(data, options_of(10));
  EXPECT_EQ(together.model.predict(data.inputs, 1), data.partitions);
  for (Partition& clusters : data.partitions) clusters = {0, 1, 2, 3, 4, 5};
  const TrainedForestPartitioner alone = train_forest_partitioner(data, options_of(10));
  EXPECT_EQ(alone.model.predict(data.inputs, 1), data.partitions);
  // Nothing is hidden there, so the problem is convex and the bound is one of it.
  const SolveReport& report = alone.search.report;
  EXPECT_EQ(report.status, Status::solved);
  EXPECT_GE(*report.lower_bound, (1 - 1e-4) * *report.primal_objective);
}

// Fact 41: with clusters of one item nothing is hidden, and one step is the structural machine.
TEST(ForestPartitioner, SingleClustersAreTheStructuralMachine) {
  Rng rng(11);
  PartitionData data = planted_documents(12, 5, 9, 0.3, rng);
  for (std::size_t d = 0; d < data.size(); ++d) {
    std::iota(data.partitions[d].begin(), data.partitions[d].end(), 0U);
  }
  for (const StructuralMethod method : {StructuralMethod::one_slack,
                                        StructuralMethod::n_slack,
                                        StructuralMethod::block_frank_wolfe}) {
    ForestPartitionerOptions options = options_of(20, 1e-6);
    options.document_weight = DocumentWeight::one;
    options.search.method = method;
    options.search.solving.context.threads = 1;
    const TrainedForestPartitioner latent = train_forest_partitioner(data, options);
    const ForestTask task(data.features, options.task);
    std::vector<ForestTask::Output> truths;
    for (const Partition& clusters : data.partitions) truths.push_back({.clusters = clusters});
    const StructuralHinge<ForestTask> hinge(task, data.inputs, truths);
    const StructuralSolution plain = solve_structural(hinge, method, options.search.solving);
    EXPECT_EQ(latent.model.weights, plain.w) << to_string(method);
    EXPECT_EQ(latent.search.report.iterations, 1U);
    EXPECT_EQ(latent.search.oracle_calls, plain.oracle_calls);
    EXPECT_EQ(latent.search.report.status, Status::solved);
  }
}

}  // namespace
}  // namespace maxmargin
