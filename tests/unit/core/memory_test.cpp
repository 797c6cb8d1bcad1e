// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/memory.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();

TEST(Memory, TheMachineHasSomeButNotAllThatCanBeCounted) {
  EXPECT_GT(machine_memory(), std::size_t{1} << 20);
  EXPECT_LT(machine_memory(), largest);
}

TEST(Memory, WhatTheMachineHasIsGrantedAndMoreIsRefused) {
  EXPECT_NO_THROW(require_memory(machine_memory(), "all of it"));
  EXPECT_THROW(require_memory(machine_memory() + 1, "too much"), InvalidArgument);
  EXPECT_NO_THROW(require_memory_for_numbers(1, machine_memory() / 8, "a row"));
  EXPECT_THROW(require_memory_for_numbers(9, machine_memory() / 8, "rows"), InvalidArgument);
  EXPECT_NO_THROW(require_memory_for_numbers(0, largest, "nothing"));
}

TEST(Memory, TheMessageSaysWhatAndHowMuch) {
  try {
    require_memory_for_numbers(std::size_t{1} << 40, std::size_t{1} << 20, "a dense matrix");
    FAIL();
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(
        "a dense matrix of 1099511627776 x 1048576 numbers needs 9223372036.8 GB, more than the "))
        << message;
    EXPECT_TRUE(message.ends_with(" GB of memory of this machine")) << message;
  }
}

}  // namespace
}  // namespace maxmargin
