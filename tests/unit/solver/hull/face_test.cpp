// SPDX-License-Identifier: Apache-2.0
// The rule by which an affine face takes a point, and its nearest point to 0.
#include "solver/hull/face.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace maxmargin {
namespace {

using Number = AffineFace::Number;
using Vector = AffineFace::Vector;

constexpr Number unit = std::numeric_limits<Number>::epsilon();

Number dot(const Vector& a, const Vector& b) {
  Number sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

/// The nearest point is the combination that its weights say, and all points of the face are as far
/// along it as itself.
void expect_nearest(const AffineFace& face, Number slack) {
  const AffineFace::Nearest found = face.nearest();
  Number sum = 0;
  Vector combined(found.point.size(), 0);
  for (std::size_t k = 0; k < face.size(); ++k) {
    sum += found.weights[k];
    for (std::size_t j = 0; j < combined.size(); ++j) {
      combined[j] += found.weights[k] * face.point(k)[j];
    }
  }
  EXPECT_NEAR(static_cast<double>(sum), 1, 1e-15);
  for (std::size_t j = 0; j < combined.size(); ++j) {
    EXPECT_NEAR(static_cast<double>(combined[j] - found.point[j]), 0, static_cast<double>(slack));
  }
  const Number square = dot(found.point, found.point);
  for (std::size_t k = 0; k < face.size(); ++k) {
    EXPECT_NEAR(static_cast<double>(dot(face.point(k), found.point) - square),
                0,
                static_cast<double>(slack));
  }
}

TEST(AffineFace, TakesAPointWhoseEdgeLeavesTheSpanByMoreThanRounding) {
  // The third point is off the line through the others by a share of its edge.
  for (const Number share : {1e-3L, 1e-10L, 1e-16L, 1000 * unit, 65 * unit}) {
    SCOPED_TRACE(static_cast<double>(share));
    AffineFace face;
    EXPECT_TRUE(face.add({1, -3, 0}));
    EXPECT_TRUE(face.add({1, 5, 0}));
    EXPECT_TRUE(face.add({1, 1, 4 * share}));
    EXPECT_EQ(face.size(), 3U);
  }
}

TEST(AffineFace, RefusesAPointOfTheirAffineHull) {
  for (const Number share : {Number{0}, unit, 60 * unit}) {
    SCOPED_TRACE(static_cast<double>(share));
    AffineFace face;
    EXPECT_TRUE(face.add({1, -3, 0}));
    EXPECT_FALSE(face.add({1, -3, 0})) << "the same point again";
    EXPECT_TRUE(face.add({1, 5, 0}));
    EXPECT_FALSE(face.add({1, 1, 4 * share}));
    EXPECT_FALSE(face.add({1, -11, 8 * share})) << "beyond the ends";
    // Nothing happened.
    EXPECT_EQ(face.size(), 2U);
    expect_nearest(face, 0);
    EXPECT_EQ(face.nearest().point, (Vector{1, 0, 0}));
  }
}

TEST(AffineFace, TheRuleIsARelationToTheEdgeAndNotToItsPlace) {
  // Far from 0, and with edges of any length, the same points are taken.
  for (const Number length : {0x1p-30L, 1.0L, 0x1p30L}) {
    for (const Number place : {0.0L, 0x1p40L}) {
      AffineFace face;
      EXPECT_TRUE(face.add({place, 0, 0}));
      EXPECT_TRUE(face.add({place, length, 0}));
      EXPECT_FALSE(face.add({place, length / 2, 0}));
      EXPECT_TRUE(face.add({place, length / 2, length * 1e-12L}));
    }
  }
}

TEST(AffineFace, FindsThePointNearestToZeroAfterPointsCameAndWent) {
  AffineFace face;
  ASSERT_TRUE(face.add({3, 1, 0, 2}));
  ASSERT_TRUE(face.add({1, -2, 1, 1}));
  ASSERT_TRUE(face.add({0, 1, 4, -1}));
  ASSERT_TRUE(face.add({2, 2, 1, 1}));
  expect_nearest(face, 1e-17L);
  for (const std::size_t gone : {1U, 0U, 1U}) {
    face.remove(gone);
    expect_nearest(face, 1e-17L);
  }
  EXPECT_EQ(face.size(), 1U);
  // A point that was left out may come back.
  EXPECT_TRUE(face.add({3, 1, 0, 2}));
  expect_nearest(face, 1e-17L);
}

}  // namespace
}  // namespace maxmargin
