// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/eval/grid_search.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

TEST(Grid, ReadsAxesAndRunsThroughTheirProductLastAxisFastest) {
  const Grid grid = parse_grid(" C = 0.1, 1,10 ; gamma=scale,0.5 ");
  ASSERT_EQ(grid.size(), 6u);
  const char* expected[] = {"C=0.1;gamma=scale",
                            "C=0.1;gamma=0.5",
                            "C=1;gamma=scale",
                            "C=1;gamma=0.5",
                            "C=10;gamma=scale",
                            "C=10;gamma=0.5"};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(grid.point(i).describe(), expected[i]);
  EXPECT_THROW((void)grid.point(6), InvalidArgument);
}

TEST(Grid, SeparatorsWithinParenthesesBelongToTheValue) {
  const Grid grid = parse_grid("kernel=poly(degree=2, coef0=1)+rbf, center(linear);C=1,10");
  ASSERT_EQ(grid.axes().size(), 2u);
  EXPECT_EQ(grid.axes()[0].values,
            (std::vector<std::string>{"poly(degree=2, coef0=1)+rbf", "center(linear)"}));
  EXPECT_EQ(parse_grid(grid.point(1).describe()).point(0), grid.point(1));
  EXPECT_EQ(parse_grid("a=),(1,2").axes()[0].values, (std::vector<std::string>{")", "(1,2"}));
}

TEST(Grid, PointsAnswerByName) {
  const GridPoint point = parse_grid("C=1e-3;kernel=rbf").point(0);
  EXPECT_EQ(point.number("C"), 1e-3);
  EXPECT_EQ(point.text("kernel"), "rbf");
  EXPECT_TRUE(point.has("C"));
  EXPECT_FALSE(point.has("c"));
  EXPECT_THROW((void)point.number("kernel"), InvalidArgument);
  EXPECT_THROW((void)point.text("gamma"), InvalidArgument);
  EXPECT_THROW((void)parse_grid("C=inf").point(0).number("C"), InvalidArgument);
}

TEST(Grid, DescriptionsReadBack) {
  const Grid grid = parse_grid("a=1,2;b=x,y,z");
  for (std::size_t i = 0; i < grid.size(); ++i) {
    EXPECT_EQ(parse_grid(grid.point(i).describe()).point(0), grid.point(i));
  }
}

TEST(Grid, WithoutAxesHasOneEmptyPoint) {
  const Grid grid({});
  EXPECT_EQ(grid.size(), 1u);
  EXPECT_TRUE(grid.point(0).entries().empty());
}

TEST(Grid, ValuesWithCommasStandInCurlyBrackets) {
  const Grid grid = parse_grid("scale=none,{range:0,1}; kernel={a;b} , poly(degree=2, coef0=1)");
  ASSERT_EQ(grid.axes().size(), 2U);
  EXPECT_EQ(grid.axes()[0].values, (std::vector<std::string>{"none", "range:0,1"}));
  EXPECT_EQ(grid.axes()[1].values, (std::vector<std::string>{"a;b", "poly(degree=2, coef0=1)"}));
  const GridPoint point = grid.point(2);
  EXPECT_EQ(point.describe(), "scale={range:0,1};kernel={a;b}");
  EXPECT_EQ(parse_grid(point.describe()).point(0), point);
  for (const char* text : {"a={1", "a={1}2", "a={}", "a={1},{1}", "a={1,2}{3}"}) {
    EXPECT_THROW((void)parse_grid(text), InvalidArgument) << text;
  }
}

TEST(Grid, RefusesBrokenTextAndSaysWhere) {
  for (const char* text : {"",
                           "  ",
                           "C",
                           "C=",
                           "=1",
                           "C=1;",
                           ";C=1",
                           "C=1,,2",
                           "C=1,1.0",
                           "C=1;C=2",
                           "C=1,2,",
                           "C=a,b,a"}) {
    EXPECT_THROW((void)parse_grid(text), InvalidArgument) << text;
  }
  try {
    (void)parse_grid("C=1,2;gamma");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("\"gamma\""), std::string::npos) << error.what();
  }
  try {
    (void)parse_grid("C=1,2,01");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "grid: parameter \"C\" has the value \"01\" twice");
  }
}

TEST(Grid, RefusesMorePointsThanCanBeCounted) {
  std::vector<GridAxis> axes;
  for (int a = 0; a < 64; ++a) axes.push_back({.name = std::to_string(a), .values = {"0", "1"}});
  EXPECT_THROW(Grid(std::move(axes)), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
