// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/structured/chunks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <tuple>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/metric/classification.hpp"

namespace maxmargin {
namespace {

const std::vector<std::string> names{
    "O", "B-NP", "I-NP", "E-NP", "S-NP", "B-VP", "I-VP", "E-VP", "S-VP"};

LabelSequence tags(const std::string& text) {
  LabelSequence labels;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto place = std::ranges::find(names, word);
    labels.push_back(static_cast<std::uint32_t>(place - names.begin()));
  }
  return labels;
}

/// "begin-end:type" of every chunk.
std::string chunks_of(const std::string& text) {
  const ChunkTags reader(names);
  std::string found;
  for (const Chunk& chunk : reader.chunks(tags(text))) {
    found += std::to_string(chunk.begin) + "-" + std::to_string(chunk.end) + ":" +
             reader.types()[chunk.type] + " ";
  }
  return found;
}

TEST(Chunks, Iob2) {
  EXPECT_EQ(chunks_of("B-NP I-NP O B-NP B-NP I-NP B-VP"), "0-2:NP 3-4:NP 4-6:NP 6-7:VP ");
  EXPECT_EQ(chunks_of("O O"), "");
  EXPECT_EQ(chunks_of(""), "");
}

TEST(Chunks, Iob1BeginsWithInside) {
  EXPECT_EQ(chunks_of("I-NP I-NP O I-VP"), "0-2:NP 3-4:VP ");
  // B stands between two chunks of one type.
  EXPECT_EQ(chunks_of("I-NP B-NP I-NP"), "0-1:NP 1-3:NP ");
}

TEST(Chunks, IobesEndsAndSingles) {
  EXPECT_EQ(chunks_of("B-NP I-NP E-NP S-NP S-VP O B-VP E-VP"), "0-3:NP 3-4:NP 4-5:VP 6-8:VP ");
}

TEST(Chunks, BrokenTagsStillMakeChunks) {
  // Another type begins anew, whatever the letter says.
  EXPECT_EQ(chunks_of("B-NP I-VP"), "0-1:NP 1-2:VP ");
  EXPECT_EQ(chunks_of("O I-NP"), "1-2:NP ");
  EXPECT_EQ(chunks_of("E-NP E-NP"), "0-1:NP 1-2:NP ");
  EXPECT_EQ(chunks_of("E-NP I-NP"), "0-1:NP 1-2:NP ");
  EXPECT_EQ(chunks_of("S-NP I-NP E-NP"), "0-1:NP 1-3:NP ");
  EXPECT_EQ(chunks_of("B-NP S-NP I-NP"), "0-1:NP 1-2:NP 2-3:NP ");
  EXPECT_EQ(chunks_of("O E-NP O"), "1-2:NP ");
}

TEST(Chunks, ReadsTagsOfOtherNames) {
  const std::vector<std::string> others{"O", "B", "M", "L", "U", "B-x-y", "I-"};
  const ChunkTags reader(others);
  EXPECT_EQ(reader.role(2), ChunkRole::inside);
  EXPECT_EQ(reader.role(3), ChunkRole::end);
  EXPECT_EQ(reader.role(4), ChunkRole::single);
  EXPECT_EQ(reader.types(), (std::vector<std::string>{"", "x-y"}));
  EXPECT_EQ(reader.types()[reader.type(5)], "x-y");
  EXPECT_EQ(reader.types()[reader.type(6)], "");
}

TEST(Chunks, RefusesWhatIsNoTag) {
  for (const std::string name : {"NP", "X-NP", "", "-NP", "b-NP", "O-NP"}) {
    EXPECT_THROW(ChunkTags(std::vector<std::string>{name}), InvalidArgument) << name;
  }
  EXPECT_THROW((void)ChunkTags(names).chunks({99}), InvalidArgument);
}

TEST(CountChunks, CountsBeginEndAndType) {
  const std::vector<LabelSequence> truth{tags("B-NP I-NP B-VP O B-NP"), tags("B-VP I-VP")};
  const std::vector<LabelSequence> found{tags("B-NP I-NP B-NP O B-NP"), tags("B-VP O")};
  // Right: both NP of the first. Wrong: an NP for a VP, and a VP that is too short.
  const ChunkCounts counts = count_chunks(truth, found, names);
  EXPECT_EQ(counts.all.true_positive, 2);
  EXPECT_EQ(counts.all.false_positive, 2);
  EXPECT_EQ(counts.all.false_negative, 2);
  EXPECT_DOUBLE_EQ(precision(counts.all), 0.5);
  EXPECT_DOUBLE_EQ(f1(counts.all), 0.5);
  ASSERT_EQ(counts.types, (std::vector<std::string>{"NP", "VP"}));
  EXPECT_DOUBLE_EQ(recall(counts.by_type[0]), 1);
  EXPECT_DOUBLE_EQ(precision(counts.by_type[0]), 2.0 / 3);
  EXPECT_EQ(counts.by_type[1].true_positive, 0);
  EXPECT_EQ(counts.by_type[1].false_negative, 2);
}

TEST(CountChunks, ChunksDoNotCrossSequences) {
  const std::vector<LabelSequence> apart{tags("B-NP"), tags("I-NP")};
  const std::vector<LabelSequence> one{tags("B-NP I-NP")};
  EXPECT_EQ(count_chunks(apart, apart, names).all.true_positive, 2);
  EXPECT_EQ(count_chunks(one, one, names).all.true_positive, 1);
}

TEST(CountChunks, IsUndefinedWithoutChunks) {
  const std::vector<LabelSequence> none{tags("O O"), {}};
  EXPECT_TRUE(std::isnan(f1(count_chunks(none, none, names).all)));
  const std::vector<LabelSequence> some{tags("O B-NP"), {}};
  EXPECT_EQ(f1(count_chunks(some, none, names).all), 0);
}

TEST(CountChunks, RefusesDifferentLengths) {
  const std::vector<LabelSequence> truth{tags("O O")};
  EXPECT_THROW((void)count_chunks(truth, {}, names), InvalidArgument);
  EXPECT_THROW((void)count_chunks(truth, std::vector<LabelSequence>{tags("O")}, names),
               InvalidArgument);
}

/// The published rules, one by one: whether a chunk ends between two tags (letter, type), and
/// whether one begins. Positions before and after a sequence have the letter O.
struct PlainTag {
  char letter = 'O';
  std::string type;
};
PlainTag plain(std::uint32_t label) {
  const std::string& name = names[label];
  return {.letter = name[0], .type = name.size() > 2 ? name.substr(2) : ""};
}
bool ends(const PlainTag& a, const PlainTag& b) {
  if (a.letter == 'O') return false;
  if (a.letter == 'E' || a.letter == 'S') return true;
  return b.letter == 'B' || b.letter == 'S' || b.letter == 'O' || a.type != b.type;
}
bool begins(const PlainTag& a, const PlainTag& b) {
  if (b.letter == 'O') return false;
  if (b.letter == 'B' || b.letter == 'S') return true;
  return a.letter == 'O' || a.letter == 'E' || a.letter == 'S' || a.type != b.type;
}

TEST(CountChunks, EqualsASweepByTheRulesOnRandomTags) {
  Rng rng(5);
  for (std::size_t round = 0; round < 300; ++round) {
    std::vector<LabelSequence> pair(2, LabelSequence(1 + rng.index(12)));
    for (LabelSequence& labels : pair) {
      for (auto& label : labels) label = static_cast<std::uint32_t>(rng.index(names.size()));
    }
    // Half of the predictions are the truth with one change.
    if (rng.bernoulli(0.5)) {
      pair[1] = pair[0];
      pair[1][rng.index(pair[1].size())] = static_cast<std::uint32_t>(rng.index(names.size()));
    }
    std::vector<std::set<std::tuple<std::size_t, std::size_t, std::string>>> sets(2);
    for (std::size_t side = 0; side < 2; ++side) {
      std::size_t begin = 0;
      PlainTag before;
      for (std::size_t t = 0; t <= pair[side].size(); ++t) {
        const PlainTag here = t < pair[side].size() ? plain(pair[side][t]) : PlainTag{};
        if (ends(before, here)) sets[side].emplace(begin, t, before.type);
        if (begins(before, here)) begin = t;
        before = here;
      }
    }
    double right = 0;
    for (const auto& chunk : sets[1]) right += static_cast<double>(sets[0].count(chunk));
    const ChunkCounts counts =
        count_chunks(std::span(pair).first(1), std::span(pair).last(1), names);
    EXPECT_EQ(counts.all.true_positive, right);
    EXPECT_EQ(counts.all.true_positive + counts.all.false_negative,
              static_cast<double>(sets[0].size()));
    EXPECT_EQ(counts.all.true_positive + counts.all.false_positive,
              static_cast<double>(sets[1].size()));
  }
}

}  // namespace
}  // namespace maxmargin
