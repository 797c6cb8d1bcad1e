// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/text/conll_columns.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "small_texts.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

TaggedText read(const std::string& bytes, const ConllOptions& options = {}) {
  Input input = Input::from_memory("train.txt", bytes);
  return read_conll_columns(input, options);
}

/// All cells and tags, for comparing: "a b/T c d/T | e f/T |".
std::string show(const TaggedText& text) {
  std::string shown;
  for (std::size_t s = 0; s < text.size(); ++s) {
    for (std::size_t token = text.begin(s); token < text.begin(s + 1); ++token) {
      for (std::size_t column = 0; column < text.columns(); ++column) {
        shown += "[" + std::string(text.cell(token, column)) + "]";
      }
      if (text.has_tags()) shown += "/" + std::string(text.tags()[text.tag(token)]);
      shown += " ";
    }
    shown += "| ";
  }
  return shown;
}

std::string problem(const std::string& bytes, const ConllOptions& options = {}) {
  return problem_of<ParseError>([&] { static_cast<void>(read(bytes, options)); });
}

const std::string two_sentences = "He PRP B-NP\nreckons VBZ B-VP\n\nNow RB O\n\n";

TEST(ConllColumns, ReadsSentences) {
  const TaggedText text = read(two_sentences);
  EXPECT_EQ(show(text), "[He][PRP]/B-NP [reckons][VBZ]/B-VP | [Now][RB]/O | ");
  EXPECT_EQ(text.source, "train.txt");
}

TEST(ConllColumns, LineEndsBlanksAndMarksDoNotMatter) {
  const std::string expected = show(read(two_sentences));
  EXPECT_EQ(show(read("He PRP B-NP\nreckons VBZ B-VP\n\nNow RB O")), expected);
  EXPECT_EQ(show(read("He PRP B-NP\r\nreckons VBZ B-VP\r\n\r\nNow RB O\r\n")), expected);
  EXPECT_EQ(show(read("\xef\xbb\xbfHe\tPRP\tB-NP\nreckons  VBZ\t B-VP \n \t\n\n\n Now RB O\n")),
            expected);
  // A mark on a line of its own, as in files that were glued together.
  EXPECT_EQ(show(read("\n\nHe PRP B-NP\nreckons VBZ B-VP\n\xef\xbb\xbf\nNow RB O\n")), expected);
}

TEST(ConllColumns, TagsMayBeAloneWhereThatIsAskedFor) {
  EXPECT_EQ(show(read("A\nB\n\nA\n", {.tags_alone = true})), "/A /B | /A | ");
  EXPECT_EQ(show(read(two_sentences, {.tags_alone = true})), show(read(two_sentences)));
  EXPECT_EQ(problem("A\nB\n"),
            "train.txt:1: a token of 1 column; expected a word and a tag at least");
}

TEST(ConllColumns, TheTagMayBeInAnyColumn) {
  EXPECT_EQ(show(read(two_sentences, {.tag_column = 3})), show(read(two_sentences)));
  EXPECT_EQ(show(read(two_sentences, {.tag_column = 2})),
            "[He][B-NP]/PRP [reckons][B-VP]/VBZ | [Now][O]/RB | ");
  EXPECT_EQ(show(read("T a\n", {.tag_column = 1})), "[a]/T | ");
  EXPECT_EQ(show(read("a b\n\nc d\n", {.has_tags = false})), "[a][b] | [c][d] | ");
  EXPECT_EQ(show(read("a\nb\n", {.has_tags = false})), "[a] [b] | ");
}

TEST(ConllColumns, TabsAloneKeepBlanks) {
  EXPECT_EQ(show(read("New York\tB\nis \tO\n", {.tabs_only = true})), "[New York]/B [is ]/O | ");
  EXPECT_EQ(problem("a\tB\n\tO\n", {.tabs_only = true}), "train.txt:2:1: a column is empty");
  EXPECT_EQ(problem("a\tB\nb\t\n", {.tabs_only = true}), "train.txt:2:3: a column is empty");
  EXPECT_EQ(problem("a\r\tB\n", {.tabs_only = true}),
            "train.txt:1:1: a carriage return in a column");
}

TEST(ConllColumns, DocumentMarksAreNoTokens) {
  const std::string text =
      "-DOCSTART- -X- O O\n\na N O X\n-DOCSTART-\nb N O Y\n-DOCSTART-s N O Z\n";
  EXPECT_EQ(show(read(text)), "[a][N][O]/X | [b][N][O]/Y [-DOCSTART-s][N][O]/Z | ");
  EXPECT_EQ(show(read("-DOCSTART- O\na O\n", {.skip_document_marks = false})),
            "[-DOCSTART-]/O [a]/O | ");
}

