// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/text/svmhmm.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "sequence_equality.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

using Names = std::vector<std::string>;

SequenceData read(const std::string& bytes, const SvmhmmOptions& options = {}) {
  Input input = Input::from_memory("ocr", bytes);
  return read_svmhmm(input, options);
}

std::string problem(const std::string& bytes, std::size_t threads = 1) {
  return problem_of<ParseError>(
      [&] { static_cast<void>(read(bytes, {.context = {.threads = threads}})); });
}

std::string written(const SequenceData& data) {
  return written_bytes([&](OutputFile& output) { write_svmhmm(data, output); });
}

TEST(Svmhmm, ReadsSequences) {
  const SequenceData data =
      read("# words\nb qid:1 1:1 3:1 # first\na qid:1\n\nb qid:4 2:0.5 3:1\n");
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data.label_names, (Names{"a", "b"}));
  EXPECT_EQ(data.labels, (std::vector<LabelSequence>{{1, 0}, {1}}));
  EXPECT_EQ(data.features, 3u);
  EXPECT_EQ(data.source, "ocr");
  EXPECT_EQ(data.inputs[0].begins, (std::vector<std::size_t>{0, 2, 2}));
  EXPECT_EQ(data.inputs[0].indices, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_TRUE(data.inputs[0].values.empty());
  EXPECT_EQ(data.inputs[1].indices, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(data.inputs[1].values, (std::vector<double>{0.5, 1}));
}

TEST(Svmhmm, ValuesBeforeTheFirstThatIsNotOneAreOnes) {
  const SequenceData data = read("a qid:1 1:1 2:1\na qid:1 3:2 4:1\n");
  EXPECT_EQ(data.inputs[0].values, (std::vector<double>{1, 1, 2, 1}));
}

TEST(Svmhmm, LabelsAreNumbersOrAnyWord) {
  const SequenceData data =
      read("+1 qid:1\n1.0 qid:1\n10 qid:1\n9 qid:1\n, qid:1\n: qid:1\n`` qid:1\nB-NP qid:1\n");
  EXPECT_EQ(data.label_names, (Names{"1", "9", "10", ",", ":", "B-NP", "``"}));
  EXPECT_EQ(data.labels[0], (LabelSequence{0, 0, 2, 1, 3, 4, 6, 5}));
}

// A tag seen only at test time is an error to be counted, not an exit.
TEST(Svmhmm, NewLabelsGetNumbersBehindTheKnownOnes) {
  const SequenceData data =
      read("c qid:1\nz qid:1\na qid:1\nb qid:1\nz qid:1\n", {.label_names = {"b", "a"}});
  EXPECT_EQ(data.label_names, (Names{"b", "a", "c", "z"}));
  EXPECT_EQ(data.labels[0], (LabelSequence{2, 3, 1, 0, 3}));
}

TEST(Svmhmm, LabelsMayBeUnknownAtAllPositions) {
  const SequenceData data = read("? qid:1 1:1\nqid:1 2:1\n", {.label_names = {"b", "a"}});
  EXPECT_TRUE(data.labels.empty());
  EXPECT_EQ(data.label_names, (Names{"b", "a"}));
  EXPECT_EQ(data.inputs[0].size(), 2u);
  EXPECT_EQ(problem("a qid:1\n# x\n\n? qid:1\n"),
            "ocr:4: a position without a label after others with one; expected it at all or none");
  EXPECT_EQ(problem("? qid:1\na qid:2\n"),
            "ocr:2: a label after positions without one; expected it at all or none");
}

TEST(Svmhmm, LineEndsAndMarksDoNotMatter) {
  const SequenceData expected = read("a qid:1 1:1\nb qid:2 2:2\n");
  EXPECT_TRUE(same_sequences(read("a qid:1 1:1\nb qid:2 2:2"), expected));
  EXPECT_TRUE(same_sequences(read("\xef\xbb\xbf"
                                  "a qid:1 1:1\r\n\r\nb\tqid:2  2:2 \r\n"),
                             expected));
}

TEST(Svmhmm, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(
      problem("a qid:2 1:1\n\nb qid:1 1:1\n"),
      "ocr:3: qid:1 comes after qid:2; the lines of a sequence must stand together, and their "
      "numbers must not decrease");
  EXPECT_EQ(problem("a 1:1\n"),
            "ocr:1:1: expected qid:NUMBER behind the label, the number of the sequence");
  EXPECT_EQ(problem("a qid:1 cost:2 1:1\n"),
            "ocr:1:1: cost: has no meaning in a file of sequences");
  EXPECT_EQ(problem("a qid:1 1:1\nb 1:1\n"),
            "ocr:2:1: a line without \"qid:\" after lines with it; expected it in all or none");
  EXPECT_EQ(problem("a qid:x 1:1\n"), "ocr:1:7: expected a whole number, found \"x\"");
  EXPECT_EQ(problem("a qid:1 2:1 1:1\n"), "ocr:1:13: the index 1 comes after 2, must increase");
  EXPECT_NE(problem("a qid:1 0:1\n"), "");
  EXPECT_NE(problem("a qid:1 1:nan\n"), "");
  EXPECT_NE(problem("a qid:1 1\n"), "");
  EXPECT_NE(problem(std::string("a\0 qid:1 1:1\n", 13)), "");
  // The first problem of the file is named, not the first of its kind.
  EXPECT_TRUE(problem("a qid:2\nb qid:1\nc qid:1 1:x\n").starts_with("ocr:2: "));
}

TEST(Svmhmm, EmptyFilesHaveNoSequences) {
  EXPECT_EQ(read("").size(), 0u);
  EXPECT_EQ(read("# nothing\n\n").size(), 0u);
  EXPECT_EQ(read("a qid:1\n", {.features = 7}).features, 7u);
  EXPECT_EQ(read("a qid:1 9:1\n", {.features = 7}).features, 9u);
  EXPECT_THROW(static_cast<void>(read("", {.context = {.threads = 0}})), InvalidArgument);
}

SequenceData random_data(std::uint64_t seed, std::size_t sequences) {
  Rng rng(seed);
  SequenceData data{.label_names = {"3", "a", "b"}};
  for (std::size_t i = 0; i < sequences; ++i) {
    Sequence& sequence = data.inputs.emplace_back();
    LabelSequence& labels = data.labels.emplace_back();
    const bool ones = rng.bernoulli(0.5);
    const std::size_t length = 1 + rng.index(9);
    for (std::size_t t = 0; t < length; ++t) {
      for (std::uint32_t index = 0; index < 40; ++index) {
        if (!rng.bernoulli(0.2)) continue;
        sequence.indices.push_back(index);
        if (!ones) sequence.values.push_back(rng.normal());
        data.features = std::max<std::size_t>(data.features, index + 1);
      }
      sequence.begins.push_back(sequence.indices.size());
      labels.push_back(static_cast<std::uint32_t>(rng.index(3)));
    }
  }
  return data;
}

TEST(Svmhmm, WhatIsWrittenReadsBack) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SequenceData data = random_data(seed, 20);
    EXPECT_TRUE(same_sequences(read(written(data)), data));
    data.labels.clear();
    data.label_names.clear();
    EXPECT_TRUE(same_sequences(read(written(data)), data));
  }
  SequenceData odd = random_data(7, 1);
  odd.inputs.resize(1);
  odd.labels = {LabelSequence(odd.inputs[0].size(), 0)};
  for (const std::string label : {"BZh9", "\xef\xbb\xbf", ",", "a,b", "1:1", "-DOCSTART-"}) {
    odd.label_names = {label};
    EXPECT_TRUE(same_sequences(read(written(odd)), odd)) << label;
  }
}

