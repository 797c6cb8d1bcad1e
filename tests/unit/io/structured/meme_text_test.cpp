// SPDX-License-Identifier: Apache-2.0
#include "io/structured/meme_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace maxmargin {
namespace {

std::string text_of(double weight) {
  MotifFinder finder{.task = MotifTask({.length = 1})};
  finder.weights.assign(finder.task.dimension(), 0.0);
  finder.weights[0] = weight;
  const MotifSites sites{.counts = DenseMatrix(1, 4, 0.0)};
  return to_meme(finder, sites);
}

// Weights may be of any size: no number is too large for its text.
TEST(MemeText, NumbersOfAnySizeAreWritten) {
  const auto has = [](double weight, const std::string& line) {
    return text_of(weight).find(line) != std::string::npos;
  };
  EXPECT_TRUE(has(1.25, " 1.250000 0.000000 0.000000 0.000000"));
  EXPECT_TRUE(has(-0.5, " -0.500000 0.000000"));
  EXPECT_TRUE(has(-1e-9, "\n 0.000000 0.000000 0.000000 0.000000"));
  EXPECT_TRUE(has(1e30, " 1000000000000000019884624838656.000000 "));
  EXPECT_TRUE(has(-1e300, " -1000000000000000052504760255204420248704468581108159154915854115"));
}

}  // namespace
}  // namespace maxmargin
