// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/text/tagged_text.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "small_texts.hpp"

namespace maxmargin {
namespace {

using Cells = std::vector<std::string_view>;

TEST(TaggedText, HoldsSentencesOfCellsAndTags) {
  const TaggedText text = tagged_text("the|DT/B cat|NN/I\nit|PR/B\n", 2);
  ASSERT_EQ(text.size(), 2u);
  EXPECT_EQ(text.tokens(), 3u);
  EXPECT_EQ(text.begin(1), 2u);
  EXPECT_EQ(text.begin(2), 3u);
  EXPECT_EQ(text.cell(0, 0), "the");
  EXPECT_EQ(text.cell(1, 1), "NN");
  EXPECT_EQ(text.cell(2, 0), "it");
  ASSERT_EQ(text.tags().size(), 2u);
  EXPECT_EQ(text.tags()[text.tag(1)], "I");
  EXPECT_EQ(text.tag(0), text.tag(2));
}

TEST(TaggedText, ASentenceCountsWhenItEndsAndEmptyOnesDoNot) {
  TaggedText text(1, false);
  text.end_sentence();
  EXPECT_EQ(text.size(), 0u);
  text.add_token(Cells{"a"});
  EXPECT_EQ(text.size(), 0u);
  text.end_sentence();
  text.end_sentence();
  EXPECT_EQ(text.size(), 1u);
  EXPECT_FALSE(text.has_tags());
}

TEST(TaggedText, RefusesWhatNoFileCouldHold) {
  TaggedText text(1, true);
  EXPECT_THROW(text.add_token(Cells{"a", "b"}, "T"), InvalidArgument);
  EXPECT_THROW(text.add_token(Cells{"a"}), InvalidArgument);
  EXPECT_THROW(text.add_token(Cells{""}, "T"), InvalidArgument);
  EXPECT_THROW(text.add_token(Cells{"a"}, ""), InvalidArgument);
  EXPECT_THROW(text.add_token(Cells{"a\nb"}, "T"), InvalidArgument);
  EXPECT_THROW(text.add_token(Cells{std::string_view("a\0b", 3)}, "T"), InvalidArgument);
  EXPECT_THROW(text.add_token(Cells{"a"}, "T\r"), InvalidArgument);
  TaggedText untagged(1, false);
  EXPECT_THROW(untagged.add_token(Cells{"a"}, "T"), InvalidArgument);
  // What was refused left nothing behind.
  text.add_token(Cells{"a"}, "T");
  text.end_sentence();
  EXPECT_EQ(text.tokens(), 1u);
  EXPECT_EQ(text.cell(0, 0), "a");
  EXPECT_EQ(text.tags().size(), 1u);
}

TEST(TaggedText, TagsCanBeReplaced) {
  TaggedText text = tagged_text("a/X b/Y\nc/X\n");
  const std::vector<std::string> names = {"P", "Q", "R"};
  text.set_tags(std::vector<std::uint32_t>{2, 0, 2}, names);
  EXPECT_EQ(text.tags()[text.tag(0)], "R");
  EXPECT_EQ(text.tags()[text.tag(1)], "P");
  EXPECT_EQ(text.tags()[text.tag(2)], "R");
  EXPECT_THROW(text.set_tags(std::vector<std::uint32_t>{0, 0}, names), InvalidArgument);
  EXPECT_THROW(text.set_tags(std::vector<std::uint32_t>{0, 0, 3}, names), InvalidArgument);
}

TEST(TaggedText, ACellOfAKnownWordTakesFourBytes) {
  TaggedText text(2, true);
  const auto add = [&](int count) {
    for (int k = 0; k < count; ++k) text.add_token(Cells{"word", "NN"}, "T");
    text.end_sentence();
  };
  add(10);
  const std::size_t before = text.memory_bytes();
  add(1000);
  EXPECT_EQ(text.memory_bytes() - before, 1000 * 3 * 4 + sizeof(std::size_t));
}

}  // namespace
}  // namespace maxmargin
