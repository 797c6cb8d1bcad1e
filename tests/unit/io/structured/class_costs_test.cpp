// SPDX-License-Identifier: Apache-2.0
#include "io/structured/class_costs.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

const std::vector<Label> classes = {Label(1.0), Label(2.0), Label(std::string("cat"))};

DenseMatrix read(const std::string& text, bool skip_others = false) {
  Input input = Input::from_memory("mem", text);
  return read_class_costs(input, classes, skip_others);
}

std::string problem_of(const std::string& text) {
  try {
    static_cast<void>(read(text));
  } catch (const FileError& error) {
    return error.what();
  }
  return "none";
}

TEST(ClassCosts, PairsWithoutALineCostOne) {
  const DenseMatrix costs = read("# costs\n1 cat 2.5 # dear\r\n\n cat\t1.0 0\n2 2 0\n");
  EXPECT_EQ(costs(0, 2), 2.5);
  EXPECT_EQ(costs(2, 0), 0);
  EXPECT_EQ(costs(0, 1), 1);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(costs(c, c), 0);
  EXPECT_EQ(read("")(1, 0), 1);
}

TEST(ClassCosts, ErrorsNameTheLine) {
  EXPECT_EQ(problem_of("1 2 3\n1 2\n"),
            "mem:2: expected a true class, a predicted class and a cost, found 2 words");
  EXPECT_EQ(problem_of("1 2 -3\n"), "mem:1:5: expected a cost, a finite number >= 0, found \"-3\"");
  EXPECT_EQ(problem_of("1 2 inf\n"),
            "mem:1:5: expected a cost, a finite number >= 0, found \"inf\"");
  EXPECT_EQ(problem_of("1 1 1\n"), "mem:1: the class \"1\" for itself must cost 0");
  EXPECT_EQ(problem_of("1 2 3\n1.0 2 3\n"), "mem:2: the pair has a line already, line 1");
  EXPECT_EQ(problem_of("1 dog 3\n"), "mem:1:3: the data has no class \"dog\"");
  EXPECT_EQ(read("1 dog 3\n2 1 4\n", true)(1, 0), 4);
}

}  // namespace
}  // namespace maxmargin
