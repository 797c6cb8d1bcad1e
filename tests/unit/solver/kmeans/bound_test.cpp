// SPDX-License-Identifier: Apache-2.0
#include "solver/kmeans/bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "exhaustive_kmeans.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/solver/kmeans/kmeans.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

TEST(KmeansBound, IsTheSumOfTheSmallEigenvaluesInAKnownCase) {
  // A rectangle: scatter diag(4 a^2, 4 b^2).
  const DenseMatrix points = matrix(2, {3, 1, 3, -1, -3, 1, -3, -1});
  EXPECT_NEAR(kmeans_lower_bound(points.view(), 1), 40, 1e-11);
  EXPECT_NEAR(kmeans_lower_bound(points.view(), 2), 4, 1e-11);
  EXPECT_EQ(kmeans_lower_bound(points.view(), 3), 0);
  EXPECT_EQ(kmeans_lower_bound(points.view(), 9), 0);
  // The two ends are the best pair here: the bound is met.
  EXPECT_NEAR(solve_kmeans(points.view(), {.k = 2}).inertia, 4, 1e-12);
}

TEST(KmeansBound, GramAndScatterGiveTheSame) {
  const DenseMatrix wide = gaussian_points(12, 40, 1);
  DenseMatrix padded(45, 40);  // zero weight keeps the extra rows out of it
  std::vector<double> weights(45, 0.0);
  for (std::size_t i = 0; i < 12; ++i) {
    std::ranges::copy(wide.row(i), padded.row(i).begin());
    weights[i] = 1;
  }
  const SparseMatrix sparse = to_sparse(wide.view());
  for (const std::size_t k : {1u, 3u, 7u}) {
    const double through_gram = kmeans_lower_bound(wide.view(), k);
    EXPECT_NEAR(through_gram, kmeans_lower_bound(padded.view(), k, weights), 1e-10);
    EXPECT_NEAR(through_gram, kmeans_lower_bound(sparse.view(), k), 1e-10);
  }
}

/// Small integers: any offset below 2^50 can be added without rounding, and the optimum is known.
DenseMatrix small_integers(std::size_t n, std::size_t d, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix points(n, d);
  for (double& x : points.values()) x = static_cast<double>(rng.index(4));
  return points;
}

TEST(KmeansBound, NeverExceedsTheOptimumWhateverTheOffset) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const std::size_t n = 5 + seed % 4;
    const std::size_t d = seed % 2 == 0 ? 2 : 9;  // by the scatter matrix and by the Gram matrix
    const DenseMatrix points = small_integers(n, d, seed);
    for (std::size_t k = 1; k <= 3; ++k) {
      const double optimum = test::solve_kmeans_exhaustive(points.view(), k).inertia;
      const double unshifted = kmeans_lower_bound(points.view(), k);
      EXPECT_LE(unshifted, optimum);
      for (int exponent = 20; exponent <= 50; exponent += 2) {
        DenseMatrix shifted = points;
        for (double& x : shifted.values()) x += std::ldexp(1.0, exponent) + 1;
        const double bound = kmeans_lower_bound(shifted.view(), k);
        EXPECT_LE(bound, optimum) << "seed " << seed << ", k " << k << ", 2^" << exponent;
        EXPECT_GE(bound, unshifted * (1 - 1e-9) - 1e-9);  // nor is it thrown away
        EXPECT_LE(*solve_kmeans(shifted.view(), {.k = k, .restarts = 1}).report.lower_bound,
                  optimum);
        EXPECT_LE(kmeans_lower_bound(to_sparse(shifted.view()).view(), k), optimum);
      }
    }
  }
}

TEST(KmeansBound, RoundingOfTheMeanIsTakenOff) {
  // Two columns, one of them far from the origin; the best pair is {y = 0} and {y = 100}.
  DenseMatrix points = matrix(2, {0, 0, 1, 0, 2, 0, 0, 100, 1, 100, 2, 100, 1, 100});
  const double optimum = test::solve_kmeans_exhaustive(points.view(), 2).inertia;
  for (std::size_t i = 0; i < points.rows(); ++i) points(i, 0) += 1e15;
  EXPECT_LE(kmeans_lower_bound(points.view(), 2), optimum);
  // The mean of two neighbouring numbers lies between them.
  const double next = std::nextafter(1e8, 2e8);
  const double gap = next - 1e8;
  EXPECT_LE(kmeans_lower_bound(matrix(1, {1e8, next}).view(), 1), gap * gap / 2);
}

TEST(KmeansBound, ARowOfWeightZeroDoesNotMatter) {
  const DenseMatrix points = matrix(1, {1e17, 0.3, 0.7, 0.4, 0.6});
  const double bound = kmeans_lower_bound(points.view(), 1, std::vector<double>{0, 1, 1, 1, 1});
  EXPECT_LE(bound, 0.1);
  EXPECT_NEAR(bound, 0.1, 1e-14);
}

TEST(KmeansBound, RejectsWrongInput) {
  EXPECT_THROW((void)kmeans_lower_bound(matrix(1, {1, 2}).view(), 0), InvalidArgument);
  EXPECT_THROW((void)kmeans_lower_bound(DenseMatrix().view(), 1), InvalidArgument);
  EXPECT_THROW((void)kmeans_lower_bound(matrix(1, {1, NAN}).view(), 1), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
