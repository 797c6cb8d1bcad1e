// SPDX-License-Identifier: Apache-2.0
#include "exhaustive_kmeans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

TEST(KmeansExhaustive, EqualsThePlainWalkOverAllLabellings) {
  const DenseMatrix points = gaussian_points(6, 2, 4);
  for (const std::size_t k : {1u, 2u, 3u}) {
    double best = std::numeric_limits<double>::infinity();
    std::vector<std::size_t> label(6, 0);
    for (std::size_t code = 0; code < 729; ++code) {
      std::size_t rest = code;
      for (auto& l : label) {
        l = rest % 3;
        rest /= 3;
      }
      if (*std::ranges::max_element(label) >= k) continue;
      double cost = 0;
      for (std::size_t c = 0; c < k; ++c) {
        // Sum of squares of a group = sum over its pairs of squared distances / size.
        double pairs = 0;
        double size = 0;
        for (std::size_t i = 0; i < 6; ++i) {
          if (label[i] != c) continue;
          ++size;
          for (std::size_t j = 0; j < i; ++j) {
            if (label[j] == c) pairs += squared_distance(points.row(i), points.row(j));
          }
        }
        if (size > 0) cost += pairs / size;
      }
      best = std::min(best, cost);
    }
    EXPECT_NEAR(test::solve_kmeans_exhaustive(points.view(), k).inertia, best, 1e-13 * (1 + best));
  }
}

TEST(KmeansExhaustive, AnOffsetChangesNothing) {
  const DenseMatrix points = matrix(2, {0, 3, 1, 1, 5, 2, 7, 0, 2, 2, 6, 6, 4, 1});
  for (const double offset : {0x1p30, 0x1p40, 0x1p49}) {
    DenseMatrix shifted = points;
    for (double& x : shifted.values()) x += offset;
    for (const std::size_t k : {1u, 2u, 3u}) {
      const test::ExhaustiveKmeans here = test::solve_kmeans_exhaustive(points.view(), k);
      const test::ExhaustiveKmeans there = test::solve_kmeans_exhaustive(shifted.view(), k);
      EXPECT_EQ(here.labels, there.labels);
      EXPECT_EQ(here.inertia, there.inertia);
    }
  }
}

TEST(KmeansExhaustive, RejectsSquaresThatOverflow) {
  const DenseMatrix far = matrix(1, {1e200, -1e200});
  EXPECT_THROW((void)test::solve_kmeans_exhaustive(far.view(), 1), InvalidArgument);
  const DenseMatrix farther = matrix(1, {1.5e308, -1.5e308});
  EXPECT_THROW((void)test::solve_kmeans_exhaustive(farther.view(), 1), InvalidArgument);
}

TEST(KmeansExhaustive, RejectsMoreThanTwelvePoints) {
  EXPECT_THROW((void)test::solve_kmeans_exhaustive(DenseMatrix(13, 1).view(), 2), InvalidArgument);
  EXPECT_THROW((void)test::solve_kmeans_exhaustive(DenseMatrix(3, 1).view(), 4), InvalidArgument);
  EXPECT_THROW((void)test::solve_kmeans_exhaustive(DenseMatrix(3, 1).view(), 0), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
