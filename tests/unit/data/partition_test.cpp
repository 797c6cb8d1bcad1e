// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/partition.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/coreference.hpp"
#include "partition_cases.hpp"

namespace maxmargin {
namespace {

TEST(Partition, ClustersAreNumberedByTheirFirstItems) {
  EXPECT_EQ(canonical_partition(Partition{7, 7, 3, 0, 3}), (Partition{0, 0, 1, 2, 1}));
  EXPECT_EQ(canonical_partition(Partition{}), Partition{});
  EXPECT_TRUE(is_canonical(Partition{}));
  EXPECT_TRUE(is_canonical(Partition{0, 0, 1, 2, 1}));
  EXPECT_FALSE(is_canonical(Partition{1}));
  EXPECT_FALSE(is_canonical(Partition{0, 2, 1}));
}

PartitionInput three_items() {
  return {.items = 3,
          .pairs = {{0, 1}, {0, 2}},
          .begins = {0, 2, 3},
          .indices = {0, 4, 1},
          .values = {1, 2, 3}};
}

TEST(Partition, EveryRuleOfAnInputIsChecked) {
  data_of_one(three_items(), 5).validate();
  const auto refused = [](auto&& change) {
    PartitionInput input = three_items();
    change(input);
    EXPECT_THROW(data_of_one(input, 5).validate(), InvalidArgument);
  };
  EXPECT_THROW(data_of_one(three_items(), 4).validate(), InvalidArgument);
  refused([](PartitionInput& input) { input.items = 2; });
  refused([](PartitionInput& input) { input.pairs[1] = {0, 1}; });
  refused([](PartitionInput& input) { input.pairs[1] = {2, 2}; });
  refused([](PartitionInput& input) { input.pairs[0] = {1, 2}; });
  refused([](PartitionInput& input) { input.begins = {0, 3}; });
  refused([](PartitionInput& input) { input.begins = {0, 4, 3}; });
  refused([](PartitionInput& input) { input.indices[1] = 0; });
  refused([](PartitionInput& input) { input.values.pop_back(); });
  refused([](PartitionInput& input) { input.values[0] = 1.0 / 0.0; });
}

TEST(Partition, EveryRuleOfDataIsChecked) {
  const PartitionData good{.inputs = {three_items()},
                           .partitions = {{0, 0, 1}},
                           .names = {"d"},
                           .item_names = {{"a", "b", "c"}},
                           .features = 5};
  good.validate();
  const auto refused = [&](auto&& change) {
    PartitionData data = good;
    change(data);
    EXPECT_THROW(data.validate(), InvalidArgument);
  };
  refused([](PartitionData& data) { data.features = 4; });
  refused([](PartitionData& data) { data.partitions[0] = {0, 0}; });
  refused([](PartitionData& data) { data.partitions[0] = {0, 2, 1}; });
  refused([](PartitionData& data) { data.partitions.emplace_back(); });
  refused([](PartitionData& data) { data.names.clear(); });
  refused([](PartitionData& data) { data.item_names[0].pop_back(); });
}

CorefDocument ten_words(std::vector<Mention> mentions) {
  return {.words = std::vector<std::string>(10, "w"),
          .sentence_begins = {0, 4},
          .mentions = std::move(mentions)};
}

TEST(CorefDocument, EveryRuleIsChecked) {
  ten_words({{0, 3, 9}, {0, 2, 1}, {2, 5, 9}}).validate();
  EXPECT_THROW(ten_words({{0, 2, 1}, {0, 3, 9}}).validate(), InvalidArgument);
  EXPECT_THROW(ten_words({{0, 2, 1}, {0, 2, 9}}).validate(), InvalidArgument);
  EXPECT_THROW(ten_words({{2, 2, 1}}).validate(), InvalidArgument);
  EXPECT_THROW(ten_words({{9, 11, 1}}).validate(), InvalidArgument);
  const auto refused = [](auto&& change) {
    CorefDocument document = ten_words({});
    change(document);
    EXPECT_THROW(document.validate(), InvalidArgument);
  };
  refused([](CorefDocument& document) { document.sentence_begins = {}; });
  refused([](CorefDocument& document) { document.sentence_begins = {1}; });
  refused([](CorefDocument& document) { document.sentence_begins = {0, 4, 4}; });
  refused([](CorefDocument& document) { document.sentence_begins = {0, 10}; });
  refused([](CorefDocument& document) { document.tags = {"NN"}; });
  refused([](CorefDocument& document) { document.speakers = {"A"}; });
}

TEST(CorefDocument, MentionsOfTwoVersionsAreAlignedByTheirWords) {
  const CorefDocument key = ten_words({{0, 3, 9}, {0, 1, 4}, {5, 6, 9}});
  const CorefDocument response = ten_words({{0, 3, 2}, {4, 5, 2}, {5, 6, 0}, {8, 9, 0}});
  EXPECT_EQ(partition_of(key), (Partition{0, 1, 0}));
  const AlignedMentions aligned = align_mentions(key, response);
  EXPECT_EQ(aligned.key, (std::vector<std::int32_t>{0, 1, -1, 0, -1}));
  EXPECT_EQ(aligned.response, (std::vector<std::int32_t>{0, -1, 0, 1, 1}));
  // The other way round.
  EXPECT_EQ(align_mentions(response, key).key, aligned.response);
  EXPECT_EQ(align_mentions(key, key).key, align_mentions(key, key).response);
  CorefDocument other = key;
  other.words.pop_back();
  EXPECT_THROW(static_cast<void>(align_mentions(key, other)), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
