// SPDX-License-Identifier: Apache-2.0
#include "solver/crammer_singer/interior.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "point_sets.hpp"
#include "solver/crammer_singer/class_normal.hpp"

namespace maxmargin {
namespace {

using crammer_singer::InteriorCoefficients;
using crammer_singer::solve_interior;

/// Clouds of k classes that overlap, some examples without a cost; feature j is `ratio`^j as large.
struct UnscaledClouds {
  DenseMatrix points;
  CrammerSinger problem;

  UnscaledClouds(std::size_t n, std::size_t d, std::size_t k, double ratio, std::uint64_t seed)
      : points(gaussian_points(n, d, seed)) {
    Rng rng(seed, "clouds");
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t cls = i % k;
      points(i, cls % d) += 2;
      for (std::size_t j = 0; j < d; ++j) points(i, j) *= std::pow(ratio, double(j));
      problem.classes.push_back(static_cast<std::int32_t>(cls));
      problem.costs.push_back(i % 11 == 10 ? 0.0 : rng.uniform(0.5, 1.5));
    }
    problem.class_count = k;
    problem.points = PointRows(points.view());
  }
};

double gap_of(const CrammerSinger& problem, const InteriorCoefficients& found) {
  const CrammerSingerResiduals at = residuals(problem, found.coefficients.view());
  EXPECT_EQ(at.bound_violation, 0);
  EXPECT_LE(at.sum_violation, 1e-14);
  EXPECT_GE(at.primal, at.dual);
  return relative_gap(at.primal, at.dual);
}

TEST(CrammerSingerInterior, EmptyRowsGainTheirCost) {
  // No function sees them: each adds its cost to both objectives, at a corner.
  for (const std::size_t k : {2U, 4U}) {
    UnscaledClouds clouds(60, 3, k, 1, 15);
    for (const std::size_t i : {0U, 7U, 31U}) std::ranges::fill(clouds.points.row(i), 0.0);
    const InteriorCoefficients found = solve_interior(clouds.problem, {});
    EXPECT_EQ(found.status, Status::solved);
    EXPECT_LE(gap_of(clouds.problem, found), 1e-3);
    for (const std::size_t i : {0U, 7U, 31U}) {
      const std::size_t own = clouds.problem.class_of(i);
      EXPECT_EQ(found.coefficients(i, own), clouds.problem.costs[i]);
    }
  }
}

TEST(CrammerSingerInterior, ReachesAnyGapInFewSteps) {
  for (const std::size_t k : {2U, 3U, 6U}) {
    for (const double ratio : {1.0, 30.0}) {
      const UnscaledClouds clouds(90, 4, k, ratio, 3);
      // Squares of features of 1 to 30^6, about 1e9, leave seven digits of doubles, and sums fewer.
      for (const double tolerance : {1e-3, ratio == 1 ? 1e-9 : 1e-4}) {
        SCOPED_TRACE(std::to_string(k) + " " + std::to_string(ratio));
        const InteriorCoefficients found = solve_interior(clouds.problem, {.tolerance = tolerance});
        EXPECT_EQ(found.status, Status::solved);
        EXPECT_LE(found.steps, 40U);
        EXPECT_LE(gap_of(clouds.problem, found), tolerance);
      }
    }
  }
}

TEST(CrammerSingerInterior, AgreesWithCoordinates) {
  UnscaledClouds clouds(80, 3, 4, 1, 5);
  for (const double bias : {0.0, 1.0}) {
    clouds.problem.bias = bias;
    const CrammerSingerSolution other = solve_crammer_singer(clouds.problem, {.tolerance = 1e-8});
    ASSERT_EQ(other.report.status, Status::solved);
    ASSERT_TRUE(other.report.warnings.empty());
    const InteriorCoefficients found = solve_interior(clouds.problem, {.tolerance = 1e-8});
    const double primal = residuals(clouds.problem, found.coefficients.view()).primal;
    EXPECT_NEAR(primal, *other.report.primal_objective, 2e-8 * primal);
  }
}

TEST(CrammerSingerInterior, TakesOverFromSlowCoordinates) {
  const UnscaledClouds clouds(150, 4, 3, 30, 7);
  const CrammerSingerSolution solution = solve_crammer_singer(clouds.problem, {});
  EXPECT_EQ(solution.report.status, Status::solved);
  ASSERT_EQ(solution.report.warnings.size(), 1U);
  const CrammerSingerResiduals at = residuals(clouds.problem, solution.coefficients.view());
  EXPECT_LE(relative_gap(at.primal, at.dual), 1e-3);
  // Sums of 150 terms of up to 30^6 have seven digits after the point.
  EXPECT_NEAR(at.primal, *solution.report.primal_objective, 1e-6 * at.primal);
  EXPECT_NEAR(at.dual, *solution.report.dual_objective, 1e-6 * at.primal);
  // As many examples at no cost as an exact solution has, or nearly.
  const auto supports = [](const DenseMatrix& t) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < t.rows(); ++i) {
      count += std::ranges::any_of(t.row(i), [](double entry) { return entry != 0; }) ? 1U : 0U;
    }
    return count;
  };
  const InteriorCoefficients exact = solve_interior(clouds.problem, {.tolerance = 1e-9});
  EXPECT_LE(supports(solution.coefficients), 2 * supports(exact.coefficients));
}

