// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/structural_hinge.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace maxmargin {
namespace {

/// The truth 0 has one feature of 0.8, the rival 1 one of `rival`, whom the argmax always finds.
struct StubbornTask {
  using Input = int;
  using Output = int;
  static constexpr bool exact_oracle = false;
  double rival = 0;

  static std::size_t dimension() { return 1; }
  void joint_features(int /*x*/, int y, FeatureVector& psi) const {
    psi.add(0, y == 0 ? 0.8 : rival);
  }
  static double loss(int truth, int other) { return truth == other ? 0.0 : 0.1; }
  static int predict(int /*x*/, std::span<const double> /*w*/) { return 1; }
  static int loss_augmented_argmax(int /*x*/, int /*truth*/, std::span<const double> /*w*/) {
    return 1;
  }
};

struct Asked {
  std::uint64_t misses = 0;
  StructuralPlane plane = {};
};

Asked ask(double rival, int truth = 0) {
  const StubbornTask task{.rival = rival};
  const std::array inputs = {0};
  const std::array outputs = {truth};
  const StructuralHinge<StubbornTask> risk(task, inputs, outputs);
  Asked asked;
  risk.largest_plane(0, std::vector<double>{1.0}, asked.plane);
  asked.misses = risk.misses();
  return asked;
}

TEST(StructuralHingeMisses, ARivalBelowTheTruthIsAMissAndTheTruthStandsIn) {
  const Asked below = ask(0.6);
  EXPECT_EQ(below.misses, 1u);
  EXPECT_EQ(below.plane.offset, 0);
  EXPECT_TRUE(below.plane.slope.empty());
  EXPECT_EQ(ask(0.75).misses, 0u);
  EXPECT_EQ(ask(0.75).plane.offset, 0.1);
  // The truth itself is none.
  EXPECT_EQ(ask(0.6, 1).misses, 0u);
}

TEST(StructuralHingeMisses, ATieThatRoundingBreaksIsNoMiss) {
  // 0.1 + 0.7 and 0.8 are equal, but in numbers the loss is less than the difference of scores.
  ASSERT_LT(0.1 - (0.8 - 0.7), 0);
  const Asked tie = ask(0.7);
  EXPECT_EQ(tie.misses, 0u);
  EXPECT_EQ(tie.plane.offset, 0);
  // A rival that is below by more than rounding is one, however little it is.
  EXPECT_EQ(ask(0.7 - 1e-8).misses, 1u);
}

}  // namespace
}  // namespace maxmargin
