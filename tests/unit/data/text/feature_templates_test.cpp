// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/text/feature_templates.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "maxmargin/core/error.hpp"
#include "small_texts.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

/// What a line makes at a token of the text.
std::optional<std::string> expand(const std::string& line,
                                  const TaggedText& text,
                                  std::size_t sentence,
                                  std::size_t token) {
  const FeatureTemplates templates = parse_templates(line);
  const auto& patterns = templates.positions.empty() ? templates.steps : templates.positions;
  std::string feature = "left over";
  if (!expand_template(patterns.at(0), text, sentence, token, feature)) return std::nullopt;
  return feature;
}

/// What a macro makes of a word.
std::optional<std::string> of_word(const std::string& macro, const std::string& word) {
  const std::optional<std::string> feature = expand("U:" + macro, tagged_text(word + "/T"), 0, 0);
  if (!feature) return std::nullopt;
  return feature->substr(2);
}

TEST(FeatureTemplates, PutCellsInPlaceOfMacros) {
  const TaggedText text = tagged_text("He|PRP/B reckons|VBZ/B the|DT/B\ndeficit|NN/I\n", 2);
  EXPECT_EQ(expand("U00:%x[0,0]", text, 0, 1), "U00:reckons");
  EXPECT_EQ(expand("U01:%x[-1,1]", text, 0, 1), "U01:PRP");
  EXPECT_EQ(expand("U02:%x[1,0]/%x[0,1]", text, 0, 1), "U02:the/VBZ");
  EXPECT_EQ(expand("U03:a%%%x[ +1 , 1 ]b", text, 0, 0), "U03:a%VBZb");
  EXPECT_EQ(expand("U", text, 0, 0), "U");
  EXPECT_EQ(expand("B07:%x[0,0]", text, 0, 2), "B07:the");
}

TEST(FeatureTemplates, SentencesEndInBorders) {
  const TaggedText text = tagged_text("a/T b/T\nc/T\nd/T\n");
  EXPECT_EQ(expand("U:%x[-1,0]", text, 0, 0), "U:_B-1");
  EXPECT_EQ(expand("U:%x[-2,0]", text, 0, 0), "U:_B-2");
  EXPECT_EQ(expand("U:%x[-2,0]", text, 0, 1), "U:_B-1");
  EXPECT_EQ(expand("U:%x[1,0]", text, 0, 1), "U:_B+1");
  EXPECT_EQ(expand("U:%x[2,0]", text, 0, 1), "U:_B+2");
  EXPECT_EQ(expand("U:%x[-1,0]%x[1,0]", text, 1, 2), "U:_B-1_B+1");
  EXPECT_EQ(expand("U:%suffix[1,0,3]/%lower[-1,0]", text, 2, 3), "U:_B+1/_B-1");
  EXPECT_EQ(expand("U:%capital[1,0]", text, 2, 3), std::nullopt);
}

TEST(FeatureTemplates, FunctionsOfWords) {
  EXPECT_EQ(of_word("%lower[0,0]", "McDonald-3"), "mcdonald-3");
  EXPECT_EQ(of_word("%shape[0,0]", "McDonald-1987,x"), "XxXxxxxx-0000,x");
  EXPECT_EQ(of_word("%short[0,0]", "McDonald-1987,x"), "XxXx-0,x");
  EXPECT_EQ(of_word("%short[0,0]", "..."), ".");
  EXPECT_EQ(of_word("%prefix[0,0,3]", "reckons"), "rec");
  EXPECT_EQ(of_word("%suffix[0,0,3]", "reckons"), "ons");
  EXPECT_EQ(of_word("%prefix[0,0,2]", "He"), "He");
  EXPECT_EQ(of_word("%prefix[0,0,3]", "He"), std::nullopt);
  EXPECT_EQ(of_word("%suffix[0,0,3]", "He"), std::nullopt);
}

