// SPDX-License-Identifier: Apache-2.0
#include "io/table/label_lines.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/io/table/csv.hpp"

namespace maxmargin {
namespace {

using Texts = std::vector<std::string>;

/// Labels as text, nothing where there is none.
Texts read(const std::string& text) {
  Input input = Input::from_memory("l", text);
  const LabelColumn labels = read_label_lines(input, std::nullopt);
  Texts found;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto label = labels.at(i);
    found.push_back(label ? label->text() : "");
  }
  return found;
}

std::string problem(const std::string& text) {
  try {
    (void)read(text);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

TEST(LabelLines, ALabelStandsAsItIsOrInQuotes) {
  EXPECT_EQ(read("a\n 1.0 \r\nnew york\n?\nNaN\n\n\n"), (Texts{"a", "1", "new york", "", ""}));
  EXPECT_EQ(read("\"two\nlines\"\nb\n\"a \"\"b\"\"\"  \r\n\" c\"\n"),
            (Texts{"two\nlines", "b", "a \"b\"", " c"}));
  // Quotes that are no quotes of a cell.
  EXPECT_EQ(read("\"a\" b\n\"c\n5\"\n"), (Texts{"\"a\" b", "c\n5"}));
  EXPECT_EQ(read("\"c\nd\n"), (Texts{"\"c", "d"}));
}

TEST(LabelLines, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problem("\"a\nb\"\n\nc\n").substr(0, 6), "l:3:1:");
  EXPECT_EQ(problem("a\n b\x01\n").substr(0, 6), "l:2:2:");
  EXPECT_NE(problem(std::string("\"a\0\"\n", 5)).find("binary"), std::string::npos);
}

TEST(LabelLines, EveryLabelIsReadBackFromItsLine) {
  const Texts texts = {"a",
                       "new york",
                       "two\nlines",
                       "\r\n",
                       "a\tb",
                       " a",
                       "a ",
                       "\"",
                       "a\"b",
                       "\"a\"",
                       "x,y",
                       "x;y",
                       "C#",
                       "GO:0001",
                       "Gr\xc3\xb6",
                       "\x1b[31m",
                       "1 2"};
  std::string lines;
  for (const std::string& text : texts) {
    const std::string line = label_line(Label(text));
    EXPECT_EQ(read(line + "\n"), (Texts{text})) << line;
    lines += line + "\n";
    // As a table of one column.
    Input input = Input::from_memory("t", line + "\n");
    const Dataset table = read_csv(input, {.header = false});
    EXPECT_EQ(table.labels.at(0), Label(text)) << line;
  }
  EXPECT_EQ(read(lines), texts);
  EXPECT_EQ(label_line(Label(-0.5)), "-0.5");
  EXPECT_EQ(label_line(Label(std::string("new york"))), "new york");
}

}  // namespace
}  // namespace maxmargin
