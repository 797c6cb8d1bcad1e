// SPDX-License-Identifier: Apache-2.0
// Starts, races between restarts, and products with few and many centres.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/solver/kmeans/kmeans.hpp"

namespace maxmargin {
namespace {

/// Ten clouds of radius about 3 sqrt(20) around points of the cube [-10, 10]^20.
DenseMatrix ten_clouds(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix centres(10, 20);
  for (double& x : centres.values()) x = 20 * rng.uniform() - 10;
  DenseMatrix points(n, 20);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < 20; ++j) points(i, j) = centres(i % 10, j) + 3 * rng.normal();
  }
  return points;
}

/// Sum of squares around the means of the clouds the points were drawn from.
double planted_inertia(const DenseMatrix& points) {
  DenseMatrix means(10, points.cols());
  const double share = 10.0 / static_cast<double>(points.rows());
  double sum = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.cols(); ++j) means(i % 10, j) += share * points(i, j);
  }
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.cols(); ++j) {
      sum += std::pow(points(i, j) - means(i % 10, j), 2);
    }
  }
  return sum;
}

// Drawing one candidate a step finds the clouds in 3 of these 20 cases, and Lloyd's method does not
// mend a cloud without a centre; the best of four finds them in 15.
TEST(KmeansRestarts, OneStartFindsTenSeparateCloudsForMostSeeds) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const DenseMatrix points = ten_clouds(500, seed);
    const KmeansSolution one =
        solve_kmeans(points.view(), {.k = 10, .restarts = 1, .context = {.seed = seed}});
    found += one.inertia <= planted_inertia(points) * (1 + 1e-9) ? 1 : 0;
  }
  EXPECT_GE(found, 12);
}

TEST(KmeansRestarts, TheRaceReturnsAFixedPointNoWorseThanItsFirstRun) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Rng rng(seed);
    DenseMatrix points(400, 3);
    for (double& x : points.values()) x = rng.uniform();
    const KmeansSolution one =
        solve_kmeans(points.view(), {.k = 12, .restarts = 1, .context = {.seed = seed}});
    const KmeansSolution many =
        solve_kmeans(points.view(), {.k = 12, .restarts = 8, .context = {.seed = seed}});
    EXPECT_EQ(many.restarts, 8u);
    EXPECT_EQ(many.report.status, Status::solved);
    EXPECT_LE(many.inertia, one.inertia * (1 + 1e-12));
    const KmeansSolution again =
        solve_kmeans(points.view(), {.k = 12, .start_centres = many.centres, .max_iterations = 2});
    EXPECT_EQ(again.labels, many.labels);
  }
}

TEST(KmeansRestarts, AStopInTheMiddleOfTheRaceReturnsNearestCentres) {
  Rng rng(4);
  DenseMatrix points(3000, 5);
  for (double& x : points.values()) x = rng.uniform();
  for (const int calls : {1, 5, 20, 60}) {
    int left = calls;
    const KmeansSolution cut =
        solve_kmeans(points.view(),
                     {.k = 9, .restarts = 10, .context = {.on_progress = [&](const Progress&) {
                                                return --left > 0 ? Continue::yes : Continue::stop;
                                              }}});
    ASSERT_EQ(cut.labels.size(), 3000u);
    const KmeansSolution next =
        solve_kmeans(points.view(), {.k = 9, .start_centres = cut.centres, .max_iterations = 1});
    EXPECT_LE(next.inertia, cut.inertia * (1 + 1e-12));
    EXPECT_NE(cut.report.status, Status::solved);
  }
}

class KmeansCentres : public testing::TestWithParam<std::size_t> {};

// Up to 32 centres are multiplied by our own loops, more by BLAS.
TEST_P(KmeansCentres, EveryLabelIsTheNearestCentre) {
  const std::size_t k = GetParam();
  Rng rng(k);
  DenseMatrix points(700, 7);
  for (double& x : points.values()) x = rng.normal();
  const KmeansSolution solution =
      solve_kmeans(points.view(), {.k = k, .restarts = 2, .context = {.seed = 1}});
  ASSERT_EQ(solution.report.status, Status::solved);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    double own = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < k; ++c) {
      double distance = 0;
      for (std::size_t j = 0; j < points.cols(); ++j) {
        distance += std::pow(points(i, j) - solution.centres(c, j), 2);
      }
      least = std::min(least, distance);
      if (static_cast<std::size_t>(solution.labels[i]) == c) own = distance;
    }
    ASSERT_LE(own, least + 1e-12) << "row " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    AroundWholeRegisters,
    KmeansCentres,
    testing::Values(std::size_t{1}, 2u, 7u, 8u, 9u, 16u, 17u, 24u, 25u, 31u, 32u, 33u, 40u));

}  // namespace
}  // namespace maxmargin