TEST(FeatureTemplates, FlagsSayNothingWhenTheyDoNotHold) {
  EXPECT_EQ(of_word("%digit[0,0]", "F16"), "digit");
  EXPECT_EQ(of_word("%digit[0,0]", "sixteen"), std::nullopt);
  EXPECT_EQ(of_word("%hyphen[0,0]", "so-so"), "hyphen");
  EXPECT_EQ(of_word("%hyphen[0,0]", "soso"), std::nullopt);
  EXPECT_EQ(of_word("%capital[0,0]", "He"), "capital");
  EXPECT_EQ(of_word("%capital[0,0]", "iPad"), std::nullopt);
  EXPECT_EQ(of_word("%capitals[0,0]", "U.S."), "capitals");
  EXPECT_EQ(of_word("%capitals[0,0]", "He"), std::nullopt);
  EXPECT_EQ(of_word("%capitals[0,0]", "..."), std::nullopt);
  // Joined by a line, both must hold.
  EXPECT_EQ(of_word("%digit[0,0]%capital[0,0]", "F16"), "digitcapital");
  EXPECT_EQ(of_word("%digit[0,0]%capital[0,0]", "f16"), std::nullopt);
}

TEST(FeatureTemplates, CharactersAreThoseOfUtf8) {
  // German with umlauts and French: each letter beyond ASCII is two bytes.
  EXPECT_EQ(of_word("%prefix[0,0,2]",
                    "\xc3\x9c"
                    "ber"),
            "\xc3\x9c"
            "b");
  EXPECT_EQ(of_word("%suffix[0,0,2]", "caf\xc3\xa9"), "f\xc3\xa9");
  EXPECT_EQ(of_word("%lower[0,0]",
                    "\xc3\x9c"
                    "ber-\xc3\x84ra"),
            "\xc3\xbc"
            "ber-\xc3\xa4ra");
  EXPECT_EQ(of_word("%shape[0,0]",
                    "\xc3\x9c"
                    "ber"),
            "Xxxx");
  EXPECT_EQ(of_word("%lower[0,0]", "\xce\x91\xce\x98"), "\xce\xb1\xce\xb8");
  // Cyrillic, Polish, and the y with diaeresis whose capital lies elsewhere.
  EXPECT_EQ(of_word("%lower[0,0]", "\xd0\x81\xd0\x96\xc5\x81\xc5\xb8"),
            "\xd1\x91\xd0\xb6\xc5\x82\xc3\xbf");
  EXPECT_EQ(of_word("%capital[0,0]",
                    "\xc5\x81\xc3\xb3"
                    "d\xc5\xba"),
            "capital");
  // A dash of three bytes and a picture of four stay as they are.
  EXPECT_EQ(of_word("%short[0,0]",
                    "a\xe2\x80\x93"
                    "b\xf0\x9f\x98\x80"),
            "x\xe2\x80\x93x\xf0\x9f\x98\x80");
  EXPECT_EQ(of_word("%hyphen[0,0]",
                    "a\xe2\x80\x91"
                    "b"),
            "hyphen");
}

