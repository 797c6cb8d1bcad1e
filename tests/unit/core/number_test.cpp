// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

TEST(Number, ShortestTextReadsBackExactlyForRandomBitPatterns) {
  Rng rng(1);
  for (int k = 0; k < 20000; ++k) {
    const double value = std::bit_cast<double>(rng.bits());
    if (!std::isfinite(value)) continue;
    const std::string text = format_number(value);
    ASSERT_EQ(parse_number(text), value) << text;
  }
}

TEST(Number, FastPathEqualsTheCorrectlyRoundingReader) {
  Rng rng(2);
  for (int k = 0; k < 50000; ++k) {
    std::string text = rng.bernoulli(0.3) ? "-" : "";
    const std::size_t digits = 1 + rng.index(20);
    for (std::size_t i = 0; i < digits; ++i) text += static_cast<char>('0' + rng.index(10));
    if (rng.bernoulli(0.7)) text.insert(text.size() - rng.index(digits), ".");
    if (rng.bernoulli(0.3)) text += "e" + std::to_string(static_cast<int>(rng.index(60)) - 30);
    double expected = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), expected);
    if (result.ptr != text.data() + text.size()) continue;
    ASSERT_EQ(parse_number(text), expected) << text;
  }
}

TEST(Number, TakesSignsAndSpecialValues) {
  EXPECT_EQ(parse_number("+1"), 1.0);
  EXPECT_EQ(parse_number("1.0"), 1.0);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("5."), 5.0);
  EXPECT_EQ(parse_number("-1e-3"), -0.001);
  EXPECT_EQ(parse_number("+inf"), std::numeric_limits<double>::infinity());
  ASSERT_TRUE(parse_number("NaN").has_value());
  EXPECT_TRUE(std::isnan(*parse_number("NaN")));
  EXPECT_TRUE(std::signbit(*parse_number("-0")));
}

TEST(Number, BeyondTheRangeBecomesInfinityOrZero) {
  EXPECT_EQ(parse_number("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("-1e400"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("1e-400"), 0.0);
  EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(parse_number("1" + std::string(400, '0')), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1e800"),
            std::numeric_limits<double>::infinity());
}

TEST(Number, RefusesWhatIsNotANumber) {
  for (const char* text : {"",
                           " ",
                           "1 ",
                           " 1",
                           "+",
                           "-",
                           ".",
                           "e5",
                           "1e",
                           "1e+",
                           "--1",
                           "+-1",
                           "0x10",
                           "1,5",
                           "abc",
                           "1.2.3"}) {
    EXPECT_FALSE(parse_number(text).has_value()) << '"' << text << '"';
  }
}

TEST(Number, ScanStopsAtTheEndOfTheNumber) {
  const std::string text = "12.5:7";
  double value = 0;
  EXPECT_EQ(scan_number(text.data(), text.data() + text.size(), value), text.data() + 4);
  EXPECT_EQ(value, 12.5);
  const std::string trailing = "3e,";
  EXPECT_EQ(scan_number(trailing.data(), trailing.data() + 3, value), trailing.data() + 1);
  EXPECT_EQ(value, 3);
}

TEST(Number, IntegersRefuseFractionsAndOverflow) {
  EXPECT_EQ(parse_integer("-42"), -42);
  EXPECT_EQ(parse_integer("+7"), 7);
  EXPECT_FALSE(parse_integer("1.5").has_value());
  EXPECT_FALSE(parse_integer("99999999999999999999").has_value());
  EXPECT_FALSE(parse_integer("").has_value());
}

TEST(Number, ByteSizesTakeUnits) {
  EXPECT_EQ(parse_byte_size("4096"), 4096u);
  EXPECT_EQ(parse_byte_size("64K"), 65536u);
  EXPECT_EQ(parse_byte_size("4G"), std::uint64_t{4} << 30);
  EXPECT_EQ(parse_byte_size("1.5m"), 3u << 19);
  EXPECT_EQ(parse_byte_size("2GB"), std::uint64_t{2} << 30);
  for (const char* text : {"", "G", "-1", "4X", "1e30"}) {
    EXPECT_FALSE(parse_byte_size(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace maxmargin
