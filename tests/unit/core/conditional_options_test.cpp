// SPDX-License-Identifier: Apache-2.0
#include "core/conditional_options.hpp"

#include <gtest/gtest.h>

#include <string>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

/// A value with a check of its own, shown through visitors that forward.
struct Shown {
  bool holds = true;
  bool counts = true;
  void describe(OptionVisitor& visit) {
    ForwardingOptions same(visit);
    ConditionalOptions some(same, counts, "needs something else");
    some.check([this] {
      if (!holds) throw InvalidArgument("the check is broken");
    });
  }
};

std::string problem_of(const Shown& shown) {
  try {
    validate(shown);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

TEST(ConditionalOptions, ForwardsChecksWhereTheConditionHolds) {
  EXPECT_EQ(problem_of({.holds = true, .counts = true}), "none");
  EXPECT_EQ(problem_of({.holds = false, .counts = true}), "the check is broken");
  EXPECT_EQ(problem_of({.holds = false, .counts = false}), "none");
}

}  // namespace
}  // namespace maxmargin
