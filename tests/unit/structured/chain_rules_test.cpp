// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/tasks/chain_rules.hpp"

#include <gtest/gtest.h>

#include <set>

#include "chain_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/metric/structured/chunks.hpp"

namespace maxmargin {
namespace {

using namespace chain_cases;

std::vector<std::string> names_of(const LabelSequence& y, const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::uint32_t label : y) words.push_back(names[label]);
  return words;
}

/// All outputs of two positions, as pairs of names.
std::set<std::vector<std::string>> allowed_pairs(const std::vector<std::string>& names,
                                                 ChunkScheme scheme) {
  const ChainTask task({.labels = names.size(), .rules = chunk_rules(names, scheme)});
  std::set<std::vector<std::string>> pairs;
  task.for_each_output(Sequence{.begins = {0, 0, 0}},
                       [&](const LabelSequence& y) { pairs.insert(names_of(y, names)); });
  return pairs;
}

using Pairs = std::set<std::vector<std::string>>;

TEST(ChunkRules, Iob2GoesOnWithTheSameTypeAlone) {
  const std::vector<std::string> names{"O", "B-a", "I-a", "B-b", "I-b"};
  EXPECT_EQ(allowed_pairs(names, ChunkScheme::iob2),
            (Pairs{{"O", "O"},
                   {"O", "B-a"},
                   {"O", "B-b"},
                   {"B-a", "O"},
                   {"B-a", "B-a"},
                   {"B-a", "B-b"},
                   {"B-a", "I-a"},
                   {"B-b", "O"},
                   {"B-b", "B-a"},
                   {"B-b", "B-b"},
                   {"B-b", "I-b"}}));
}

TEST(ChunkRules, Iob1HasBeginBetweenChunksOfOneTypeAlone) {
  const std::vector<std::string> names{"O", "B-a", "I-a", "I-b"};
  EXPECT_EQ(allowed_pairs(names, ChunkScheme::iob1),
            (Pairs{{"O", "O"},
                   {"O", "I-a"},
                   {"O", "I-b"},
                   {"I-a", "O"},
                   {"I-a", "I-a"},
                   {"I-a", "I-b"},
                   {"I-a", "B-a"},
                   {"I-b", "O"},
                   {"I-b", "I-a"},
                   {"I-b", "I-b"}}));
}

TEST(ChunkRules, IobesEndsWhatItBegins) {
  const std::vector<std::string> names{"O", "B", "I", "E", "S"};
  EXPECT_EQ(allowed_pairs(names, ChunkScheme::iobes),
            (Pairs{{"O", "O"}, {"O", "S"}, {"S", "O"}, {"S", "S"}, {"B", "E"}}));
}

TEST(ChunkRules, RefusesTagsOfAnotherScheme) {
  EXPECT_THROW((void)chunk_rules(std::vector<std::string>{"O", "E-a"}, ChunkScheme::iob2),
               InvalidArgument);
  EXPECT_THROW((void)chunk_rules(std::vector<std::string>{"noun"}, ChunkScheme::iob2),
               InvalidArgument);
}

TEST(ChunkRules, TheFirstForbiddenLabelIsFound) {
  const std::vector<std::string> names{"O", "B", "I", "E", "S"};
  const auto found = [&](ChunkScheme scheme, const std::vector<LabelSequence>& sequences) {
    return first_forbidden(chunk_rules(names, scheme), names.size(), sequences);
  };
  EXPECT_FALSE(found(ChunkScheme::iobes, {{}, {0, 4, 1, 2, 3}, {1, 3}}));
  EXPECT_EQ(found(ChunkScheme::iobes, {{0}, {0, 1, 3, 2, 2}}), (SequencePlace{1, 3}));
  // First and last labels have rules of their own.
  EXPECT_EQ(found(ChunkScheme::iobes, {{0, 0}, {2, 3}}), (SequencePlace{1, 0}));
  EXPECT_EQ(found(ChunkScheme::iobes, {{0, 1}, {2, 3}}), (SequencePlace{0, 1}));
  EXPECT_FALSE(first_forbidden({}, 5, std::vector<LabelSequence>{{2, 1}}));
}

TEST(ChunkRules, PredictionsUnderRulesAreWellFormed) {
  // Every I of such an output belongs to a chunk that a B began.
  const std::vector<std::string> names{"B-a", "B-b", "I-a", "I-b", "O"};
  const ChunkTags tags(names);
  const ChainTask task(
      {.labels = names.size(), .features = 6, .rules = chunk_rules(names, ChunkScheme::iob2)});
  Rng rng(9);
  for (std::size_t round = 0; round < 50; ++round) {
    const std::vector<double> w = random_weights(rng, task.dimension());
    const LabelSequence y = task.predict(random_sequence(rng, 10, task.options()), w);
    for (const Chunk& chunk : tags.chunks(y)) {
      EXPECT_EQ(tags.role(y[chunk.begin]), ChunkRole::begin);
    }
  }
}

}  // namespace
}  // namespace maxmargin
