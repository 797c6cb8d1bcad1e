// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/structured/partitioner.hpp"

#include <gtest/gtest.h>

#include "io/model/structured_file.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/metric/structured/partition.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "partition_cases.hpp"
#include "structural_training.hpp"

namespace maxmargin {
namespace {

PartitionScores scores_of(const Partitioner& model, const PartitionData& data) {
  const std::vector<Partition> predicted = model.predict(data.inputs, 2);
  PartitionScores scores;
  for (std::size_t d = 0; d < data.size(); ++d) {
    scores.add(score_partition(data.partitions[d], predicted[d]));
  }
  return scores;
}

/// P at the weights by a loop that shares nothing with the solvers.
double objective(const Partitioner& model, const PartitionData& data, double c) {
  const ExactPartitionTask task(data.features, model.task.options());
  const StructuralHinge<ExactPartitionTask> risk(task, data.inputs, data.partitions);
  return structural_primal(risk, c, model.weights);
}

TEST(Partitioner, MethodsAgreeWithinTheirGapsOnSmallDocuments) {
  Rng rng(1);
  const PartitionData data = planted_documents(25, 1, 8, 0.2, rng);
  const StructuralOptions solving = {.c = 0.5, .tolerance = 1e-3};
  for (const PartitionLoss loss : {PartitionLoss::pairs, PartitionLoss::links}) {
    testing::expect_methods_agree(
        solving.tolerance,
        [&](StructuralMethod method) {
          TrainedPartitioner trained = train_partitioner(
              data, {.solving = solving, .method = method, .task = {.loss = loss}});
          // All documents have at most 12 items.
          EXPECT_TRUE(trained.exact_oracle);
          EXPECT_EQ(trained.oracle_misses, 0u);
          EXPECT_EQ(partitioner_objective(trained.model, data, solving.c),
                    objective(trained.model, data, solving.c));
          return trained;
        },
        [&](const Partitioner& found) { return objective(found, data, solving.c); });
  }
}

TEST(Partitioner, LargeDocumentsAreLearnedAndSaidToBeInexact) {
  Rng rng(2);
  const PartitionData data = planted_documents(8, 14, 20, 0.1, rng);
  const TrainedPartitioner trained = train_partitioner(data, {.solving = {.c = 10}});
  EXPECT_FALSE(trained.exact_oracle);
  EXPECT_FALSE(has_exact_argmax(data, trained.model.task.options()));
  EXPECT_THROW((void)partitioner_objective(trained.model, data, 10), InvalidArgument);
  // The search looks at the truth as well.
  EXPECT_EQ(trained.oracle_misses, 0u);
  const PartitionData fresh = planted_documents(8, 14, 30, 0.1, rng);
  EXPECT_LE(scores_of(trained.model, fresh).pair_loss(), 0.02);
  EXPECT_EQ(trained.model.predict(fresh.inputs, 1), trained.model.predict(fresh.inputs, 3));
}

// What the argmax is called decides nothing but what the report says: greedy on small documents is
// an inexact oracle, whose bound from below still holds for the exact objective.
TEST(Partitioner, AnInexactBoundHoldsForTheExactObjective) {
  Rng rng(3);
  const PartitionData data = planted_documents(20, 2, 8, 0.25, rng);
  const PartitionerOptions exact{.solving = {.c = 1, .tolerance = 1e-4}};
  PartitionerOptions greedy = exact;
  greedy.task.exact_items = 0;
  const TrainedPartitioner by_search = train_partitioner(data, greedy);
  EXPECT_FALSE(by_search.exact_oracle);
  const TrainedPartitioner best = train_partitioner(data, exact);
  ASSERT_TRUE(best.exact_oracle);
  EXPECT_LE(*by_search.report.dual_objective, *best.report.primal_objective * (1 + 1e-12));
  // The estimate is from below.
  EXPECT_LE(*by_search.report.primal_objective, objective(by_search.model, data, 1) * (1 + 1e-12));
}

TEST(Partitioner, OnlyExactNamesTheDocumentThatIsTooLarge) {
  Rng rng(4);
  PartitionData data = planted_documents(4, 3, 3, 0, rng);
  const PartitionData large = planted_documents(1, 9, 9, 0, rng);
  PartitionerOptions options{.task = {.exact_items = 8}, .only_exact = true};
  EXPECT_TRUE(train_partitioner(data, options).exact_oracle);
  data.inputs[2] = large.inputs[0];
  data.partitions[2] = large.partitions[0];
  data.item_names[2] = large.item_names[0];
  try {
    (void)train_partitioner(data, options);
    FAIL();
  } catch (const InvalidArgument& refused) {
    EXPECT_EQ(std::string(refused.what()),
              "planted: document 3 has 9 items, the exact argmax takes at most 8");
  }
}

TEST(Partitioner, FilesGiveTheSameMachine) {
  Rng rng(5);
  const PartitionData data = planted_documents(10, 2, 9, 0.1, rng);
  const TrainedPartitioner trained = train_partitioner(
      data, {.task = {.loss = PartitionLoss::links, .wrong_link = 0.25, .exact_items = 7}});
  ModelDocument document("partition");
  add_partitioner(document, trained.model);
  const Partitioner back = partitioner_of(document);
  EXPECT_EQ(back.weights, trained.model.weights);
  EXPECT_EQ(back.task.dimension(), data.features);
  EXPECT_EQ(back.task.options().loss, PartitionLoss::links);
  EXPECT_EQ(back.task.options().wrong_link, 0.25);
  EXPECT_EQ(back.task.options().exact_items, 7u);
  EXPECT_EQ(back.predict(data.inputs), trained.model.predict(data.inputs));
}

TEST(Partitioner, BrokenFilesAreRefused) {
  const auto message = [](const std::string& loss, std::int64_t exact_items, std::size_t rows) {
    ModelDocument broken("partition", "file");
    broken.set_string("loss", loss);
    broken.set_number("wrong_link", 1);
    broken.set_integer("exact_items", exact_items);
    broken.set_sparse("weights", to_sparse(DenseMatrix(rows, 2, 1.0).view()));
    try {
      (void)partitioner_of(broken);
    } catch (const ModelFormatError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("pairs", 12, 1), "");
  EXPECT_NE(message("muc", 12, 1), "");
  EXPECT_NE(message("pairs", 17, 1), "");
  EXPECT_NE(message("pairs", -1, 1), "");
  EXPECT_NE(message("pairs", 12, 2), "");
  EXPECT_THROW((void)partitioner_of(ModelDocument("partition")), ModelFormatError);
}

TEST(Partitioner, GoesOnFromAStateInAFileToTheSameBits) {
  Rng rng(6);
  const PartitionData data = planted_documents(15, 3, 15, 0.2, rng);
  const PartitionerOptions options{.solving = {.c = 2, .tolerance = 1e-5, .max_passes = 30}};
  testing::expect_goes_on_from_a_file(
      options, 3, [&](const PartitionerOptions& own, const StructuralState* start) {
        return train_partitioner(data, own, start);
      });
}

TEST(Partitioner, SmallDocumentsBesideOthersChangeNothing) {
  Rng rng(7);
  PartitionData data = planted_documents(12, 4, 8, 0.1, rng);
  const PartitionerOptions options{.solving = {.c = 1, .tolerance = 1e-6, .max_passes = 20'000}};
  const double alone = *train_partitioner(data, options).report.primal_objective;
  // A document of no item and one of a single item have no loss.
  for (const std::size_t items : std::vector<std::size_t>{0, 1}) {
    const PartitionData small = planted_documents(1, items, items, 0, rng);
    data.inputs.push_back(small.inputs[0]);
    data.partitions.push_back(small.partitions[0]);
    data.names.push_back(small.names[0]);
    data.item_names.push_back(small.item_names[0]);
  }
  const TrainedPartitioner with = train_partitioner(data, options);
  EXPECT_NEAR(*with.report.primal_objective, alone, 1e-6 * alone);
  EXPECT_EQ(with.model.predict(data.inputs).back(), (Partition{0}));
}

TEST(Partitioner, UglyInputIsRefused) {
  Rng rng(8);
  EXPECT_THROW((void)train_partitioner({}), InvalidArgument);
  PartitionData data = planted_documents(3, 3, 3, 0, rng);
  data.partitions.clear();
  EXPECT_THROW((void)train_partitioner(data), InvalidArgument);
  data = planted_documents(3, 3, 3, 0, rng);
  data.partitions[1] = {1, 0, 0};
  EXPECT_THROW((void)train_partitioner(data), InvalidArgument);
  // One item each: there is nothing to put together.
  EXPECT_THROW((void)train_partitioner(planted_documents(3, 1, 1, 0, rng)), InvalidArgument);
  data = planted_documents(3, 3, 3, 0, rng);
  for (PartitionInput& input : data.inputs) input = {.items = 3};
  data.features = 0;
  EXPECT_THROW((void)train_partitioner(data), InvalidArgument);
  data = planted_documents(3, 3, 3, 0, rng);
  EXPECT_THROW((void)train_partitioner(data, {.task = {.exact_items = 17}}), InvalidArgument);
  EXPECT_THROW((void)train_partitioner(data, {.task = {.wrong_link = -1}}), InvalidArgument);
  EXPECT_THROW((void)train_partitioner(data, {.solving = {.c = 0}}), InvalidArgument);
}

TEST(Partitioner, TablesOfLongDocumentsCountWithinTheMemoryLimit) {
  Rng rng(7);
  const PartitionData data = planted_documents(2, 100, 100, 0.2, rng);
  PartitionerOptions options{
      .solving = {.max_passes = 1, .context = {.threads = 1, .memory_limit = 220'000}}};
  EXPECT_THROW((void)train_partitioner(data, options), InvalidArgument);
  options.solving.context.memory_limit = 300'000;
  EXPECT_NO_THROW((void)train_partitioner(data, options));
}

TEST(Partitioner, InferenceIsOneName) {
  PartitionerOptions options;
  const auto inference = [&] {
    for (const auto& [key, value] : option_values(options)) {
      if (key == "inference") return text_of(value);
    }
    return std::string();
  };
  EXPECT_EQ(inference(), "auto");
  set_options(options, {{"inference", "exact"}}, "a test");
  EXPECT_TRUE(options.only_exact);
  EXPECT_EQ(options.task.exact_items, PartitionTask::most_exact_items);
  EXPECT_EQ(inference(), "exact");
  set_options(options, {{"inference", "greedy"}}, "a test");
  EXPECT_FALSE(options.only_exact);
  EXPECT_EQ(options.task.exact_items, 0u);
  EXPECT_EQ(inference(), "greedy");
  set_options(options, {{"inference", "auto"}}, "a test");
  EXPECT_EQ(options.task.exact_items, PartitionOptions{}.exact_items);
}

}  // namespace
}  // namespace maxmargin
