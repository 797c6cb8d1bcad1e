// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/text/string_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

/// A short string of few letters, so that many come twice.
std::string random_word(Rng& rng) {
  std::string word;
  for (std::size_t length = rng.index(5); word.size() < length;) {
    word += static_cast<char>(rng.index(2) == 0 ? 'a' + rng.index(6) : rng.index(256));
  }
  return word;
}

TEST(StringTable, AgreesWithAMap) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Rng rng(seed);
    StringTable table;
    std::map<std::string, std::uint32_t> map;
    for (int step = 0; step < 4000; ++step) {
      const std::string word = random_word(rng);
      const auto found = map.find(word);
      EXPECT_EQ(table.find(word), found == map.end() ? StringTable::none : found->second);
      const auto [place, fresh] = map.emplace(word, static_cast<std::uint32_t>(map.size()));
      EXPECT_EQ(table.add(word), place->second);
    }
    ASSERT_EQ(table.size(), map.size());
    for (const auto& [word, number] : map) EXPECT_EQ(table[number], word);
  }
}

TEST(StringTable, KeepClosesRanksInTheOldOrder) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Rng rng(seed);
    StringTable table;
    for (int step = 0; step < 500; ++step) table.add(random_word(rng));
    std::vector<bool> kept(table.size());
    std::vector<std::string> expected;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      kept[k] = rng.bernoulli(seed == 1 ? 0.0 : 0.3);
      if (kept[k]) expected.emplace_back(table[k]);
    }
    const StringTable before = table;
    table.keep(kept);
    ASSERT_EQ(table.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(table[k], expected[k]);
      EXPECT_EQ(table.find(expected[k]), k);
    }
    for (std::size_t k = 0; k < kept.size(); ++k) {
      if (!kept[k]) {
        EXPECT_EQ(table.find(before[k]), StringTable::none);
      }
    }
    EXPECT_EQ(table.add("something new"), expected.size());
  }
}

TEST(StringTable, StartsEmptyAndTakesTheEmptyString) {
  StringTable table;
  EXPECT_EQ(table.find(""), StringTable::none);
  EXPECT_EQ(table.add(""), 0u);
  EXPECT_EQ(table.find(""), 0u);
  EXPECT_EQ(table[0], "");
  EXPECT_THROW(table.keep({}), InvalidArgument);
}

TEST(StringTable, MayBeFedItsOwnStrings) {
  StringTable table;
  table.add("abcdef");
  for (int k = 0; k < 1000; ++k) {
    // A part of a string in the table, which moves when the table grows.
    table.add(table[0].substr(0, 3));
    table.add(std::to_string(k));
  }
  EXPECT_EQ(table[1], "abc");
  EXPECT_EQ(table.size(), 1002u);
}

// The numbers come from the definition computed by another program in another language.
TEST(StringTable, HashIsThatOfTheModelFiles) {
  static_assert(hash_text("a") == 0x02c0bdbf481420f8u);
  EXPECT_EQ(hash_text(""), 0xf52a15e9a9b5e89bu);
  EXPECT_EQ(hash_text("U00:the"), 0xf702d74a9db2ff46u);
  EXPECT_EQ(hash_text("U02:\xc3\xa9"), 0x4ad13d1aea91eab7u);
  EXPECT_EQ(hash_text("U05:_B-1/Confidence"), 0x6de1ce984b71e370u);
}

TEST(StringTable, TakesFewBytesBesideTheCharacters) {
  StringTable table;
  std::size_t characters = 0;
  for (int k = 0; k < 300000; ++k) {
    const std::string text = "U" + std::to_string(k % 40) + ":word" + std::to_string(k);
    characters += text.size();
    table.add(text);
  }
  ASSERT_EQ(table.size(), 300000u);
  // 8 bytes for the end of a string and 5 for each place, of which at least 35 % are taken.
  EXPECT_LE(table.memory_bytes(), characters + 23 * table.size());
  EXPECT_GE(table.memory_bytes(), characters + 15 * table.size());
}

}  // namespace
}  // namespace maxmargin
