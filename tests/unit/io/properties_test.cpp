// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/properties.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

Properties read(const std::string& text) {
  Input input = Input::from_memory("test.properties", text);
  return read_properties(input);
}

std::vector<std::pair<std::string, std::string>> pairs_of(const Properties& properties) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Property& property : properties.entries) {
    pairs.emplace_back(property.key, property.value);
  }
  return pairs;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Properties, SeparatorsAreEqualsColonAndBlank) {
  EXPECT_EQ(
      pairs_of(read("a = 1\nb:2\nc 3\nd=4\n  e\t:\t5  \nf\ng =\n")),
      (Pairs{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}, {"f", ""}, {"g", ""}}));
}

TEST(Properties, ValuesMayHoldSeparators) {
  EXPECT_EQ(pairs_of(read("url = http://x?a=b\n")), (Pairs{{"url", "http://x?a=b"}}));
}

TEST(Properties, CommentsAndEmptyLinesSayNothing) {
  EXPECT_EQ(pairs_of(read("# a = 1\n\n  ! b = 2\n   \t\nc = # 3\n")), (Pairs{{"c", "# 3"}}));
}

TEST(Properties, ABackslashAtTheEndGoesOnInTheNextLine) {
  EXPECT_EQ(pairs_of(read("a = x\\\n    y\\\n  # z\nb = 1\\\\\nc = 2\n")),
            (Pairs{{"a", "xy# z"}, {"b", "1\\"}, {"c", "2"}}));
  EXPECT_EQ(pairs_of(read("a = x\\")), (Pairs{{"a", "x"}}));
}

TEST(Properties, EscapesAreThoseOfJava) {
  EXPECT_EQ(pairs_of(read("a\\ b\\=c = \\t\\n\\q\\\\ \\u0041\\u00e9\\uD83D\\uDE00\\ \n")),
            (Pairs{{"a b=c", "\t\nq\\ A\xC3\xA9\xF0\x9F\x98\x80 "}}));
}

TEST(Properties, LineEndsOfAllSystemsAreTheSame) {
  const Pairs expected = {{"a", "1"}, {"b", "2"}};
  EXPECT_EQ(pairs_of(read("a=1\nb=2\n")), expected);
  EXPECT_EQ(pairs_of(read("a=1\r\nb=2\r\n")), expected);
  EXPECT_EQ(pairs_of(read("a=1\rb=2")), expected);
}

TEST(Properties, LinesAreCountedThroughContinuations) {
  const Properties properties = read("# one\na = 1\\\n 2\n\nb = 3\n");
  ASSERT_NE(properties.find("b"), nullptr);
  EXPECT_EQ(properties.find("a")->line, 2u);
  EXPECT_EQ(properties.find("b")->line, 5u);
  EXPECT_EQ(properties.find("c"), nullptr);
}

TEST(Properties, ErrorsNameTheLine) {
  const auto line_of_error = [](const std::string& text) {
    try {
      static_cast<void>(read(text));
    } catch (const ParseError& error) {
      return error.place().line;
    }
    return std::size_t{0};
  };
  EXPECT_EQ(line_of_error("a = 1\nb = 2\na = 3\n"), 3u);
  EXPECT_EQ(line_of_error("a = 1\n= 2\n"), 2u);
  EXPECT_EQ(line_of_error("a = \\u12\n"), 1u);
  EXPECT_EQ(line_of_error("a = \\u12G4\n"), 1u);
  EXPECT_EQ(line_of_error("a = \\u0000\n"), 1u);
  EXPECT_EQ(line_of_error("a = \\ud83d\n"), 1u);
  EXPECT_EQ(line_of_error("a = \\ud83d\\u0041\n"), 1u);
  EXPECT_EQ(line_of_error(std::string("a = 1\nb\0c = 2\n", 14)), 2u);
  EXPECT_EQ(line_of_error("a = 1\n"), 0u);
}

// seed-merat fact 63
TEST(Properties, ADuplicateKeyIsAnErrorThatNamesBothLines) {
  try {
    static_cast<void>(read("data.test.type = A\n\ndata.test.type = B\n"));
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_STREQ(error.what(),
                 "test.properties:3: the key data.test.type is there already, in line 1");
  }
}

// seed-merat fact 63: the example of M:1454-1482 with FC-53 put right
TEST(Properties, ExampleOfTheThesisReadsBack) {
  Input input = Input::open(MAXMARGIN_SOURCE_DIR "/fuzz/corpus/properties/kernlib.properties");
  const Properties example = read_properties(input);
  EXPECT_EQ(example.entries.size(), 18u);
  EXPECT_EQ(example.find("relabeler.relfactor")->value, "0.15");
  EXPECT_EQ(pairs_of(read(to_text(example))), pairs_of(example));
}

// Found by fuzzing: the first key looked like the mark of a compressed file.
TEST(Properties, AKeyMayLookLikeTheMarkOfACompressedFile) {
  for (const std::string key : {"\x1F\x8B",
                                "BZh91AY",
                                "\xFD"
                                "7zXZ"}) {
    const Properties first{.entries = {{key, "1"}}};
    EXPECT_EQ(pairs_of(read(to_text(first))), pairs_of(first));
  }
}

TEST(Properties, WhatIsWrittenReadsBack) {
  const Properties odd{.entries = {{"a b", " leading and trailing "},
                                   {"#x", "=y:z"},
                                   {"back\\slash", "line\nfeed\ttab\r\f"},
                                   {"empty", ""},
                                   {"\xC3\xA9", " "}}};
  EXPECT_EQ(pairs_of(read(to_text(odd))), pairs_of(odd));
  EXPECT_THROW(static_cast<void>(to_text({.entries = {{"", "x"}}})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(to_text({.entries = {{"a", "1"}, {"a", "2"}}})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
