// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/read_labels.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/io/stream/output.hpp"

namespace maxmargin {
namespace {

class ReadLabels : public ::testing::Test {
 protected:
  std::string file(const std::string& bytes) {
    const std::string path =
        (std::filesystem::temp_directory_path() /
         ("maxmargin-labels-" +
          std::string(::testing::UnitTest::GetInstance()->current_test_info()->name())))
            .string();
    write_file(path, bytes);
    path_ = path;
    return path;
  }
  void TearDown() override { std::filesystem::remove(path_); }

 private:
  std::string path_;
};

TEST_F(ReadLabels, TakesOneLabelALine) {
  const LabelColumn labels = read_labels(file("a\n2\r\noutlier\n"));
  ASSERT_EQ(labels.size(), 3u);
  EXPECT_EQ(labels.at(1), Label(2.0));
  EXPECT_EQ(labels.at(2), Label(std::string("outlier")));
}

TEST(ReadNumberLines, NamesTheLineThatHoldsNone) {
  const auto read = [](const std::string& text) {
    Input input = Input::from_memory("s", text);
    return read_number_lines(input);
  };
  const auto problem = [&](const std::string& text) -> std::string {
    try {
      (void)read(text);
    } catch (const ParseError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(read("1\n -0.5\r\ninf\n\n"),
            (std::vector<double>{1, -0.5, std::numeric_limits<double>::infinity()}));
  EXPECT_TRUE(read("").empty());
  EXPECT_EQ(problem("1\n x\n"), "s:2:2: expected a number, found \"x\"");
  EXPECT_EQ(problem("1\n\n2\n").substr(0, 4), "s:2:");
  EXPECT_EQ(problem("nan\n").substr(0, 4), "s:1:");
  EXPECT_EQ(problem("1 2\n").substr(0, 4), "s:1:");
}

TEST_F(ReadLabels, ScoresAreLinesOrTheLabelsOfData) {
  EXPECT_EQ(read_scores(file("1\n-0.5\n")), (std::vector<double>{1, -0.5}));
  EXPECT_EQ(read_scores(file("2 qid:1 1:1\n0 qid:1 2:1\n")), (std::vector<double>{2, 0}));
  EXPECT_THROW((void)read_scores(file("1\nx\n")), ParseError);
  EXPECT_THROW((void)read_scores("builtin:iris"), FileError);
}

TEST_F(ReadLabels, TakesTheLabelsOfSvmlightData) {
  const LabelColumn labels = read_labels(file("-1 1:2\n+1 2:1\n"));
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels.at(1), Label(1.0));
}

TEST_F(ReadLabels, TakesTheLabelsOfATable) {
  const LabelColumn labels = read_labels(file("x,label\n1,a\n2,b\n"));
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels.at(0), Label(std::string("a")));
}

TEST_F(ReadLabels, AFirstLineBeyondWhatIsLookedAtIsNoLabel) {
  std::string rows[2] = {"-1", "+1"};
  for (std::string& row : rows) {
    for (int j = 1; j <= 12'000; ++j) row += " " + std::to_string(j) + ":0.5";
    ASSERT_GT(row.size(), 100'000u);
  }
  const LabelColumn labels = read_labels(file(rows[0] + "\n" + rows[1] + "\n"));
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels.at(0), Label(-1.0));
  EXPECT_EQ(labels.at(1), Label(1.0));
}

TEST_F(ReadLabels, TakesTheLabelsOfATableWithALongHeader) {
  std::string header;
  std::string row;
  for (int j = 0; j < 10'000; ++j) {
    header += "feature" + std::to_string(j) + ",";
    row += "1,";
  }
  ASSERT_GT(header.size(), 100'000u);
  const LabelColumn labels = read_labels(file(header + "label\n" + row + "a\n" + row + "b\n"));
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels.at(1), Label(std::string("b")));
}

TEST_F(ReadLabels, TakesAnIdxFileOfLabels) {
  const std::string bytes("\0\0\x08\x01\0\0\0\x03\x07\x02\x07", 11);
  const LabelColumn labels = read_labels(file(bytes), {.unlabeled = "2"});
  ASSERT_EQ(labels.size(), 3u);
  EXPECT_EQ(labels.at(0), Label(7.0));
  EXPECT_FALSE(labels.is_labelled(1));
  EXPECT_EQ(read_labels(file(bytes), {.format = DataFormat::idx}).at(1), Label(2.0));
  const std::string images("\0\0\x08\x02\0\0\0\x01\0\0\0\x02\x07\x02", 14);
  EXPECT_THROW(static_cast<void>(read_labels(file(images))), ParseError);
}

TEST_F(ReadLabels, TakesATableOfLabelsAlone) {
  const LabelColumn labels = read_labels(file("\"a, b\"\n\"c\"\n"));
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels.at(0), Label(std::string("a, b")));
}

TEST_F(ReadLabels, TakesBuiltinData) { EXPECT_EQ(read_labels("builtin:iris").size(), 150u); }

TEST_F(ReadLabels, RefusesDataWithoutLabels) {
  EXPECT_THROW(static_cast<void>(read_labels(file("x,y\n1,2\n2,3\n"), {.label = "none"})),
               FileError);
  EXPECT_THROW(static_cast<void>(read_labels(file(""))), FileError);
}

}  // namespace
}  // namespace maxmargin