TEST(CrammerSingerInterior, DataTimesAPowerOfTwoTakesTheSameSteps) {
  const UnscaledClouds plain(60, 4, 3, 50, 9);
  const InteriorCoefficients expected = solve_interior(plain.problem, {});
  for (const int power : {-100, -20, 1, 60}) {
    UnscaledClouds scaled(60, 4, 3, 50, 9);
    for (double& x : scaled.points.values()) x = std::ldexp(x, power);
    for (double& cost : scaled.problem.costs) cost = std::ldexp(cost, -2 * power);
    const InteriorCoefficients found = solve_interior(scaled.problem, {});
    EXPECT_EQ(found.steps, expected.steps) << power;
    for (std::size_t j = 0; j < expected.coefficients.values().size(); ++j) {
      EXPECT_EQ(std::ldexp(found.coefficients.values()[j], 2 * power),
                expected.coefficients.values()[j]);
    }
  }
}

TEST(CrammerSingerInterior, BitsDoNotDependOnThreads) {
  const UnscaledClouds clouds(700, 5, 4, 30, 11);
  const InteriorCoefficients one = solve_interior(clouds.problem, {.context = {.threads = 1}});
  for (const std::size_t threads : {2U, 4U}) {
    const InteriorCoefficients other =
        solve_interior(clouds.problem, {.context = {.threads = threads}});
    EXPECT_TRUE(std::ranges::equal(one.coefficients.values(), other.coefficients.values()));
  }
}

TEST(CrammerSingerInterior, StopsWhenToldAndAtItsLimit) {
  const UnscaledClouds clouds(60, 4, 3, 50, 13);
  const InteriorCoefficients limited =
      solve_interior(clouds.problem, {.tolerance = 1e-9, .max_iterations = 2});
  EXPECT_EQ(limited.status, Status::iteration_limit);
  EXPECT_EQ(limited.steps, 2U);
  static_cast<void>(gap_of(clouds.problem, limited));
  const InteriorCoefficients stopped =
      solve_interior(clouds.problem,
                     {.tolerance = 1e-9,
                      .context = {.on_progress = [](const Progress&) { return Continue::stop; }}});
  EXPECT_EQ(stopped.status, Status::stopped_by_callback);
  static_cast<void>(gap_of(clouds.problem, stopped));
}

TEST(CrammerSingerInterior, TakesWhatFits) {
  const UnscaledClouds clouds(60, 4, 3, 50, 13);
  EXPECT_TRUE(crammer_singer::interior_takes(clouds.problem, {}));
  EXPECT_FALSE(crammer_singer::interior_takes(clouds.problem, {.memory_limit = 1000}));
  CrammerSinger of_matrix = clouds.problem;
  of_matrix.points = static_cast<const SymmetricMatrix*>(nullptr);
  EXPECT_FALSE(crammer_singer::interior_takes(of_matrix, {}));
}

TEST(CrammerSingerInterior, AStepSolvesItsSystem) {
  // ds and the floors against the equations of the page, with plain sums.
  const std::size_t n = 40;
  const std::size_t k = 3;
  const DenseMatrix x = gaussian_points(n, 2, 17);
  Rng rng(17, "step");
  DenseMatrix theta(n, k);
  DenseMatrix q(n, k);
  std::vector<double> missing(n);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t r = 0; r < k; ++r) {
      theta(a, r) = std::exp(2 * rng.normal());
      q(a, r) = rng.normal();
    }
    missing[a] = rng.normal();
  }
  crammer_singer::ClassNormal normal{DenseMatrix(x), k, 2};
  ASSERT_TRUE(normal.factor(DenseMatrix(theta), {}));
  DenseMatrix ds(n, k);
  std::vector<double> floors(n);
  normal.solve(q, missing, ds, floors);
  for (std::size_t r = 0; r < k; ++r) {
    double w[2] = {0, 0};
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t j = 0; j < 2; ++j) w[j] -= ds(a, r) * x(a, j);
    }
    for (std::size_t a = 0; a < n; ++a) {
      const double v = w[0] * x(a, 0) + w[1] * x(a, 1);
      EXPECT_NEAR(ds(a, r) / theta(a, r), q(a, r) + v + floors[a], 1e-9);
    }
  }
  for (std::size_t a = 0; a < n; ++a) {
    double sum = 0;
    for (std::size_t r = 0; r < k; ++r) sum += ds(a, r);
    EXPECT_NEAR(sum, missing[a], 1e-10);
  }
}

TEST(CrammerSingerInterior, AFailedTakeoverIsNoVerdictOnThePointThatIsKept) {
  // Coordinates give up on features this different; the other method is told to stop at once.
  const UnscaledClouds clouds(300, 4, 3, 30, 23);
  const auto until_takeover = [](const Progress& progress) {
    return progress.phase == "interior point" ? Continue::stop : Continue::yes;
  };
  const CrammerSingerSolution kept = solve_crammer_singer(
      clouds.problem, {.tolerance = 1e-9, .context = {.on_progress = until_takeover}});
  EXPECT_EQ(kept.report.status, Status::stopped_by_callback);
  ASSERT_EQ(kept.report.warnings.size(), 1U);
  EXPECT_NE(kept.report.warnings[0].find("the answer is that of dual coordinate descent"),
            std::string::npos)
      << kept.report.warnings[0];
  const CrammerSingerResiduals at = residuals(clouds.problem, kept.coefficients.view());
  EXPECT_NEAR(*kept.report.primal_objective, at.primal, 1e-9 * at.primal);
  EXPECT_NEAR(*kept.report.dual_objective, at.dual, 1e-9 * at.primal);
}

}  // namespace
}  // namespace maxmargin
