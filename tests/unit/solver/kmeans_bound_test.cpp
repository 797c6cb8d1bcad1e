// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/kmeans_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/solver/kmeans.hpp"
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

TEST(KmeansBound, RejectsWrongInput) {
  EXPECT_THROW((void)kmeans_lower_bound(matrix(1, {1, 2}).view(), 0), InvalidArgument);
  EXPECT_THROW((void)kmeans_lower_bound(DenseMatrix().view(), 1), InvalidArgument);
  EXPECT_THROW((void)kmeans_lower_bound(matrix(1, {1, NAN}).view(), 1), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
