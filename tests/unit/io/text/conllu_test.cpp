// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/text/conllu.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

TaggedText read(const std::string& bytes, const ConlluOptions& options = {}) {
  Input input = Input::from_memory("en.conllu", bytes);
  return read_conllu(input, options);
}

std::string problem(const std::string& bytes) {
  return problem_of<ParseError>([&] { static_cast<void>(read(bytes)); });
}

/// A line of ten columns.
std::string node(const std::string& id, const std::string& form, const std::string& upos) {
  return id + "\t" + form + "\tlem\t" + upos + "\tX\tNum=Sing\t0\troot\t_\tSpaceAfter=No\n";
}

std::string words(const TaggedText& text) {
  std::string all;
  for (std::size_t s = 0; s < text.size(); ++s) {
    for (std::size_t token = text.begin(s); token < text.begin(s + 1); ++token) {
      all += std::string(text.cell(token, 0));
      if (text.has_tags()) all += "/" + std::string(text.tags()[text.tag(token)]);
      all += " ";
    }
    all += "| ";
  }
  return all;
}

TEST(Conllu, ReadsSyntacticWordsAlone) {
  const std::string text =
      "# newdoc\n# text = Don't go.\n" + node("1-2", "Don't", "_") + node("1", "Do", "AUX") +
      node("2", "n't", "PART") + node("3", "go", "VERB") + node("3.1", "there", "ADV") +
      node("4", ".", "PUNCT") + "\n# again\n" + node("1", "Yes", "INTJ") + "\n";
  EXPECT_EQ(words(read(text)), "Do/AUX n't/PART go/VERB ./PUNCT | Yes/INTJ | ");
}

TEST(Conllu, ColumnsAreChosenByName) {
  const std::string text = node("1", "New York", "PROPN");
  const TaggedText chosen = read(text, {.columns = {"FEATS", "FORM", "ID", "MISC"}, .tag = "XPOS"});
  ASSERT_EQ(chosen.tokens(), 1u);
  EXPECT_EQ(chosen.columns(), 4u);
  EXPECT_EQ(chosen.column_names, (std::vector<std::string>{"FEATS", "FORM", "ID", "MISC"}));
  EXPECT_EQ(chosen.cell(0, 0), "Num=Sing");
  EXPECT_EQ(chosen.cell(0, 1), "New York");
  EXPECT_EQ(chosen.cell(0, 2), "1");
  EXPECT_EQ(chosen.cell(0, 3), "SpaceAfter=No");
  EXPECT_EQ(chosen.tags()[chosen.tag(0)], "X");
  EXPECT_FALSE(read(text, {.tag = ""}).has_tags());
}

TEST(Conllu, WrongColumnsAreNamed) {
  const auto problem_with = [](const ConlluOptions& options) {
    return problem_of<InvalidArgument>([&] { validate(options); });
  };
  EXPECT_EQ(problem_with({}), "");
  EXPECT_NE(problem_with({.columns = {"FROM"}}).find("did you mean FORM?"), std::string::npos);
  EXPECT_NE(problem_with({.tag = "POS"}), "");
  EXPECT_NE(problem_with({.columns = {"FORM", "FORM"}}), "");
  EXPECT_NE(problem_with({.columns = {"FORM", "UPOS"}}), "");
  EXPECT_EQ(problem_with({.columns = {}}),
            "--columns : must be names of columns with commas between them");
  ConlluOptions options;
  set_options(options, {{"columns", "FORM,FEATS"}, {"label", "none"}}, "this test");
  EXPECT_EQ(options.columns, (std::vector<std::string>{"FORM", "FEATS"}));
  EXPECT_EQ(options.tag, "");
  const OptionScalars expected = {{"columns", std::string("FORM,FEATS")},
                                  {"label", std::string("none")}};
  EXPECT_EQ(option_values(options), expected);
  EXPECT_NE(problem_of<InvalidArgument>([&] {
              set_options(options, {{"columns", "FORM,FEAT"}}, "this test");
            }).find("--columns FEAT: CoNLL-U has no such column; did you mean FEATS?"),
            std::string::npos);
}

TEST(Conllu, LineEndsAndTheEndOfTheFileDoNotMatter) {
  const std::string plain = node("1", "a", "X") + node("2", "b", "Y") + "\n" + node("1", "c", "Z");
  std::string windows;
  for (const char c : plain) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::string expected = "a/X b/Y | c/Z | ";
  EXPECT_EQ(words(read(plain)), expected);
  EXPECT_EQ(words(read("\xef\xbb\xbf" + windows)), expected);
  EXPECT_EQ(words(read("\n\n# only a comment\n\n" + plain.substr(0, plain.size() - 1))), expected);
  EXPECT_EQ(read("").size(), 0u);
}

TEST(Conllu, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(problem(node("1", "a", "X") + "2\tb\tY\n"),
            "en.conllu:2: 3 columns separated by tabs; expected 10");
  EXPECT_EQ(problem("1 a b c d e f g h i\n"),
            "en.conllu:1: 1 columns separated by tabs; expected 10");
  EXPECT_EQ(problem(node("1", "", "X")), "en.conllu:1:3: a column is empty");
  EXPECT_EQ(problem(node("one", "a", "X")),
            "en.conllu:1:1: expected the number of a word (3, 3-4 or 3.1), found \"one\"");
  EXPECT_EQ(problem(node("1", "a", "X") + node("3", "b", "X")),
            "en.conllu:2:1: the word \"3\"; expected number 2 of the sentence");
  // A lost empty line.
  EXPECT_NE(problem(node("1", "a", "X") + node("1", "b", "X")), "");
  EXPECT_NE(problem(node("1-", "a", "X")), "");
  EXPECT_NE(problem(node("99999999999999999999", "a", "X")), "");
  EXPECT_EQ(problem(node("1", "a\r", "X")), "en.conllu:1:3: a carriage return in a column");
  EXPECT_NE(problem(node("1", std::string("a\0", 2), "X")), "");
}

}  // namespace
}  // namespace maxmargin
