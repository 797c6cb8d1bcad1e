// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/structured/alignment.hpp"

#include <gtest/gtest.h>

#include "alignment_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

using enum AlignmentStep;

constexpr AlignmentRule q4_known_rule = {.shift = 4, .side = AlignmentSide::known};

// seed-yu fact 33: figures 4.4 and 4.5 of the thesis.
TEST(AlignmentQuality, FiguresOfTheThesis) {
  const Alignment reference = alignment_of_rows("-AECD", "EACC-");
  const Alignment other = alignment_of_rows("A-ECD", "EACC-");
  EXPECT_EQ(right_matches(reference, other, q_rule), 2u);
  EXPECT_DOUBLE_EQ(1 - alignment_quality(reference, other, q_rule), 1.0 / 3);
  EXPECT_EQ(1 - alignment_quality(reference, other, q4_rule), 0.0);
  EXPECT_DOUBLE_EQ(1 - alignment_quality(reference, other, q4_known_rule), 1.0 / 3);
}

// seed-yu fact 33.
TEST(AlignmentQuality, IsOneForTheReferenceAndZeroForNothing) {
  const Alignment reference = alignment_of_rows("-AECD", "EACC-");
  EXPECT_EQ(alignment_quality(reference, reference), 1.0);
  EXPECT_EQ(alignment_quality(reference, {}), 0.0);
}

TEST(AlignmentQuality, ShiftsOfFourAreRightAndOfFiveAreNot) {
  const Alignment reference = {0, 0, {match}};
  EXPECT_EQ(right_matches(reference, {0, 4, {match}}, q4_rule), 1u);
  EXPECT_EQ(right_matches(reference, {0, 5, {match}}, q4_rule), 0u);
  EXPECT_EQ(right_matches(reference, {4, 0, {match}}, q4_rule), 0u);
  EXPECT_EQ(right_matches(reference, {4, 0, {match}}, q4_known_rule), 1u);
  EXPECT_EQ(right_matches(reference, {5, 0, {match}}, q4_known_rule), 0u);
  EXPECT_EQ(right_matches({0, 9, {match}}, {0, 5, {match}}, q4_rule), 1u);
  EXPECT_EQ(right_matches({0, 9, {match}}, {0, 4, {match}}, q4_rule), 0u);
}

// seed-yu facts 34 and 35; the rule "either side" would break them.
TEST(AlignmentQuality, LiesInUnitIntervalAndGrowsWithTheShift) {
  Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t m = 1 + rng.index(8);
    const std::size_t n = 1 + rng.index(8);
    const Alignment reference = random_alignment(m, n, rng);
    const Alignment predicted = random_alignment(m, n, rng);
    for (const AlignmentSide side : {AlignmentSide::target, AlignmentSide::known}) {
      double before = alignment_quality(reference, predicted, q_rule);
      for (const std::size_t shift : {0u, 1u, 2u, 4u, 100u}) {
        const double quality = alignment_quality(reference, predicted, {shift, side});
        EXPECT_GE(quality, before);
        EXPECT_LE(quality, 1.0);
        before = quality;
      }
    }
  }
}

// seed-yu 3.7: the example on which "either" counts two matches of one.
TEST(AlignmentQuality, AReferenceMatchCountsOnce) {
  const Alignment reference = {1, 1, {match}};
  const Alignment predicted = {0, 1, {match, match}};
  EXPECT_EQ(right_matches(reference, predicted, q4_rule), 1u);
  EXPECT_EQ(right_matches(reference, predicted, q4_known_rule), 1u);
}

TEST(AlignmentQuality, AReferenceWithoutMatchesIsRefused) {
  EXPECT_THROW(static_cast<void>(alignment_quality(alignment_of_rows("A-", "-C"), {})),
               InvalidArgument);
}

TEST(AlignmentQuality, MeansCountPairsAlike) {
  const Alignment one = alignment_of_rows("A", "A");
  const Alignment three = alignment_of_rows("ACD", "ACD");
  EXPECT_DOUBLE_EQ(mean_alignment_quality(std::vector{one, three}, std::vector{one, Alignment{}}),
                   0.5);
  EXPECT_THROW(static_cast<void>(mean_alignment_quality({}, {})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(mean_alignment_quality(std::vector{one}, {})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
