// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/plot/logo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

DenseMatrix columns(const std::vector<std::vector<double>>& rows) {
  DenseMatrix matrix(rows.size(), 4);
  for (std::size_t j = 0; j < rows.size(); ++j) std::ranges::copy(rows[j], matrix.row(j).begin());
  return matrix;
}

struct Letter {
  std::string name;
  double x = 0;
  double y = 0;
  double height = 0;
};

/// Letters in the order drawn, by their transforms.
std::vector<Letter> letters_of(const std::string& svg) {
  std::vector<Letter> found;
  const std::string name = "class=\"";
  for (std::size_t at = svg.find("transform=\"translate("); at != std::string::npos;
       at = svg.find("transform=\"translate(", at + 1)) {
    Letter letter;
    letter.name = svg.substr(svg.rfind(name, at) + name.size(), 1);
    std::istringstream numbers(svg.substr(at + 21, 60));
    std::string word;
    double width = 0;
    numbers >> letter.x >> letter.y;
    std::getline(numbers, word, '(');
    numbers >> width >> letter.height;
    found.push_back(letter);
  }
  return found;
}

TEST(Logo, LettersAreAsHighAsTheirShareOfTheInformation) {
  const std::string svg = svg_logo(
      columns({{1, 0, 0, 0}, {0, 0.5, 0, 0.5}, {0.25, 0.25, 0.25, 0.25}}), {.height = 254});
  const std::vector<Letter> letters = letters_of(svg);
  ASSERT_EQ(letters.size(), 3U);
  // 200 pixels are two bits.
  EXPECT_EQ(letters[0].name, "A");
  EXPECT_NEAR(letters[0].height, 200, 0.01);
  EXPECT_NEAR(letters[0].y, 14, 0.01);
  EXPECT_EQ(letters[1].name, "C");
  EXPECT_EQ(letters[2].name, "T");
  EXPECT_NEAR(letters[1].height, 50, 0.01);
  EXPECT_NEAR(letters[2].y, 114, 0.01);
  EXPECT_NEAR(letters[1].y, 164, 0.01);
  EXPECT_LT(letters[0].x, letters[1].x);
  EXPECT_EQ(letters[1].x, letters[2].x);
}

TEST(Logo, TheMostProbableIsOnTop) {
  const std::vector<Letter> letters = letters_of(svg_logo(columns({{0.1, 0.6, 0.2, 0.1}})));
  ASSERT_EQ(letters.size(), 4U);
  EXPECT_EQ(letters.back().name, "C");
  for (const Letter& each : letters) EXPECT_GE(each.y, letters.back().y);
  double sum = 0;
  for (const Letter& each : letters) sum += each.height;
  const double bits = 2 + 0.2 * std::log2(0.1) + 0.6 * std::log2(0.6) + 0.2 * std::log2(0.2);
  EXPECT_NEAR(sum, bits / 2 * 206, 0.1);
}

TEST(Logo, WrongInputIsRefused) {
  EXPECT_THROW((void)svg_logo(DenseMatrix(0, 4)), InvalidArgument);
  EXPECT_THROW((void)svg_logo(DenseMatrix(2, 3)), InvalidArgument);
  EXPECT_THROW((void)svg_logo(columns({{1, 1, 0, 0}})), InvalidArgument);
  EXPECT_THROW((void)svg_logo(columns({{1.5, -0.5, 0, 0}})), InvalidArgument);
  EXPECT_THROW((void)svg_logo(columns({{std::nan(""), 1, 0, 0}})), InvalidArgument);
  EXPECT_THROW((void)svg_logo(columns({{1, 0, 0, 0}}), {.height = 10}), InvalidArgument);
  const std::string escaped = svg_logo(columns({{1, 0, 0, 0}}), {.title = "a<b"});
  EXPECT_NE(escaped.find("a&lt;b"), std::string::npos);
}

}  // namespace
}  // namespace maxmargin