// CoNLL-2000 has the word #.
TEST(ConllColumns, CommentsAreThoseAskedFor) {
  EXPECT_EQ(show(read("# # B-NP\n3 CD I-NP\n")), "[#][#]/B-NP [3][CD]/I-NP | ");
  EXPECT_EQ(show(read("# id 1\na X\n# b c d e\nb Y\n", {.comment = "# "})), "[a]/X [b]/Y | ");
}

TEST(ConllColumns, AMissingColumnIsRefusedWithFileAndLine) {
  EXPECT_EQ(problem("He PRP B-NP\n\nreckons B-VP\n"),
            "train.txt:3: a token of 2 columns; expected 3 columns, as in line 1");
  EXPECT_EQ(problem("\nHe PRP B-NP\na b c d\n"),
            "train.txt:3: a token of 4 columns; expected 3 columns, as in line 2");
  EXPECT_EQ(problem("a\n"), "train.txt:1: a token of 1 column; expected a word and a tag at least");
  EXPECT_EQ(problem("a b\n", {.tag_column = 3}),
            "train.txt:1: a token of 2 columns; the tag should be in column 3");
  EXPECT_EQ(problem(std::string("a b\nc\0 d\n", 9)), "train.txt:2:2: a NUL byte (binary data?)");
  EXPECT_THROW(static_cast<void>(read("a\n", {.has_tags = false, .tag_column = 1})),
               InvalidArgument);
}

TEST(ConllColumns, EmptyFilesHaveNoSentences) {
  for (const char* bytes : {"", "\n", "\r\n \n\n", "\xef\xbb\xbf", "-DOCSTART-\n"}) {
    EXPECT_EQ(read(bytes).size(), 0u) << bytes;
    EXPECT_TRUE(read(bytes).has_tags());
  }
}

TEST(ConllColumns, LongLinesAndManyBlocksAreRead) {
  // Longer than the blocks in which a file is read.
  const std::string word(3000000, 'w');
  const TaggedText text = read("a X\n" + word + " Y\n\n" + word + "v X");
  ASSERT_EQ(text.tokens(), 3u);
  EXPECT_EQ(text.cell(1, 0), word);
  EXPECT_EQ(text.cell(2, 0), word + "v");
  std::string many;
  for (int k = 0; k < 200000; ++k) many += "w" + std::to_string(k) + " T\n" + (k % 7 ? "" : "\n");
  const TaggedText long_text = read(many);
  EXPECT_EQ(long_text.tokens(), 200000u);
  EXPECT_EQ(long_text.size(), 28573u);
  EXPECT_EQ(long_text.cell(199999, 0), "w199999");
}

TEST(ConllColumns, FilesAndMemoryAreReadAlike) {
  const TemporaryFolder folder;
  // The last line of a mapped file without a line end lies elsewhere in memory.
  const std::string bytes = two_sentences + "x y z";
  {
    OutputFile file(folder.path("t"));
    file.write(bytes);
    file.commit();
  }
  Input input = Input::open(folder.path("t"));
  EXPECT_EQ(show(read_conll_columns(input)), show(read(bytes)));
}

TEST(ConllColumns, WhatIsWrittenReadsBack) {
  for (const TaggedText& text : {random_text(50, 1), random_text(1, 2), random_text(0, 3)}) {
    const std::string bytes =
        written_bytes([&](OutputFile& output) { write_conll_columns(text, output); });
    EXPECT_EQ(show(read(bytes)), show(text));
  }
  const TaggedText untagged = read("a b\nc d\n", {.has_tags = false});
  EXPECT_EQ(written_bytes([&](OutputFile& output) { write_conll_columns(untagged, output); }),
            "a\tb\nc\td\n\n");
  for (const std::string first : {"BZh91AY", "\xef\xbb\xbf", "\x1f\x8b\x08"}) {
    const TaggedText odd = tagged_text(first + "/T\n");
    const std::string bytes =
        written_bytes([&](OutputFile& output) { write_conll_columns(odd, output); });
    EXPECT_EQ(show(read(bytes)), show(odd));
  }
}

TEST(ConllOptions, TheTagIsOneOption) {
  ConllOptions options;
  EXPECT_EQ(describe_options(options)[0].name, "label");
  EXPECT_EQ(describe_options(options)[0].fallback, "the last");
  set_options(options, {{"label", "3"}}, "this test");
  EXPECT_TRUE(options.has_tags);
  EXPECT_EQ(options.tag_column, 3u);
  EXPECT_EQ(text_of(option_values(options)[0].second), "3");
  set_options(options, {{"label", "none"}}, "this test");
  EXPECT_FALSE(options.has_tags);
  EXPECT_EQ(options.tag_column, 0u);
  EXPECT_EQ(text_of(option_values(options)[0].second), "none");
  for (const char* text : {"0", "-1", "last", ""}) {
    EXPECT_THROW(set_options(options, {{"label", text}}, "this test"), InvalidArgument) << text;
  }
}

}  // namespace
}  // namespace maxmargin
