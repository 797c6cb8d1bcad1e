// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/require.hpp"

#include <gtest/gtest.h>

#include <string>

namespace maxmargin {
namespace {

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no exception";
}

TEST(Require, SaysNothingWhenTheRuleHolds) {
  EXPECT_NO_THROW(require(true, "x"));
  EXPECT_NO_THROW(require_field(true, "A.b", 1, "> 0"));
  EXPECT_NO_THROW(require_field(true, "A.b", "c", "a name"));
}

TEST(Require, MessagesNameTheFieldTheValueAndTheRule) {
  EXPECT_EQ(message_of([] { require(false, "no rows"); }), "no rows");
  EXPECT_EQ(message_of([] { require_field(false, "SmoOptions.tolerance", -1, "> 0"); }),
            "SmoOptions.tolerance = -1, must be > 0");
  EXPECT_EQ(message_of([] { require_field(false, "kernel", "rbv", "a kernel"); }),
            "kernel = rbv, must be a kernel");
  EXPECT_EQ(message_of([] { require_field(false, "c", 0.1, "< 0"); }), "c = 0.1, must be < 0");
}

TEST(Error, PlacesAreWrittenWhereTheyAreKnown) {
  EXPECT_STREQ(FileError("f.csv", "cannot be opened").what(), "f.csv: cannot be opened");
  EXPECT_STREQ(ParseError("f", {.line = 3, .column = 7}, "a number was expected").what(),
               "f:3:7: a number was expected");
  EXPECT_STREQ(ParseError("f", {.line = 3}, "too short").what(), "f:3: too short");
  EXPECT_STREQ(ParseError("f", {}, "not an NPY file").what(), "f: not an NPY file");
  const ModelFormatError error("m.model", {.line = 2}, "newer version");
  EXPECT_EQ(error.file(), "m.model");
  EXPECT_EQ(error.place().line, 2u);
}

TEST(Error, AllKindsAreCaughtAsError) {
  EXPECT_THROW(throw InvalidArgument("x"), Error);
  EXPECT_THROW(throw ModelFormatError("f", {}, "x"), ParseError);
  EXPECT_THROW(throw ParseError("f", {}, "x"), FileError);
  EXPECT_THROW(throw InternalError("x"), Error);
  EXPECT_STREQ(InternalError("n < 0").what(), "internal error (please report): n < 0");
}

}  // namespace
}  // namespace maxmargin
