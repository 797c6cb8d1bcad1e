// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/buffer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

std::vector<int> contents(const Buffer<int>& buffer) {
  return std::vector<int>(buffer.begin(), buffer.end());
}

TEST(Buffer, BehavesLikeAVectorUnderPushAndAppend) {
  Buffer<int> buffer;
  std::vector<int> expected;
  EXPECT_TRUE(buffer.empty());
  for (int i = 0; i < 1000; ++i) {
    buffer.push_back(i);
    expected.push_back(i);
    if (i % 7 == 0) {
      const std::array<int, 3> more = {i, -i, 5};
      buffer.append(more);
      expected.insert(expected.end(), more.begin(), more.end());
    }
  }
  EXPECT_EQ(contents(buffer), expected);
  EXPECT_EQ(buffer.size(), expected.size());
}

TEST(Buffer, FillsCopiesMovesAndSwaps) {
  const Buffer<int> sevens(3, 7);
  EXPECT_EQ(contents(sevens), (std::vector<int>{7, 7, 7}));
  Buffer<int> copy = sevens;
  copy[1] = 0;
  EXPECT_EQ(contents(sevens), (std::vector<int>{7, 7, 7}));
  EXPECT_EQ(contents(copy), (std::vector<int>{7, 0, 7}));
  const int* data = copy.data();
  Buffer<int> moved = std::move(copy);
  EXPECT_EQ(moved.data(), data);
  EXPECT_TRUE(copy.empty());  // NOLINT(bugprone-use-after-move): moved from, it is empty
  EXPECT_TRUE(copy.span().empty());
  copy = Buffer<int>(2, 1);  // a moved-from buffer can be used again
  EXPECT_EQ(contents(copy), (std::vector<int>{1, 1}));
  moved.swap(copy);
  EXPECT_EQ(contents(moved), (std::vector<int>{1, 1}));
  const Buffer<int>& alias = moved;
  moved = alias;
  EXPECT_EQ(contents(moved), (std::vector<int>{1, 1}));
}

TEST(Buffer, ResizeKeepsWhatFitsAndReserveKeepsTheSize) {
  Buffer<int> buffer(4, 3);
  buffer.reserve(1000);
  const int* data = buffer.data();
  EXPECT_EQ(buffer.size(), 4u);
  buffer.resize(1000);
  EXPECT_EQ(buffer.data(), data) << "reserved room is used";
  buffer.resize(2);
  buffer.shrink_to_fit();
  EXPECT_EQ(contents(buffer), (std::vector<int>{3, 3}));
  buffer.clear();
  EXPECT_TRUE(buffer.empty());
  buffer.shrink_to_fit();
  buffer.push_back(9);
  EXPECT_EQ(contents(buffer), (std::vector<int>{9}));
}

TEST(Buffer, OfNothingIsUsable) {
  Buffer<int> buffer(0);
  EXPECT_EQ(buffer.begin(), buffer.end());
  buffer.append({});
  buffer.reserve(0);
  buffer.shrink_to_fit();
  const Buffer<int> copy = buffer;
  EXPECT_TRUE(copy.empty());
  EXPECT_TRUE(copy.span().empty());
}

TEST(Buffer, AppendTakesItsOwnElements) {
  Buffer<int> buffer;
  for (int i = 0; i < 5; ++i) buffer.push_back(i);
  buffer.shrink_to_fit();  // so that appending has to move the elements
  buffer.append(buffer.span());
  EXPECT_EQ(contents(buffer), (std::vector<int>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
  buffer.shrink_to_fit();
  buffer.push_back(buffer[3]);
  EXPECT_EQ(buffer[10], 3);
}

TEST(Buffer, SizesThatDoNotFitAreRefused) {
  Buffer<double> buffer;
  EXPECT_THROW(buffer.reserve(static_cast<std::size_t>(-1)), InvalidArgument);
  EXPECT_EQ(buffer.size(), 0u);
}

}  // namespace
}  // namespace maxmargin
