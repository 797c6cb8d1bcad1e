// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/read_labels.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "maxmargin/core/error.hpp"
#include "maxmargin/io/output.hpp"

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

TEST_F(ReadLabels, TakesBuiltinData) { EXPECT_EQ(read_labels("builtin:iris").size(), 150u); }

TEST_F(ReadLabels, RefusesDataWithoutLabels) {
  EXPECT_THROW(static_cast<void>(read_labels(file("x,y\n1,2\n2,3\n"), {.label = "none"})),
               FileError);
  EXPECT_THROW(static_cast<void>(read_labels(file(""))), FileError);
}

}  // namespace
}  // namespace maxmargin
