// SPDX-License-Identifier: Apache-2.0
#include "kernel/tiles/fast_exp.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

/// |got - exact| in units of the last place of the rounded exact value.
template <class T>
double error_in_ulps(T got, long double exact) {
  const auto rounded = static_cast<T>(exact);
  const T next = std::nextafter(rounded, std::numeric_limits<T>::infinity());
  const auto ulp = static_cast<long double>(next) - static_cast<long double>(rounded);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / ulp);
}

TEST(FastExp, FloatIsWithinTwoUnitsOverTheWholeRange) {
  // Every 2003rd float of both signs up to magnitude 104, from subnormal arguments on.
  std::vector<float> arguments;
  for (std::uint32_t bits = 0; bits <= std::bit_cast<std::uint32_t>(104.0f); bits += 2003) {
    arguments.push_back(-std::bit_cast<float>(bits));
    if (std::bit_cast<float>(bits) < 88.72f) arguments.push_back(std::bit_cast<float>(bits));
  }
  std::vector<float> values = arguments;
  exp_in_place(values);
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    worst = std::max(worst, error_in_ulps(values[i], std::exp(double{arguments[i]})));
  }
  EXPECT_LT(worst, 2);
}

TEST(FastExp, DoubleIsWithinTwoUnitsOverTheWholeRange) {
  Rng rng(1);
  std::vector<double> arguments;
  for (int k = 0; k < 200000; ++k) arguments.push_back(rng.uniform(-745, 709.7));
  for (int k = 0; k < 50000; ++k)
    arguments.push_back(rng.uniform(-1, 1) * std::exp(-rng.uniform(0, 40)));
  std::vector<double> values = arguments;
  exp_in_place(values);
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    worst =
        std::max(worst, error_in_ulps(values[i], std::exp(static_cast<long double>(arguments[i]))));
  }
  EXPECT_LT(worst, 2);
}

template <class T>
void expect_special_values() {
  constexpr T inf = std::numeric_limits<T>::infinity();
  std::vector<T> values = {
      0, -T{0}, -inf, inf, T(-1e6), T(1e6), std::numeric_limits<T>::quiet_NaN()};
  exp_in_place(values);
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], 1);
  EXPECT_EQ(values[2], 0);
  EXPECT_EQ(values[3], inf);
  EXPECT_EQ(values[4], 0);
  EXPECT_EQ(values[5], inf);
  EXPECT_TRUE(std::isnan(values[6]));
  exp_in_place(std::span<T>());
}

TEST(FastExp, SpecialValuesAreExact) {
  expect_special_values<float>();
  expect_special_values<double>();
}

TEST(FastExp, DoesNotDependOnThePlaceInTheSpan) {
  Rng rng(2);
  std::vector<float> whole(1003);
  for (float& value : whole) value = static_cast<float>(rng.uniform(-20, 5));
  std::vector<float> single = whole;
  exp_in_place(whole);
  for (float& value : single) exp_in_place(std::span<float>(&value, 1));
  EXPECT_EQ(whole, single);
}

TEST(FastExp, NeverExceedsOneBelowZero) {
  std::vector<float> values;
  for (std::uint32_t bits = 1; bits < std::bit_cast<std::uint32_t>(1.0f); bits += 4001) {
    values.push_back(-std::bit_cast<float>(bits));
  }
  exp_in_place(values);
  for (const float value : values) ASSERT_LE(value, 1.0f);
}

}  // namespace
}  // namespace maxmargin
