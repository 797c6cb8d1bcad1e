// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/timer.hpp"

#include <gtest/gtest.h>

#include <string>

namespace maxmargin {
namespace {

std::vector<std::string> names_of(const std::vector<std::pair<std::string, double>>& phases) {
  std::vector<std::string> names;
  for (const auto& [name, seconds] : phases) names.push_back(name);
  return names;
}

TEST(Stopwatch, NeverRunsBackwards) {
  const Stopwatch watch;
  double last = watch.seconds();
  EXPECT_GE(last, 0);
  for (int i = 0; i < 1000; ++i) {
    const double now = watch.seconds();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(PhaseTimer, KeepsPhasesInTheOrderTheyBeganAndAddsUpRepeatedOnes) {
  PhaseTimer timer;
  timer.enter("read");
  timer.enter("solve");
  timer.enter("read");
  timer.leave();
  timer.leave();  // nothing runs: no effect
  timer.enter("write");
  const auto phases = timer.finish();
  EXPECT_EQ(names_of(phases), (std::vector<std::string>{"read", "solve", "write"}));
  for (const auto& [name, seconds] : phases) EXPECT_GE(seconds, 0) << name;
}

TEST(PhaseTimer, StartsAfreshAfterFinish) {
  PhaseTimer timer;
  EXPECT_TRUE(timer.finish().empty());
  timer.enter("a");
  EXPECT_EQ(timer.finish().size(), 1u);
  timer.enter("b");
  EXPECT_EQ(names_of(timer.finish()), (std::vector<std::string>{"b"}));
}

}  // namespace
}  // namespace maxmargin