TEST(Svmhmm, WhatWouldNotReadBackIsNotWritten) {
  const auto refused = [](const SequenceData& data) {
    return !problem_of<InvalidArgument>([&] { static_cast<void>(written(data)); }).empty();
  };
  const SequenceData good = read("a qid:1 1:1 2:2\n");
  EXPECT_FALSE(refused(good));
  for (const char* label : {"", "?", "a b", "#", "qid:1", "1.0", "+1"}) {
    SequenceData data = good;
    data.label_names = {label};
    EXPECT_TRUE(refused(data)) << label;
  }
  SequenceData data = good;
  data.inputs.emplace_back();
  data.labels.emplace_back();
  EXPECT_TRUE(refused(data));
  data = good;
  data.labels[0][0] = 1;
  EXPECT_TRUE(refused(data));
  data = good;
  data.inputs[0].values[0] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(refused(data));
  data = good;
  std::swap(data.inputs[0].indices[0], data.inputs[0].indices[1]);
  EXPECT_TRUE(refused(data));
  data = good;
  data.step_features = 1;
  EXPECT_TRUE(refused(data));
}

TEST(Svmhmm, ManyBlocksAndThreadsGiveTheSame) {
  const SequenceData data = random_data(11, 20000);
  const std::string bytes = written(data);
  ASSERT_GT(bytes.size(), 4u << 20);  // several blocks, with borders within sequences
  for (const std::size_t threads : {1u, 2u, 5u}) {
    EXPECT_TRUE(same_sequences(read(bytes, {.context = {.threads = threads}}), data)) << threads;
    EXPECT_EQ(problem(bytes + "a qid:3 1:1\n", threads), problem(bytes + "a qid:3 1:1\n"));
    EXPECT_EQ(problem(bytes + "a 1:1\n", threads), problem(bytes + "a 1:1\n"));
  }
  EXPECT_NE(problem(bytes + "a qid:3 1:1\n"), "");
}

}  // namespace
}  // namespace maxmargin
