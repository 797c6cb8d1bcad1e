// SPDX-License-Identifier: Apache-2.0
#include "io/table/svmlight.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "dataset_equality.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "temporary_folder.hpp"

namespace maxmargin {
namespace {

Dataset read(const std::string& text, const SvmlightOptions& options = {}) {
  Input input = Input::from_memory("mem", text);
  return read_svmlight(input, options);
}

/// "line:column message" of the error that reading gives.
std::string problem_of(const std::string& text, const SvmlightOptions& options = {}) {
  try {
    static_cast<void>(read(text, options));
  } catch (const ParseError& error) {
    EXPECT_EQ(error.file(), "mem");
    EXPECT_TRUE(std::string(error.what()).starts_with("mem:")) << error.what();
    return std::string(error.what()).substr(4);
  }
  return "no error";
}

std::string written(const Dataset& data, const SvmlightOptions& options = {}) {
  const TemporaryFolder folder;
  OutputFile file(folder.path("out"));
  write_svmlight(data, file, options);
  file.commit();
  return Input::open(folder.path("out")).read_all();
}

TEST(Svmlight, ReadsLabelsAndEntries) {
  const Dataset data = read("+1 1:0.5 3:-2e1\n-1 2:1\n");
  EXPECT_EQ(data.size(), 2u);
  EXPECT_EQ(data.features(), 3u);
  EXPECT_EQ(data.source, "mem");
  ASSERT_FALSE(data.examples.is_dense());
  EXPECT_EQ(data.examples.entries(), 3u);
  EXPECT_EQ(data.examples.row(0).at(0), 0.5);
  EXPECT_EQ(data.examples.row(0).at(1), 0);
  EXPECT_EQ(data.examples.row(0).at(2), -20);
  EXPECT_EQ(data.examples.row(1).at(1), 1);
  EXPECT_EQ(data.labels.at(0), Label(1.0));
  EXPECT_EQ(data.labels.at(1), Label(-1.0));
}

TEST(Svmlight, BlanksCommentsLineEndsAndAMissingLastOneDoNotMatter) {
  const Dataset plain = read("1 1:2 4:5\n2 3:1\n");
  const char* const with_mark =
      "\xef\xbb\xbf"
      "1 1:2 4:5\n2 3:1";
  for (const char* text : {"1 1:2 4:5\r\n2 3:1\r\n",
                           "1 1:2 4:5\n2 3:1",
                           "# a comment\n\n  \t\n1\t1:2\t 4:5 \n \r\n2 3:1#x 7:1\n#\n",
                           "  1 1:2 4:5 # qid:3 9:9\n2 3:1  \n\n\n",
                           "1 01:2 00000000000000000000004:5\n2 3:+1.0\n",
                           with_mark}) {
    EXPECT_TRUE(same_dataset(read(text), plain)) << text;
  }
}

TEST(Svmlight, LabelsAreNumbersStringsOrUnlabelled) {
  const Dataset data = read("spam 1:1\n?\n1.50 1:1\nham\ninf 1:1\n");
  ASSERT_EQ(data.labels.size(), 5u);
  EXPECT_EQ(data.labels.at(0), Label("spam"));
  EXPECT_EQ(data.labels.at(1), std::nullopt);
  EXPECT_EQ(data.labels.at(2), Label(1.5));
  EXPECT_EQ(data.labels.at(3), Label("ham"));
  EXPECT_EQ(data.labels.at(4), Label("inf"));  // not a finite number, so a name
}

TEST(Svmlight, IndicesCountFromZeroWhenAsked) {
  const SvmlightOptions from_zero{.zero_based = true};
  const Dataset data = read("1 0:5 3:6\n2 1:7\n3\n", from_zero);
  EXPECT_EQ(data.features(), 4U);
  EXPECT_EQ(data.examples.row(0).at(0), 5);
  EXPECT_EQ(data.examples.row(0).at(3), 6);
  EXPECT_EQ(data.examples.row(1).at(1), 7);
  EXPECT_EQ(data.examples.row(2).at(0), 0);
  const auto problem = [&](const std::string& text) -> std::string {
    try {
      (void)read(text, from_zero);
    } catch (const ParseError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(problem("1 0:1 0:2\n"), "mem:1:7: the index 0 comes after 0, must increase");
  EXPECT_EQ(problem("1 1:1 0:2\n"), "mem:1:7: the index 0 comes after 1, must increase");
  EXPECT_THROW((void)read("1 0:1\n", {.precomputed = true, .zero_based = true}), InvalidArgument);
}

TEST(Svmlight, WordsOfMissingValuesAreNoClass) {
  const Dataset data = read("nan 1:1\nNaN 1:1\nNULL 1:1\nNA 1:1\nNa 1:1\n1 1:1\n");
  EXPECT_EQ(data.labels.labelled_count(), 2U);
  EXPECT_EQ(data.labels.at(4), Label(std::string("Na")));
  EXPECT_THROW((void)read("1,NaN 1:1\n"), ParseError);
  EXPECT_THROW(
      (void)written({.examples = DenseMatrix(1, 1, 1.0),
                     .labels = LabelColumn::from_labels(std::vector{Label(std::string("NULL"))})}),
      InvalidArgument);
}

TEST(Svmlight, TheUnlabelledMarkIsComparedAsALabel) {
  const Dataset data = read("1 1:1\n0 1:1\n+0.0 1:1\n-1 1:1\n", {.unlabeled = "0"});
  EXPECT_EQ(data.labels.labelled_count(), 2u);
  EXPECT_TRUE(data.labels.is_labelled(0));
  EXPECT_TRUE(data.labels.is_labelled(3));
  EXPECT_EQ(read("1 1:1\nnone 1:1\n", {.unlabeled = "none"}).labels.labelled_count(), 1u);
}

TEST(Svmlight, GroupsAndWeightsComeInAllRowsOrNone) {
  const Dataset data = read("3 qid:7 cost:0.5 1:1\n1 cost:2 qid:-8 1:1\n");
  EXPECT_EQ(data.groups, (std::vector<std::int64_t>{7, -8}));
  EXPECT_EQ(data.weights, (std::vector<double>{0.5, 2}));
  EXPECT_EQ(problem_of("1 qid:1 1:1\n1 1:1\n"),
            "2:1: a line without \"qid:\" after lines with it; expected it in all or none");
  EXPECT_EQ(problem_of("1 1:1\n\n 1 cost:1 1:1\n"),
            "3:2: a line with \"cost:\" after lines without it; expected it in all or none");
  EXPECT_EQ(problem_of("1 qid:1.5 1:1\n"), "1:7: expected a whole number, found \"1.5\"");
  EXPECT_EQ(problem_of("1 cost:-1 1:1\n"), "1:8: expected a finite number >= 0, found \"-1\"");
  EXPECT_EQ(problem_of("1 qid:1 qid:2 1:1\n"), "1:9: expected index:value, found \"qid:2\"");
}

TEST(Svmlight, WholeGroupsMayNotComeBack) {
  const std::string text = "2 qid:1 1:1\n1 qid:1 1:2\n# next\n0 qid:7 1:1\n1  qid:1 1:3\n";
  EXPECT_EQ(read(text).groups, (std::vector<std::int64_t>{1, 1, 7, 1}));
  EXPECT_EQ(problem_of(text, {.whole_groups = true}),
            "5:4: qid:1 comes back after another group; expected the rows of a group together");
  // The first error of the file counts.
  EXPECT_EQ(problem_of("1 qid:1\n1 qid:2\n1 qid:1\n1 qid:x\n", {.whole_groups = true}).substr(0, 3),
            "3:3");
  EXPECT_EQ(problem_of("1 qid:1\n1 qid:x\n1 qid:2\n1 qid:1\n", {.whole_groups = true}).substr(0, 3),
            "2:7");
  // In any order, and none at all.
  EXPECT_EQ(problem_of("1 qid:3 1:1\n1 qid:3\n0 qid:-2 1:1\n", {.whole_groups = true}), "no error");
  EXPECT_EQ(problem_of("1 1:1\n1 1:2\n", {.whole_groups = true}), "no error");
}

/// Groups go on over the borders of blocks, and come back in another block.
TEST(Svmlight, WholeGroupsAreFollowedThroughBlocks) {
  std::string text;
  for (int i = 0; i < 200000; ++i) {
    text += "1 qid:" + std::to_string(i / 50000) + " 1:0.123456789 2:1.5\n";
  }
  for (const std::size_t threads : {1U, 3U}) {
    EXPECT_EQ(read(text, {.whole_groups = true, .context = {.threads = threads}}).groups.back(), 3);
    EXPECT_EQ(problem_of(text + "1 qid:3 1:1\n1 qid:2 1:1\n",
                         {.whole_groups = true, .context = {.threads = threads}}),
              "200002:3: qid:2 comes back after another group; expected the rows of a group "
              "together");
  }
}

TEST(Svmlight, WeightsOfGroupsAreFollowedThroughBlocks) {
  std::string text;
  for (int i = 0; i < 200000; ++i) {
    text += "1 qid:" + std::to_string(i / 50000) + " cost:" + std::to_string(i / 50000) +
            " 1:0.123456789 2:1.5\n";
  }
  const SvmlightOptions options{.group_weights = true, .context = {.threads = 2}};
  EXPECT_EQ(read(text, options).weights.back(), 3);
  const std::string problem =
      "another weight than in the row before; expected one for all rows of a group";
  EXPECT_EQ(problem_of(text + "1 qid:3 cost:2 1:1\n", options), "200001:9: " + problem);
  // The row before is in another block, whose first line fills it.
  const std::string long_row = "1 cost:1 1:1 # " + std::string(std::size_t{1} << 20, 'x') + "\n";
  EXPECT_EQ(problem_of(long_row + "1 cost:2 1:1\n", options), "2:1: " + problem);
}

TEST(Svmlight, AListOfLabelsMakesAllRowsLabelSets) {
  const Dataset data = read("4,1,4 3:0.5\n2 1:1\n 1:1\n2:7\nb,a 1:1\n");
  ASSERT_EQ(data.size(), 5u);
  EXPECT_TRUE(data.labels.empty());
  ASSERT_EQ(data.label_sets.size(), 5u);
  EXPECT_EQ(data.label_sets[0], (std::vector<Label>{Label(1.0), Label(4.0)}));
  EXPECT_EQ(data.label_sets[1], (std::vector<Label>{Label(2.0)}));
  EXPECT_TRUE(data.label_sets[2].empty());
  EXPECT_TRUE(data.label_sets[3].empty());
  EXPECT_EQ(data.label_sets[4], (std::vector<Label>{Label("a"), Label("b")}));
  EXPECT_EQ(read("1 1:1\n1:1\n", {.multi_label = true}).label_sets.size(), 2u);
}

TEST(Svmlight, LinesWithoutAnyLabelHaveNoLabelColumn) {
  const Dataset data = read("1:1 2:1\n 2:5\n1:0 # none\n");
  EXPECT_EQ(data.size(), 3u);
  EXPECT_FALSE(data.has_labels());
  EXPECT_TRUE(data.label_sets.empty());
}

TEST(Svmlight, AMissingLabelAmongSingleLabelsIsAnError) {
  EXPECT_EQ(problem_of("1 1:1\n# c\n 2:1\n"),
            "3:2: expected a label: other lines have one, and no line has a list of them");
  EXPECT_EQ(problem_of("1,2 1:1\n? 2:1\n"),
            "2:1: an unlabelled row in a file of label sets; expected a list of labels, or none");
}

TEST(Svmlight, PrecomputedRowsKeepTheirSerialNumberInColumn0) {
  const std::string text = "1 0:1 1:4 2:6\n-1 0:2 1:6 2:9\n";
  const Dataset data = read(text, {.precomputed = true});
  EXPECT_EQ(data.features(), 3u);
  EXPECT_EQ(data.examples.row(1).at(0), 2);  // the serial number
  EXPECT_EQ(data.examples.row(1).at(2), 9);  // K(x2, x2)
  EXPECT_EQ(written(data, {.precomputed = true}), text);
  const SvmlightOptions precomputed = {.precomputed = true};
  EXPECT_EQ(problem_of("1 1:4\n", precomputed),
            "1:3: expected the serial number 0:NUMBER first, found \"1:4\"");
  EXPECT_EQ(problem_of("1 0:1.5 1:4\n", precomputed),
            "1:3: expected the serial number 0:NUMBER first, found \"0:1.5\"");
  EXPECT_EQ(problem_of("1 0:1 0:2 1:4\n", precomputed),
            "1:7: the index 0 (the serial number) comes twice");
  EXPECT_EQ(problem_of("1\n", precomputed),
            "1:2: expected the serial number 0:NUMBER first, found the end of the line");
}

TEST(Svmlight, TheNumberOfFeaturesCanBeRaised) {
  EXPECT_EQ(read("1 3:1\n", {.features = 10}).features(), 10u);
  EXPECT_EQ(read("1 3:1\n", {.features = 2}).features(), 3u);
  EXPECT_EQ(read("1\n2\n").features(), 0u);
  EXPECT_EQ(read("").size(), 0u);
  EXPECT_EQ(read("1 2147483646:1\n").features(), 2147483646u);
}

TEST(Svmlight, ErrorsNameLineColumnAndWhatWasExpected) {
  const auto expect_problem = [](const std::string& text, const std::string& problem) {
    EXPECT_EQ(problem_of(text), problem);
    EXPECT_EQ(problem_of("1 1:1\n# x\n" + text + "1 bad\n"),
              std::to_string(2 + std::stoi(problem)) + problem.substr(problem.find(':')));
  };
  // The bad lines that the project promises to name.
  expect_problem("1 3:0.5 2:0.1\n", "1:9: the index 2 comes after 3, must increase");
  expect_problem("1 1:nan\n", "1:5: expected a finite number after \"1:\", found \"nan\"");
  expect_problem("1 0:1\n",
                 "1:3: the index 0, must be >= 1 (or, with --zero-based, all count from 0)");
  expect_problem("1 99999999999999999999:1\n",
                 "1:3: the index \"99999999999999999999\" is too large, must be <= 2147483646");
  expect_problem("1 2147483647:1\n",
                 "1:3: the index \"2147483647\" is too large, must be <= 2147483646");
  expect_problem("1 3:1 3:1\n", "1:7: the index 3 comes after 3, must increase");
  expect_problem("1 3:1 0:1\n", "1:7: the index 0 comes after 3, must increase");
  expect_problem("1 1:inf\n", "1:5: expected a finite number after \"1:\", found \"inf\"");
  expect_problem("1 1:1e999\n", "1:5: expected a finite number after \"1:\", found \"1e999\"");
  expect_problem("1 1:\n", "1:5: expected a finite number after \"1:\", found the end of the line");
  expect_problem("1 1: 5\n",
                 "1:5: expected a finite number after \"1:\", found the end of the line");
  expect_problem("1 12:1x\n", "1:6: expected a finite number after \"12:\", found \"1x\"");
  expect_problem("1 1:1:1\n", "1:5: expected a finite number after \"1:\", found \"1:1\"");
  expect_problem("1 abc\n", "1:3: expected index:value, found \"abc\"");
  expect_problem("1 17\n", "1:3: expected index:value, found \"17\"");
  expect_problem("1 -1:1\n", "1:3: expected index:value, found \"-1:1\"");
  expect_problem("1 :1\n", "1:3: expected index:value, found \":1\"");
  expect_problem("a:b 1:1\n", "1:1: expected index:value, found \"a:b\"");
  expect_problem("1,,2 1:1\n", "1:3: expected a label in the list \"1,,2\"");
  expect_problem("1, 1:1\n", "1:3: expected a label in the list \"1,\"");
  expect_problem("1,? 1:1\n", "1:3: ? (unlabelled) in the list of labels \"1,?\"");
}

TEST(Svmlight, BinaryBytesAreNamed) {
  EXPECT_EQ(problem_of(std::string("1 1:1\n\0\1\2 1:1\n", 14)),
            "2:1: expected a label, found the byte \"\\x00\" (binary data?)");
  EXPECT_EQ(problem_of(std::string("1 \0:1\n", 6)), "1:3: expected index:value, found \"\\x00:1\"");
  EXPECT_EQ(problem_of("1 1:1\v2:2\n"),
            "1:5: expected a finite number after \"1:\", found \"1\\x0b2:2\"");
}

/// Random data of every kind the format holds.
Dataset random_dataset(std::uint64_t seed, std::size_t rows, std::size_t cols) {
  Rng rng(seed);
  Buffer<std::int64_t> offsets(1, 0);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  Dataset data = {.source = "mem"};
  const bool sets = seed % 3 == 0;
  const bool names = seed % 3 == 1;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      if (!rng.bernoulli(0.3) && !(i == 0 && j + 1 == cols)) continue;
      double value = std::bit_cast<double>(rng.bits());  // any bit pattern that is finite
      if (!std::isfinite(value) || rng.bernoulli(0.5)) value = rng.normal();
      columns.push_back(static_cast<std::int32_t>(j));
      values.push_back(rng.bernoulli(0.05) ? 0.0 : value);
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
    if (sets) {
      std::vector<Label> set;
      for (int k = 0; k < 5; ++k) {
        if (rng.bernoulli(0.3) || i == 0) set.emplace_back(static_cast<double>(k));
      }
      data.label_sets.push_back(set);
    } else if (rng.bernoulli(0.1)) {
      data.labels.push_back_unlabelled();
    } else if (names && rng.bernoulli(0.5)) {
      data.labels.push_back(Label("class_" + std::to_string(rng.index(20))));
    } else {
      data.labels.push_back_number(rng.normal());
    }
    if (seed % 2 == 0) data.groups.push_back(static_cast<std::int64_t>(rng.index(1000)) - 500);
    if (seed % 5 == 0) data.weights.push_back(rng.uniform());
  }
  data.examples = SparseMatrix(cols, std::move(offsets), std::move(columns), std::move(values));
  return data;
}

class SvmlightSeeds : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SvmlightSeeds, WhatIsWrittenReadsBackExactly) {
  Dataset data = random_dataset(GetParam(), 60, 12);
  data.groups.resize(data.size(), 1);  // so that a row without label and entries is no blank line
  EXPECT_TRUE(same_dataset(read(written(data)), data));
}

TEST_P(SvmlightSeeds, ManyBlocksGiveTheSameForAnyThreadCountAndCompression) {
  const TemporaryFolder folder;
  const Dataset data = random_dataset(GetParam(), 2'600, 100);
  for (const std::string ending : {"", ".gz"}) {
    OutputFile file(folder.path("a" + ending));
    write_svmlight(data, file);
    file.commit();
  }
  ASSERT_GT(std::filesystem::file_size(folder.path("a")), 1'200'000u);  // more than one block
  const auto read_file = [&](const std::string& ending, std::size_t threads) {
    Input input = Input::open(folder.path("a" + ending));
    Dataset result = read_svmlight(input, {.context = {.threads = threads}});
    result.source = "mem";
    return result;
  };
  for (const std::size_t threads : {1u, 2u, 4u})
    EXPECT_TRUE(same_dataset(read_file("", threads), data));
  EXPECT_TRUE(same_dataset(read_file(".gz", 2), data));
}

INSTANTIATE_TEST_SUITE_P(Seeds, SvmlightSeeds, ::testing::Range<std::uint64_t>(1, 7));

TEST(Svmlight, TheFirstErrorInTheFileIsReportedForAnyThreadCount) {
  std::string text;
  std::size_t lines = 0;
  while (text.size() < 3'000'000) {
    text += "1 1:0.25 2:0.5 7:123456 10:1e-3 100000:0.123456789\n";
    ++lines;
  }
  const std::string good = text;
  // Of the two bad lines the first counts, even in a later position of the parallel work.
  text += "1 2:1 1:1\n";
  text += good;
  text += "1 1:nan\n" + good;
  const std::string expected =
      std::to_string(lines + 1) + ":7: the index 1 comes after 2, must increase";
  for (const std::size_t threads : {1u, 2u, 4u}) {
    EXPECT_EQ(problem_of(text, {.context = {.threads = threads}}), expected);
  }
  // A row that differs in kind from those of the blocks before it.
  for (const std::size_t threads : {1u, 4u}) {
    EXPECT_EQ(problem_of(good + "1 qid:1 1:x\n", {.context = {.threads = threads}}),
              std::to_string(lines + 1) +
                  ":1: a line with \"qid:\" after lines without it; expected it in all or none");
  }
}

TEST(Svmlight, LinesLongerThanABlockAreRead) {
  std::string text = "1";
  const std::size_t entries = 150'000;
  for (std::size_t j = 1; j <= entries; ++j) text += ' ' + std::to_string(j * 7) + ":0.125";
  ASSERT_GT(text.size(), std::size_t{3} << 19);
  text = text + '\n' + text;  // the last without its line end
  const TemporaryFolder folder;
  write_file(folder.path("a.bz2"), text);
  Input stream = Input::open(folder.path("a.bz2"));
  Dataset streamed = read_svmlight(stream);
  streamed.source = "mem";
  const Dataset data = read(text);
  EXPECT_EQ(data.examples.entries(), 2 * entries);
  EXPECT_EQ(data.features(), 7 * entries);
  EXPECT_TRUE(same_dataset(streamed, data));
}

TEST(Svmlight, DenseRowsAreWrittenWithoutZeros) {
  Dataset data = {.examples = DenseMatrix(2, 3, 0.0)};
  data.examples.writable_values(0)[1] = 0.1;
  data.examples.writable_values(0)[2] = -0.0;
  EXPECT_EQ(written(data), "2:0.1\n1:0\n");
  data.labels = LabelColumn::from_numbers({1, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(written(data), "1 2:0.1\n?\n");
}

TEST(Svmlight, WhatWouldNotReadBackIsRefused) {
  for (const char* name : {"", "?", "1", "a b", "a,b", "a:b", "a#", "tab\t"}) {
    Dataset data = {.examples = DenseMatrix(1, 1, 1.0)};
    data.labels.push_back(Label(std::string(name)));
    EXPECT_THROW(static_cast<void>(written(data)), InvalidArgument) << name;
  }
  const Dataset infinite = {.examples = DenseMatrix(1, 1, std::numeric_limits<double>::infinity())};
  EXPECT_THROW(static_cast<void>(written(infinite)), InvalidArgument);
}

TEST(Svmlight, AFirstLabelLikeTheStartOfAnotherKindOfFileReadsBack) {
  for (const std::string name : {"\xef\xbb\xbfmark", "BZh91AY&SY"}) {
    const std::vector<Label> labels = {Label(name), Label(name)};
    const Dataset data = {.examples = to_sparse(DenseMatrix(2, 1, 1.0).view()),
                          .labels = LabelColumn::from_labels(labels)};
    const Dataset copy = read(written(data));
    ASSERT_EQ(copy.size(), 2u);
    EXPECT_EQ(copy.labels.at(0), labels[0]);
    EXPECT_EQ(copy.labels.at(1), labels[1]);
  }
}

TEST(Svmlight, OptionsAreChecked) {
  EXPECT_THROW(static_cast<void>(read("", {.context = {.threads = 0}})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(read("", {.features = std::size_t{1} << 40})), InvalidArgument);
}

TEST(Svmlight, NothingIsWrittenWhenALabelCannotBe) {
  Dataset data = {.examples = DenseMatrix(100'000, 1, 0.5)};
  for (std::size_t row = 0; row + 1 < data.size(); ++row) data.labels.push_back(Label(1.0));
  data.labels.push_back(Label("a b"));
  const TemporaryFolder folder;
  OutputFile file(folder.path("out"));
  EXPECT_THROW(write_svmlight(data, file), InvalidArgument);
  file.commit();
  EXPECT_EQ(std::filesystem::file_size(folder.path("out")), 0u);
}

TEST(Svmlight, AnUnlabelledMarkInAListIsAnError) {
  EXPECT_EQ(problem_of("1,? 1:2\n"), "1:3: ? (unlabelled) in the list of labels \"1,?\"");
  EXPECT_EQ(problem_of("?,? 1:2\n"), "1:1: ? (unlabelled) in the list of labels \"?,?\"");
}

TEST(Svmlight, SetsOfOneLabelReadBackAsSets) {
  const Dataset data = read(" 1:1\n4,4 1:2\n5 1:3\n");
  ASSERT_EQ(data.label_sets.size(), 3u);
  EXPECT_EQ(data.label_sets[1], std::vector{Label(4.0)});
  EXPECT_EQ(written(data), "1:1\n4,4 1:2\n5 1:3\n");
  EXPECT_TRUE(same_dataset(read(written(data)), data));
  EXPECT_EQ(written(read("4,4 1:2\n5,6 1:3\n")), "4 1:2\n5,6 1:3\n");
}

}  // namespace
}  // namespace maxmargin