TEST(FeatureTemplates, BrokenUtf8IsBytes) {
  for (const std::string broken :
       {"\xff", "\xc3", "\xe2\x80", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80", "\x80"}) {
    const std::string word = "A" + broken + "z";
    EXPECT_EQ(of_word("%lower[0,0]", word), "a" + broken + "z");
    EXPECT_EQ(of_word("%shape[0,0]", word), "X" + broken + "x");
    EXPECT_EQ(of_word("%prefix[0,0,2]", word), "A" + broken.substr(0, 1));
    EXPECT_EQ(of_word("%suffix[0,0,1]", word), "z");
  }
}

TEST(FeatureTemplates, LinesAreSortedByWhatTheyAre) {
  const FeatureTemplates templates = parse_templates(
      "# a comment\r\n\n  U00:%x[0,0]  \r\nB\nB1:%x[0,0]\nU01:%x[1,0]/%x[0,1]\n\t# end", "t");
  ASSERT_EQ(templates.positions.size(), 2u);
  EXPECT_EQ(templates.positions[0].text, "U00:%x[0,0]");
  EXPECT_EQ(templates.positions[0].line, 3u);
  EXPECT_EQ(templates.positions[1].line, 6u);
  ASSERT_EQ(templates.steps.size(), 1u);
  EXPECT_TRUE(templates.transitions);
  EXPECT_FALSE(parse_templates("U:%x[0,0]").transitions);
  EXPECT_FALSE(parse_templates("B:%x[0,0]").transitions);
  EXPECT_TRUE(parse_templates("B01").transitions);
}

TEST(FeatureTemplates, TextReadsBack) {
  const std::string text = "U00:%x[0,0]\nU01:%%%suffix[-1,2,3]\nB1:%x[0,0]\nB\n";
  EXPECT_EQ(to_text(parse_templates(text)), text);
}

TEST(FeatureTemplates, ErrorsNameTheLineAndTheRule) {
  const auto problem = [](const std::string& line) {
    return problem_of<ParseError>(
        [&] { static_cast<void>(parse_templates("U:%x[0,0]\n" + line, "t")); });
  };
  EXPECT_EQ(problem("X"),
            "t:2:1: expected a line that begins with U (features), B (label pairs) or # (comment)");
  EXPECT_EQ(problem("U1:%x(0,0)"), "t:2:6: expected [row,column] behind %x");
  EXPECT_EQ(problem("U1:%x"), "t:2:6: expected [row,column] behind %x");
  EXPECT_EQ(problem("U1:%x[a,0]"), "t:2:7: expected a row, a whole number from -100 to 100");
  EXPECT_EQ(problem("U1:%x[101,0]"), "t:2:7: expected a row, a whole number from -100 to 100");
  EXPECT_EQ(problem("U1:%x[0,-1]"), "t:2:9: expected a column, a whole number from 0 to 1000");
  EXPECT_EQ(problem("U1:%x[0]"), "t:2:8: expected ',' behind the row, then another number");
  EXPECT_EQ(problem("U1:%x[0,0"), "t:2:10: expected ']' behind the column");
  EXPECT_EQ(problem("U1:%x[0,0,1]"), "t:2:10: expected ']' behind the column");
  EXPECT_EQ(problem("U1:%suffix[0,0]"),
            "t:2:15: expected ',' behind the column, then another number");
  EXPECT_EQ(problem("U1:%suffix[0,0,0]"),
            "t:2:16: expected a length, a whole number from 1 to 100");
  EXPECT_TRUE(problem("U1:%sufix[0,0,1]").starts_with("t:2:4: %sufix is no function of templates"));
  EXPECT_NE(problem("U1:%sufix[0,0,1]").find("did you mean suffix?"), std::string::npos);
  EXPECT_NE(problem("U1:100%"), "");
  EXPECT_EQ(problem(std::string("U1:\0", 4)), "t:2: a NUL byte (binary data?)");
  for (const char* none : {"", "\n \n", "# U:%x[0,0]\n"}) {
    EXPECT_THROW(static_cast<void>(parse_templates(none)), ParseError) << none;
  }
}

TEST(FeatureTemplates, ColumnsThatAreNotThereAreNamed) {
  const FeatureTemplates templates = parse_templates("U1:%x[0,0]\nU2:%x[0,0]/%lower[0,2]\n", "t");
  templates.require_columns(3, "text");
  EXPECT_EQ(
      problem_of<ParseError>([&] { templates.require_columns(2, "text"); }),
      "t:2: U2:%x[0,0]/%lower[0,2] wants column 2, counted from 0; text has 2 beside the tag");
  EXPECT_THROW(parse_templates("U\nB:%x[0,1]").require_columns(1, "text"), ParseError);
}

TEST(FeatureTemplates, StandardOnesCanBeUsed) {
  for (const std::string_view name : standard_template_names()) {
    const FeatureTemplates templates = standard_templates(name);
    EXPECT_TRUE(templates.transitions) << name;
    EXPECT_GT(templates.positions.size(), 20u) << name;
    templates.require_columns(name == "chunking" ? 2 : 1, "text");
    // No two lines begin alike: their features would be confused.
    std::vector<std::string> heads;
    for (const FeatureTemplate& line : templates.positions) {
      heads.push_back(line.text.substr(0, line.text.find(':')));
    }
    std::ranges::sort(heads);
    EXPECT_EQ(std::ranges::adjacent_find(heads), heads.end()) << name;
  }
  EXPECT_NE(problem_of<InvalidArgument>([] {
              static_cast<void>(standard_templates("chunkin"));
            }).find("did you mean chunking?"),
            std::string::npos);
}

}  // namespace
}  // namespace maxmargin
