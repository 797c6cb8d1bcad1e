// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/sizes.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace maxmargin {
namespace {

constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();

TEST(Sizes, SumsAndProductsThatFitAreExact) {
  EXPECT_EQ(checked_add(2, 3), 5u);
  EXPECT_EQ(checked_add(largest, 0), largest);
  EXPECT_EQ(checked_multiply(6, 7), 42u);
  EXPECT_EQ(checked_multiply(largest, 1), largest);
  EXPECT_EQ(checked_multiply(0, largest), 0u);
  EXPECT_EQ(checked_multiply(largest / 3, 3), largest / 3 * 3);
}

TEST(Sizes, OverflowIsAnErrorThatNamesTheNumbers) {
  EXPECT_THROW((void)checked_add(largest, 1), InvalidArgument);
  EXPECT_THROW((void)checked_multiply(largest / 2 + 1, 2), InvalidArgument);
  try {
    (void)checked_multiply(std::size_t{1} << 40, std::size_t{1} << 30);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "size 1099511627776 x 1073741824 does not fit the address space");
  }
}

TEST(Sizes, NarrowKeepsValuesThatFitAndRefusesOthers) {
  EXPECT_EQ(narrow<std::int32_t>(std::size_t{2147483647}), 2147483647);
  EXPECT_THROW((void)narrow<std::int32_t>(std::size_t{2147483648}), InternalError);
  EXPECT_THROW((void)narrow<std::int32_t>(largest), InternalError);
  EXPECT_EQ(narrow<std::int64_t>(std::int32_t{-5}), -5);
  EXPECT_THROW((void)narrow<std::size_t>(-1), InternalError);
  EXPECT_THROW((void)narrow<std::uint32_t>(std::int64_t{-1}), InternalError);
  EXPECT_EQ(narrow<std::uint8_t>(255), 255);
  EXPECT_THROW((void)narrow<std::uint8_t>(256), InternalError);
}

}  // namespace
}  // namespace maxmargin
