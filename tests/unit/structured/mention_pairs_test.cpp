// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/mention_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/memory.hpp"
#include "partition_cases.hpp"

namespace maxmargin {
namespace {

/// Words separated by blanks; a full stop ends a sentence.
CorefDocument document(const std::string& text, std::vector<Mention> mentions) {
  CorefDocument result{.mentions = std::move(mentions)};
  std::istringstream words(text);
  bool new_sentence = true;
  for (std::string word; words >> word;) {
    if (new_sentence) result.sentence_begins.push_back(result.words.size());
    new_sentence = word == ".";
    result.words.push_back(word);
  }
  return result;
}

/// The names of a pair's features that are not tied to the kinds of the mentions.
std::set<std::string> plain_features(const PartitionInput& input, std::size_t pair) {
  const std::vector<std::string> names = mention_pair_names();
  std::set<std::string> result;
  for (std::size_t e = input.begins.at(pair); e < input.begins.at(pair + 1); ++e) {
    const std::string& name = names.at(input.indices[e]);
    if (name.find('/') == name.npos) result.insert(name);
  }
  return result;
}

/// What stands behind the slash of the others; one for a pair.
std::string kinds_of(const PartitionInput& input, std::size_t pair) {
  const std::vector<std::string> names = mention_pair_names();
  std::set<std::string> result;
  for (std::size_t e = input.begins.at(pair); e < input.begins.at(pair + 1); ++e) {
    const std::string& name = names.at(input.indices[e]);
    if (const auto slash = name.find('/'); slash != name.npos)
      result.insert(name.substr(slash + 1));
  }
  return result.size() == 1 ? *result.begin() : "";
}

TEST(MentionPairs, NamesAreDifferentAndCoverAllFeatures) {
  const std::vector<std::string> names = mention_pair_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(names.size(), 42u * 10);
}

TEST(MentionPairs, EveryFeatureIsThereTwice) {
  const CorefDocument text = document("The old king of Spain saw him .", {{0, 5, 0}, {6, 7, 0}});
  const PartitionInput input = mention_pairs(text);
  data_of_one(input, mention_pair_names().size()).validate();
  EXPECT_EQ(input.items, 2u);
  ASSERT_EQ(input.pairs.size(), 1u);
  EXPECT_TRUE(input.values.empty());
  EXPECT_EQ(input.indices.size(), 2 * plain_features(input, 0).size());
  // The head is the king, not Spain.
  EXPECT_EQ(kinds_of(input, 0), "other-pronoun");
  EXPECT_EQ(plain_features(input, 0),
            (std::set<std::string>{"constant",
                                   "mentions-between=0",
                                   "sentences-between=0",
                                   "gender=agrees",
                                   "number=unknown",
                                   "person=agrees",
                                   "later-article=none"}));
}

TEST(MentionPairs, WordsAreCompared) {
  const CorefDocument text =
      document("then Mr. Bennet met a dog . The Dog bit Jane Bennet . the dogs ran .",
               {{1, 3, 0}, {4, 6, 1}, {7, 9, 1}, {10, 12, 2}, {13, 15, 3}});
  const PartitionInput input = mention_pairs(text);
  ASSERT_EQ(input.pairs.size(), 10u);
  const auto has = [&](std::size_t pair, const std::string& name) {
    return plain_features(input, pair).contains(name);
  };
  // Pairs: 01 02 03 04 12 13 14 23 24 34.
  EXPECT_TRUE(has(2, "same-head"));
  EXPECT_TRUE(has(2, "common-name"));
  EXPECT_FALSE(has(2, "same-words"));
  EXPECT_EQ(kinds_of(input, 2), "name-name");
  EXPECT_TRUE(has(4, "same-head"));
  EXPECT_TRUE(has(4, "same-words-without-article"));
  EXPECT_FALSE(has(4, "same-words"));
  EXPECT_FALSE(has(4, "common-name"));
  EXPECT_TRUE(has(4, "later-article=the"));
  EXPECT_TRUE(has(4, "sentences-between=1"));
  EXPECT_FALSE(has(0, "same-head"));
  EXPECT_TRUE(has(0, "later-article=a"));
  EXPECT_TRUE(has(8, "same-first-word"));
  EXPECT_FALSE(has(8, "heads-begin-alike"));  // "dog" is too short
  EXPECT_TRUE(has(6, "number=contradicts"));  // a dog, the dogs
  EXPECT_TRUE(has(3, "mentions-between=3-4"));
}

TEST(MentionPairs, PronounsAgreeOrContradict) {
  const CorefDocument text = document(
      "she saw Lord Ashby , the lord , and they saw it . my dear , said I",
      {{0, 1, 0}, {2, 4, 1}, {5, 7, 1}, {9, 10, 2}, {11, 12, 3}, {13, 14, 4}, {17, 18, 4}});
  const PartitionInput input = mention_pairs(text);
  const auto pair = [&](std::uint32_t i, std::uint32_t j) {
    const auto found = std::ranges::find(input.pairs, ItemPair{i, j});
    return plain_features(input, static_cast<std::size_t>(found - input.pairs.begin()));
  };
  EXPECT_TRUE(pair(0, 1).contains("gender=contradicts"));
  EXPECT_TRUE(pair(1, 2).contains("gender=agrees"));
  EXPECT_TRUE(pair(1, 2).contains("apposition"));
  EXPECT_TRUE(pair(0, 3).contains("number=contradicts"));
  EXPECT_TRUE(pair(0, 3).contains("gender=unknown"));
  EXPECT_TRUE(pair(0, 4).contains("gender=contradicts"));
  EXPECT_TRUE(pair(5, 6).contains("person=agrees"));
  EXPECT_TRUE(pair(0, 6).contains("person=contradicts"));
  EXPECT_FALSE(pair(0, 1).contains("apposition"));
}

TEST(MentionPairs, PlacesSpeakersAndTagsCount) {
  CorefDocument text =
      document("her mother laughed . no , I did", {{0, 2, 0}, {0, 1, 1}, {6, 7, 0}});
  EXPECT_TRUE(plain_features(mention_pairs(text), 0).contains("one-within-other"));
  EXPECT_FALSE(plain_features(mention_pairs(text), 1).contains("one-within-other"));
  EXPECT_FALSE(plain_features(mention_pairs(text), 1).contains("speaker=same"));
  text.speakers.assign(text.words.size(), "A");
  text.speakers[6] = "B";
  EXPECT_TRUE(plain_features(mention_pairs(text), 0).contains("speaker=same"));
  EXPECT_TRUE(plain_features(mention_pairs(text), 1).contains("speaker=different"));
  // With tags the head is the last noun.
  CorefDocument noun = document("the queen dowager saw the queen", {{0, 3, 0}, {4, 6, 0}});
  EXPECT_FALSE(plain_features(mention_pairs(noun), 0).contains("same-head"));
  noun.tags = {"DT", "NN", "JJ", "VBD", "DT", "NN"};
  EXPECT_TRUE(plain_features(mention_pairs(noun), 0).contains("same-head"));
}

TEST(MentionPairs, FarPairsAreLeftOutUnlessTheirHeadsAgree) {
  const CorefDocument text =
      document("cats he dogs he Cats he",
               {{0, 1, 0}, {1, 2, 1}, {2, 3, 2}, {3, 4, 1}, {4, 5, 0}, {5, 6, 1}});
  EXPECT_EQ(mention_pairs(text).pairs.size(), 15u);
  const PartitionInput near = mention_pairs(text, {.max_mentions_between = 0});
  data_of_one(near, mention_pair_names().size()).validate();
  EXPECT_EQ(near.pairs, (std::vector<ItemPair>{{0, 1}, {0, 4}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}));
}

TEST(MentionPairs, DataHasDocumentsAndMentionsByName) {
  CorefDocument text = document("she saw herself", {{0, 1, 7}, {2, 3, 7}});
  text.name = "novel";
  text.part = 2;
  const PartitionData data = mention_pair_data(std::vector<CorefDocument>{text, {}});
  data.validate();
  EXPECT_EQ(data.size(), 2u);
  EXPECT_EQ(data.names, (std::vector<std::string>{"novel/2", "/0"}));
  EXPECT_EQ(data.item_names[0], (std::vector<std::string>{"0-0", "2-2"}));
  EXPECT_EQ(data.partitions, (std::vector<Partition>{{0, 0}, {}}));
  CorefDocument wrong = text;
  wrong.mentions[0].end = 9;
  EXPECT_THROW(static_cast<void>(mention_pairs(wrong)), InvalidArgument);
}

TEST(MentionPairs, MorePairsThanMemoryAreRefused) {
  const auto mentions = static_cast<std::size_t>(std::sqrt(machine_memory() / 300)) + 1;
  CorefDocument text{.name = "long", .sentence_begins = {0}};
  for (std::uint32_t i = 0; i < mentions; ++i) {
    text.words.push_back("w" + std::to_string(i));
    text.mentions.push_back({.begin = i, .end = i + 1});
  }
  try {
    (void)mention_pairs(text);
    FAIL();
  } catch (const InvalidArgument& refused) {
    const std::string said = refused.what();
    EXPECT_TRUE(said.starts_with("document long: ")) << said;
    EXPECT_NE(said.find("use shorter documents or a smaller --max-mentions-between"), said.npos)
        << said;
  }
  EXPECT_EQ(mention_pairs(text, {.max_mentions_between = 0}).pairs.size(), mentions - 1);
}

}  // namespace
}  // namespace maxmargin
