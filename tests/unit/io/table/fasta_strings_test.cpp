// SPDX-License-Identifier: Apache-2.0
// Strings as data: FASTA and columns of tables.
#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/text/encoded_strings.hpp"
#include "maxmargin/io/table/read_data.hpp"
#include "maxmargin/io/table/write_data.hpp"

namespace maxmargin {
namespace {

Dataset read_text(const std::string& text, const ReadOptions& options = {}) {
  Input input = Input::from_memory("data", text);
  return read_data(input, options);
}

std::vector<std::string> strings_in(const Dataset& data) {
  std::vector<std::string> strings;
  for (std::size_t i = 0; i < data.size(); ++i) {
    strings.push_back(decode_string(data.examples.row(i)));
  }
  return strings;
}

std::string problem_of(const std::string& text, const ReadOptions& options = {}) {
  try {
    static_cast<void>(read_text(text, options));
  } catch (const Error& problem) {
    return problem.what();
  }
  return "none";
}

using Strings = std::vector<std::string>;

TEST(FastaStrings, SequencesAreJoinedFromTheirLines) {
  const Dataset data = read_text(">a x\nACG T\n\n GG\r\n>b y\r\nttt\n>c ?\nA");
  EXPECT_TRUE(data.holds_strings);
  EXPECT_FALSE(data.has_labels());
  EXPECT_EQ(strings_in(data), (Strings{"ACGTGG", "ttt", "A"}));
}

TEST(FastaStrings, TheLastWordOfAHeaderMayBeTheLabel) {
  const Dataset data = read_text(">a the kinase\nAC\n>b 2 \nC\n>c ?\nA\n>d none\nT\n",
                                 {.label = "last-word", .unlabeled = "none"});
  ASSERT_EQ(data.labels.size(), 4u);
  EXPECT_EQ(data.labels.at(0)->text(), "kinase");
  EXPECT_EQ(data.labels.at(1)->text(), "2");
  EXPECT_FALSE(data.labels.at(2).has_value());
  EXPECT_FALSE(data.labels.at(3).has_value());
}

TEST(FastaStrings, MistakesAreNamedWithTheirLine) {
  const std::pair<std::string, std::string> cases[] = {
      {">a\n>b\nA\n", "data:1:1: the sequence of this header is empty"},
      {">a\nA\n>b\n \n", "data:3:1: the sequence of this header is empty"},
      {">a\nA\x80\n", "data:2:2: \"\\x80\" in a sequence"},
  };
  for (const auto& [text, problem] : cases) {
    EXPECT_NE(problem_of(text).find(problem), std::string::npos) << problem_of(text);
  }
  EXPECT_NE(problem_of("ACGT\n", {.format = DataFormat::fasta}).find("before the first header"),
            std::string::npos);
  EXPECT_NE(problem_of(">a\nA\n", {.label = "last-word"}).find("must have a name and behind it"),
            std::string::npos);
  EXPECT_NE(problem_of(">a x\nA\n", {.label = "x"}).find("last-word or none"), std::string::npos);
  EXPECT_NE(problem_of(">a x\nA\n", {.strings = "x"}).find("--strings: is for CSV"),
            std::string::npos);
}

TEST(TableStrings, AColumnHoldsTheStringsAndOthersAreNotRead) {
  const std::string table = "id,text,stars\n1,\"a, b\",good\n2,cd,bad\n";
  const Dataset named = read_text(table, {.label = "stars", .strings = "text"});
  EXPECT_TRUE(named.holds_strings);
  EXPECT_EQ(strings_in(named), (Strings{"a, b", "cd"}));
  EXPECT_EQ(named.labels.at(1)->text(), "bad");
  const Dataset last = read_text("xx,1\nyy,2\n", {.strings = "1"});
  EXPECT_EQ(strings_in(last), (Strings{"xx", "yy"}));
  EXPECT_EQ(last.labels.at(1)->text(), "2");
  const Dataset alone = read_text("xx\nyy\n", {.strings = "1"});
  EXPECT_EQ(strings_in(alone), (Strings{"xx", "yy"}));
  EXPECT_FALSE(alone.has_labels());
}

TEST(TableStrings, MistakesAreNamed) {
  EXPECT_NE(problem_of("a,b\nx,\n", {.label = "a", .strings = "b"}).find("data:2:3: the string in"),
            std::string::npos);
  EXPECT_NE(problem_of("a,b\nx,y\n", {.strings = "c"}).find("no column is named"),
            std::string::npos);
  EXPECT_NE(problem_of("a,b\nx,y\n", {.strings = "3"}).find("columns 1 to 2"), std::string::npos);
  EXPECT_NE(problem_of("a,b\nx,y\n", {.label = "b", .strings = "b"}).find("the same column"),
            std::string::npos);
}

TEST(Strings, CannotBeWrittenAsFeatures) {
  EXPECT_THROW(write_data(read_text(">a\nAC\n"), "strings.svm"), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
