// SPDX-License-Identifier: Apache-2.0
#include "learner/verifying.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "core/memory_limit.hpp"

namespace maxmargin {
namespace {

using learning::verified_unless_stopped;

// What throws here would take the model with it that was trained before.
TEST(Verifying, WithoutMemoryNothingIsVerifiedAndNothingIsLost) {
  const Verification none =
      verified_unless_stopped([]() -> Verification { throw std::bad_alloc(); });
  EXPECT_FALSE(none.agrees.has_value());
  EXPECT_EQ(none.complaint, "there is not enough memory to recompute the certificate");
  const Verification limited = verified_unless_stopped([]() -> Verification {
    require_within_limit(1 << 20, 1 << 10, "the certificate", "allow more memory");
    return {.agrees = true};
  });
  EXPECT_FALSE(limited.agrees.has_value());
  EXPECT_NE(limited.complaint.find("the certificate"), std::string::npos) << limited.complaint;
}

TEST(Verifying, FaultsAreNoStops) {
  EXPECT_THROW((void)verified_unless_stopped([]() -> Verification { throw InvalidArgument("x"); }),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
