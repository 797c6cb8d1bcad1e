// SPDX-License-Identifier: Apache-2.0
#include "io/structured/pair_features.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

PartitionData read(const std::string& text) {
  Input input = Input::from_memory("test.pairs", text);
  return read_pair_features(input);
}

std::string error_of(const std::string& text) {
  return problem_of<ParseError>([&] { static_cast<void>(read(text)); });
}

std::string written(const PartitionData& data) {
  return written_bytes([&](OutputFile& output) { write_pair_features(data, output); });
}

TEST(PairFeatures, AFileBecomesDocuments) {
  const PartitionData data = read(
      "# two documents\n"
      "document the first one\n"
      "item a x\nitem b 17\nitem c x\n"
      "1 2 3:1 7:0.5\n"
      "\n"
      "\t1 3 1:-2\r\n"
      "2 3\n"
      "document\n"
      "item a x\nitem b x\n"
      "1 2 2:1 4:1\n");
  data.validate();
  EXPECT_EQ(data.source, "test.pairs");
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data.names, (std::vector<std::string>{"the first one", ""}));
  EXPECT_EQ(data.item_names[0], (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(data.partitions, (std::vector<Partition>{{0, 1, 0}, {0, 0}}));
  EXPECT_EQ(data.features, 7u);
  const PartitionInput& first = data.inputs[0];
  EXPECT_EQ(first.pairs, (std::vector<ItemPair>{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(first.begins, (std::vector<std::size_t>{0, 2, 3, 3}));
  EXPECT_EQ(first.indices, (std::vector<std::uint32_t>{2, 6, 0}));
  EXPECT_EQ(first.values, (std::vector<double>{1, 0.5, -2}));
  // All ones need no memory.
  EXPECT_TRUE(data.inputs[1].values.empty());
  EXPECT_EQ(data.inputs[1].value(1), 1);
}

TEST(PairFeatures, ClustersMayBeUnknown) {
  EXPECT_TRUE(read("document d\nitem a ?\nitem b\n1 2 1:1\n").partitions.empty());
  EXPECT_TRUE(read("").inputs.empty());
  const PartitionData empty = read("document d\n");
  EXPECT_EQ(empty.size(), 1u);
  EXPECT_EQ(empty.inputs[0].items, 0u);
  empty.validate();
}

TEST(PairFeatures, ErrorsNameFileLineAndColumn) {
  const std::string start = "document d\nitem a x\nitem b x\nitem c y\n";
  EXPECT_EQ(error_of("item a x\n"),
            "test.pairs:1: expected \"document NAME\" first, found \"item\"");
  EXPECT_EQ(error_of("document a\rb\n"),
            "test.pairs:1:10: a carriage return in the name of a document");
  EXPECT_EQ(error_of("document d\nitem\n"),
            "test.pairs:2: expected \"item ID CLUSTER\" or \"item ID\", found \"item\"");
  EXPECT_EQ(error_of("document d\nitem a x y\n"),
            "test.pairs:2: expected \"item ID CLUSTER\" or \"item ID\", found \"item a x y\"");
  EXPECT_EQ(error_of("document d\nitem a x\nitem a y\n"),
            "test.pairs:3:6: the item \"a\" is there already, in line 2");
  EXPECT_EQ(error_of("document d\nitem a x\nitem b\n"),
            "test.pairs:3: an item without a cluster after items with one");
  EXPECT_EQ(error_of("document d\nitem a ?\ndocument e\nitem b x\n"),
            "test.pairs:4: an item with a cluster after items without one");
  EXPECT_EQ(error_of(start + "1 2 1:1\nitem d x\n"),
            "test.pairs:6: an item after the first pair of its document");
  EXPECT_EQ(error_of(start + "pair 1 2\n"),
            "test.pairs:5:1: expected \"document\", \"item\" or an item's number, found \"pair\"");
  EXPECT_EQ(error_of(start + "1\n"), "test.pairs:5: expected the numbers of two items, found one");
  EXPECT_EQ(error_of(start + "1 4 1:1\n"),
            "test.pairs:5:3: the item \"4\", must be from 1 to 3, the items of its document");
  EXPECT_EQ(error_of(start + "0 1 1:1\n"),
            "test.pairs:5:1: the item \"0\", must be from 1 to 3, the items of its document");
  EXPECT_EQ(error_of(start + "2 1 1:1\n"),
            "test.pairs:5:3: the second item must come after the first");
  EXPECT_EQ(error_of(start + "1 3 1:1\n1 2 1:1\n"),
            "test.pairs:6:1: pairs must increase, and each come once");
  EXPECT_EQ(error_of(start + "1 3 1:1\n1 3 1:1\n"),
            "test.pairs:6:1: pairs must increase, and each come once");
  EXPECT_EQ(error_of(start + "1 2 7\n"), "test.pairs:5:5: expected index:value, found \"7\"");
  EXPECT_EQ(error_of(start + "1 2 x:1\n"), "test.pairs:5:5: expected index:value, found \"x:1\"");
  EXPECT_EQ(error_of(start + "1 2 0:1\n"),
            "test.pairs:5:5: the index \"0\", must be from 1 to 2147483646");
  EXPECT_EQ(error_of(start + "1 2 2147483647:1\n"),
            "test.pairs:5:5: the index \"2147483647\", must be from 1 to 2147483646");
  EXPECT_EQ(error_of(start + "1 2 3:1 3:2\n"),
            "test.pairs:5:9: the index 3 comes after 3, must increase");
  EXPECT_EQ(error_of(start + "1 2 3:\n"),
            "test.pairs:5:5: expected a finite number after the colon, found \"3:\"");
  EXPECT_EQ(error_of(start + "1 2 3:nan\n"),
            "test.pairs:5:5: expected a finite number after the colon, found \"3:nan\"");
}

PartitionData random_data(Rng& rng) {
  PartitionData data;
  for (std::size_t d = 0; d < 3; ++d) {
    PartitionInput input{.items = rng.index(5)};
    std::vector<std::uint32_t> clusters;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < input.items; ++i) {
      clusters.push_back(static_cast<std::uint32_t>(rng.index(3)));
      names.push_back("m" + std::to_string(i));
    }
    for (std::uint32_t i = 0; i < input.items; ++i) {
      for (std::uint32_t j = i + 1; j < input.items; ++j) {
        if (rng.bernoulli(0.3)) continue;
        input.pairs.push_back({i, j});
        for (std::uint32_t f = 0; f < 4; ++f) {
          if (rng.bernoulli(0.5)) continue;
          input.indices.push_back(f);
          input.values.push_back(rng.normal());
        }
        input.begins.push_back(input.indices.size());
      }
    }
    for (const std::uint32_t index : input.indices) {
      data.features = std::max<std::size_t>(data.features, index + 1);
    }
    data.inputs.push_back(std::move(input));
    data.partitions.push_back(canonical_partition(clusters));
    data.names.push_back("document " + std::to_string(d));
    data.item_names.push_back(std::move(names));
  }
  return data;
}

TEST(PairFeatures, WhatIsWrittenReadsBack) {
  Rng rng(11);
  for (std::size_t round = 0; round < 20; ++round) {
    PartitionData data = random_data(rng);
    if (round % 4 == 3) data.partitions.clear();
    const PartitionData copy = read(written(data));
    EXPECT_EQ(copy.features, data.features);
    EXPECT_EQ(copy.names, data.names);
    EXPECT_EQ(copy.item_names, data.item_names);
    EXPECT_EQ(copy.partitions, data.partitions);
    ASSERT_EQ(copy.size(), data.size());
    for (std::size_t d = 0; d < data.size(); ++d) {
      EXPECT_EQ(copy.inputs[d].items, data.inputs[d].items);
      EXPECT_EQ(copy.inputs[d].pairs, data.inputs[d].pairs);
      EXPECT_EQ(copy.inputs[d].begins, data.inputs[d].begins);
      EXPECT_EQ(copy.inputs[d].indices, data.inputs[d].indices);
      EXPECT_EQ(copy.inputs[d].values, data.inputs[d].values);
    }
  }
}

TEST(PairFeatures, NamesThatWouldNotReadBackAreRefused) {
  const auto refused = [](const std::string& name, const std::string& item) {
    const PartitionData data{
        .inputs = {{.items = 1}}, .names = {name}, .item_names = {{item}}, .source = {}};
    EXPECT_THROW(static_cast<void>(written(data)), InvalidArgument) << name << item;
  };
  refused("a\nb", "x");
  refused(" a", "x");
  refused("a\t", "x");
  refused("a", "");
  refused("a", "x y");
  refused("a", "x\n");
  const PartitionData twice{.inputs = {{.items = 2}}, .names = {"a"}, .item_names = {{"x", "x"}}};
  EXPECT_THROW(static_cast<void>(written(twice)), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
