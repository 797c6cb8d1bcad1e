// SPDX-License-Identifier: Apache-2.0
#include "io/text/conll2012.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

std::vector<CorefDocument> read(const std::string& text) {
  Input input = Input::from_memory("test.conll", text);
  return read_conll2012(input);
}

std::string error_of(const std::string& text) {
  return problem_of<ParseError>([&] { static_cast<void>(read(text)); });
}

std::string written(const std::vector<CorefDocument>& documents) {
  return written_bytes([&](OutputFile& output) { write_conll2012(documents, output); });
}

/// One word a line with its brackets, in five columns.
std::string document(const std::vector<std::string>& brackets) {
  std::string text = "#begin document (d); part 000\n";
  for (const std::string& each : brackets) text += "d 0 0 w " + each + "\n";
  return text + "#end document\n";
}

std::vector<Mention> mentions(const std::vector<std::string>& brackets) {
  return read(document(brackets)).at(0).mentions;
}

TEST(Conll2012, ColumnsBecomeADocument) {
  const auto documents = read(
      "#begin document (bc/cctv/00/cctv_0005); part 003\n"
      "bc/cctv 3  0  Vera  NNP  (TOP*  -  -  -  Speaker#1  *  (ARG0*) (12)\n"
      "bc/cctv 3  1  lost  VBD  *      -  -  -  -          *  (V*)    -\n"
      "bc/cctv 3  2  the   DT   *      -  -  -  Speaker#2  *  *       (7\n"
      "\n"
      "bc/cctv 3  0  key   NN   *)     -  -  -  Speaker#2  *  *       7)\n"
      "\n"
      "#end document\n");
  ASSERT_EQ(documents.size(), 1u);
  const CorefDocument& document = documents.front();
  document.validate();
  EXPECT_EQ(document.name, "bc/cctv/00/cctv_0005");
  EXPECT_EQ(document.part, 3u);
  EXPECT_EQ(document.words, (std::vector<std::string>{"Vera", "lost", "the", "key"}));
  EXPECT_EQ(document.tags, (std::vector<std::string>{"NNP", "VBD", "DT", "NN"}));
  EXPECT_EQ(document.speakers,
            (std::vector<std::string>{"Speaker#1", "", "Speaker#2", "Speaker#2"}));
  EXPECT_EQ(document.sentence_begins, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(document.mentions, (std::vector<Mention>{{0, 1, 12}, {2, 4, 7}}));
}

TEST(Conll2012, ColumnsWithTabsMayBeEmpty) {
  const auto documents = read(
      "\xEF\xBB\xBF#begin document (541_brat); part 0\r\n"
      "541_brat\t0\t0\ta b\t_\t_\t_\t_\t_\t_\t_\t_\t(0\r\n"
      "541_brat\t0\t1\tc\t_\t_\t_\t_\t_\t_\t_\t_\t\r\n"
      "541_brat\t0\t2\td\t_\t_\t_\t_\t_\t_\t_\t_\t0)\r\n"
      "#end document\r\n");
  ASSERT_EQ(documents.size(), 1u);
  EXPECT_EQ(documents[0].words, (std::vector<std::string>{"a b", "c", "d"}));
  EXPECT_EQ(documents[0].mentions, (std::vector<Mention>{{0, 3, 0}}));
  EXPECT_TRUE(documents[0].tags.empty());
  EXPECT_TRUE(documents[0].speakers.empty());
}

TEST(Conll2012, MentionsNestAndCross) {
  EXPECT_EQ(mentions({"(0|(1)", "(2", "2)|0)"}),
            (std::vector<Mention>{{0, 3, 0}, {0, 1, 1}, {1, 3, 2}}));
  // Of different entities they cross.
  EXPECT_EQ(mentions({"(0", "(1", "0)", "1)"}), (std::vector<Mention>{{0, 3, 0}, {1, 4, 1}}));
  // Of one entity the last that began ends first, ...
  EXPECT_EQ(mentions({"(0", "(0", "0)", "0)"}), (std::vector<Mention>{{0, 4, 0}, {1, 3, 0}}));
  EXPECT_EQ(mentions({"(0|(0", "0)", "0)"}), (std::vector<Mention>{{0, 3, 0}, {0, 2, 0}}));
  // ... and brackets are read from left to right.
  EXPECT_EQ(mentions({"(0", "0)|(0", "0)"}), (std::vector<Mention>{{0, 2, 0}, {1, 3, 0}}));
}

TEST(Conll2012, SeveralDocumentsAndEmptyOnes) {
  const auto documents = read(
      "# a comment\n\n#begin document (a); part 000\n#end document\n"
      "#begin document plain\nx 0 0 w -\n\n\n\nx 0 0 v -\n#end document");
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].name, "a");
  EXPECT_TRUE(documents[0].words.empty());
  EXPECT_EQ(documents[1].name, "plain");
  EXPECT_EQ(documents[1].sentence_begins, (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(read("").empty());
}

TEST(Conll2012, ErrorsNameFileAndLine) {
  EXPECT_EQ(error_of("x 0 0 w -\n"), "test.conll:1: expected #begin document, found \"x 0 0 w -\"");
  EXPECT_EQ(error_of("\n#end document\n"), "test.conll:2: #end document without a #begin document");
  EXPECT_EQ(error_of("#begin document (a); part 0\nx 0 0 w -\n"),
            "test.conll:1: the document has no #end document");
  EXPECT_EQ(error_of("#begin document (a); part 0\n#begin document (b); part 0\n"),
            "test.conll:2: #begin document, but the document of line 1 has no #end document");
  EXPECT_EQ(error_of("#begin document (a); part x\n#end document\n"),
            "test.conll:1: expected the number of the part, found \"x\"");
  EXPECT_EQ(error_of("#begin document (a); part 0\nx 0 0 w\n#end document\n"),
            "test.conll:2: expected at least 5 columns (document, part, number, word, ..., "
            "entities), found 4");
  EXPECT_EQ(error_of("#begin document (a); part 0\nx\t0\t0\t\t-\n#end document\n"),
            "test.conll:2: the word (column 4) is empty");
  EXPECT_EQ(error_of(document({"-", "4)"})),
            "test.conll:3:9: entity 4 ends here, but no mention of it is open");
  EXPECT_EQ(error_of(document({"-", "(4", "-"})),
            "test.conll:3: the mention of entity 4 that begins here does not end in the document");
  EXPECT_EQ(error_of(document({"(4", "(5)", "4)|(1|1)", "-"})), "");
  EXPECT_EQ(error_of(document({"-", "(1)|(2)"})),
            "test.conll:3: the words of a mention that begins here are a mention twice, of "
            "entities 1 and 2");
  for (const std::string bad : {"4",
                                "(",
                                ")",
                                "()",
                                "(x)",
                                "(1)|",
                                "|(1)",
                                "(-1)",
                                "((1)",
                                "(1))",
                                "(99999999999)",
                                "(1|",
                                "(1.5)"}) {
    EXPECT_EQ(error_of(document({"-", bad})),
              "test.conll:3:9: expected (NUMBER, NUMBER) or (NUMBER) in the column of entities, "
              "found \"" +
                  bad + "\"");
  }
  EXPECT_NE(error_of(std::string("#begin\0", 7)), "");
}

bool are_equal(const CorefDocument& a, const CorefDocument& b) {
  return a.name == b.name && a.part == b.part && a.words == b.words && a.tags == b.tags &&
         a.speakers == b.speakers && a.sentence_begins == b.sentence_begins &&
         a.mentions == b.mentions;
}

TEST(Conll2012, WhatIsWrittenReadsBack) {
  Rng rng(3);
  for (std::size_t round = 0; round < 50; ++round) {
    CorefDocument document{.name = round % 2 == 0 ? "a (b); part 1" : "# x\ty", .part = 12};
    for (std::size_t t = 0; t < 12; ++t) {
      document.words.push_back(t == 3 ? "two words" : "w" + std::to_string(t));
      document.tags.push_back(t == 5 ? "" : "NN");
      document.speakers.push_back(t == 6 ? "somebody" : "");
    }
    document.sentence_begins = {0, 4, 5};
    // Entities are numbers of their first words here, so that no two mentions of one cross.
    for (std::uint32_t begin = 0; begin < 12; ++begin) {
      for (std::uint32_t end = 12; end > begin; --end) {
        if (rng.bernoulli(0.15)) document.mentions.push_back({begin, end, begin});
      }
    }
    const std::vector<CorefDocument> copy = read(written({document, {.name = ""}}));
    ASSERT_EQ(copy.size(), 2u);
    EXPECT_TRUE(are_equal(copy[0], document)) << written({document});
  }
}

// Predicted entities know nothing of brackets.
TEST(Conll2012, CrossingMentionsGetEntitiesOfTheirOwn) {
  Rng rng(4);
  std::size_t parted = 0;
  for (std::size_t round = 0; round < 50; ++round) {
    CorefDocument document{.name = "d", .sentence_begins = {0}};
    for (std::size_t t = 0; t < 9; ++t) document.words.push_back("w" + std::to_string(t));
    for (std::uint32_t begin = 0; begin < 9; ++begin) {
      for (std::uint32_t end = 9; end > begin; --end) {
        const auto entity = static_cast<std::uint32_t>(rng.index(3));
        if (rng.bernoulli(0.2)) document.mentions.push_back({begin, end, entity});
      }
    }
    const CorefDocument before = document;
    const std::size_t count = part_crossing_mentions(document);
    parted += count;
    std::size_t changed = 0;
    for (std::size_t m = 0; m < document.mentions.size(); ++m) {
      changed += document.mentions[m] == before.mentions[m] ? 0U : 1U;
    }
    EXPECT_EQ(changed, count);
    EXPECT_EQ(part_crossing_mentions(document), 0u);
    EXPECT_TRUE(are_equal(read(conll2012_text(document)).at(0), document));
  }
  EXPECT_GT(parted, 0u);
}

TEST(Conll2012, WhatBracketsCannotSayIsNotWritten) {
  const auto with = [](std::vector<Mention> mentions) {
    return CorefDocument{
        .words = {"a", "b", "c", "d"}, .sentence_begins = {0}, .mentions = std::move(mentions)};
  };
  EXPECT_THROW(static_cast<void>(written({with({{0, 3, 1}, {1, 4, 1}})})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(written({with({{0, 9, 1}})})), InvalidArgument);
  // These only touch, or are of two entities.
  for (const std::vector<Mention>& fine :
       {std::vector<Mention>{{0, 2, 1}, {1, 4, 1}}, std::vector<Mention>{{0, 3, 1}, {1, 4, 2}}}) {
    EXPECT_EQ(read(written({with(fine)})).at(0).mentions, fine);
  }
  CorefDocument tab = with({});
  tab.words[0] = "a\tb";
  EXPECT_THROW(static_cast<void>(written({tab})), InvalidArgument);
  tab.words[0] = "";
  EXPECT_THROW(static_cast<void>(written({tab})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
