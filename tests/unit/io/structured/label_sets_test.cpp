// SPDX-License-Identifier: Apache-2.0
#include "io/structured/label_sets.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

using Sets = std::vector<std::vector<Label>>;

Sets read(const std::string& text) {
  Input input = Input::from_memory("mem", text);
  return read_label_sets(input);
}

TEST(LabelSets, LinesAreSets) {
  const Sets sets = read("7, 1,1.0\n\nb\n2,a");
  ASSERT_EQ(sets.size(), 4u);
  EXPECT_EQ(sets[0], (std::vector<Label>{Label(1.0), Label(7.0)}));
  EXPECT_TRUE(sets[1].empty());
  EXPECT_EQ(sets[2], std::vector<Label>{Label(std::string("b"))});
  std::string text;
  for (const std::vector<Label>& set : sets) text += to_text(set) + "\n";
  EXPECT_EQ(text, "1,7\n\nb\n2,a\n");
  EXPECT_EQ(read(text), sets);
}

TEST(LabelSets, DataFilesHaveSets) {
  EXPECT_EQ(read("1 2:3\n1,2 1:1\n 1:0.5\n"), (Sets{{Label(1.0)}, {Label(1.0), Label(2.0)}, {}}));
}

TEST(LabelSets, ErrorsNameTheLine) {
  const auto problem_of = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(read(text));
    } catch (const FileError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(problem_of("1\n1,,2\n"), "mem:2: expected a label in the list \"1,,2\"");
  EXPECT_EQ(problem_of("1,\n"), "mem:1: expected a label in the list \"1,\"");
  EXPECT_EQ(problem_of(""), "mem: holds no labels");
}

}  // namespace
}  // namespace maxmargin
