// SPDX-License-Identifier: Apache-2.0
#include "solver/hull/nearest_points.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/rng.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

struct Planted {
  DenseMatrix points;
  std::vector<std::int8_t> signs;
};

/// Two clouds on either side of the plane u.x = 0, no point nearer to it than the margin, several
/// of each side at the margin within reach of each other.
Planted planted(std::size_t n, std::size_t d, double margin, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<long double> u(d);
  long double square = 0;
  for (long double& x : u) {
    x = rng.normal();
    square += x * x;
  }
  Planted result{gaussian_points(n, d, seed + 1), {}};
  for (std::size_t i = 0; i < n; ++i) {
    result.signs.push_back(i % 2 == 0 ? 1 : -1);
    long double along = 0;
    for (std::size_t j = 0; j < d; ++j) along += u[j] * result.points(i, j);
    const long double wanted =
        result.signs[i] * margin * (i < 4 * d ? 1 : 1 + std::abs(rng.normal()));
    for (std::size_t j = 0; j < d; ++j) {
      const long double x =
          result.points(i, j) - along * u[j] / square + wanted * u[j] / std::sqrt(square);
      result.points(i, j) = static_cast<double>(x);
    }
  }
  return result;
}

/// |sum_i sign_i weight_i x_i|, and whether the weights are convex.
long double combined(const Planted& data, const HullSolution& found, bool offset) {
  std::vector<long double> sum(data.points.cols(), 0);
  long double positive = 0;
  long double negative = 0;
  for (std::size_t i = 0; i < data.signs.size(); ++i) {
    EXPECT_GE(found.weights[i], 0);
    (data.signs[i] > 0 ? positive : negative) += found.weights[i];
    for (std::size_t j = 0; j < sum.size(); ++j) {
      sum[j] += static_cast<long double>(data.signs[i]) * found.weights[i] * data.points(i, j);
    }
  }
  if (offset) {
    EXPECT_NEAR(static_cast<double>(positive), 1, 1e-14);
    EXPECT_NEAR(static_cast<double>(negative), 1, 1e-14);
  } else {
    EXPECT_NEAR(static_cast<double>(positive + negative), 1, 1e-14);
  }
  long double square = 0;
  for (const long double x : sum) square += x * x;
  return std::sqrt(square);
}

TEST(NearestPoints, FindsPlantedMarginsDownToTheDigitsOfTheData) {
  for (const std::size_t d : {2U, 3U, 8U}) {
    for (const double margin : {1e-1, 1e-4, 1e-7, 1e-10}) {
      for (const bool offset : {true, false}) {
        SCOPED_TRACE(std::to_string(d) + " " + format_number(margin) + (offset ? " offset" : ""));
        const Planted data = planted(80, d, margin, 7);
        const HullSolution found = solve_nearest_points(
            {.points = data.points.view(), .signs = data.signs, .offset = offset},
            {.tolerance = 1e-4, .rounding = 1e-14});
        ASSERT_EQ(found.report.status, Status::solved) << found.report.message;
        // Rounded coordinates move the points by 1e-16.
        const double wanted = (offset ? 2 : 1) * margin;
        EXPECT_NEAR(found.distance, wanted, 1e-4 * wanted + 1e-15);
        EXPECT_NEAR(static_cast<double>(combined(data, found, offset)), found.distance, 1e-17);
      }
    }
  }
}

TEST(NearestPoints, HullsThatMeetAreProvedToMeet) {
  std::vector<Planted> cases;
  // Equal points; a point within a segment; clouds that overlap.
  Planted equal{DenseMatrix(2, 2, 1.0), {1, -1}};
  cases.push_back(std::move(equal));
  Planted within{DenseMatrix(3, 2), {1, -1, 1}};
  within.points(0, 0) = -1;
  within.points(2, 0) = 3;
  cases.push_back(std::move(within));
  Planted clouds{gaussian_points(60, 4, 3), {}};
  for (std::size_t i = 0; i < 60; ++i) clouds.signs.push_back(i % 2 == 0 ? 1 : -1);
  cases.push_back(std::move(clouds));
  for (const Planted& data : cases) {
    SCOPED_TRACE(data.signs.size());
    const HullSolution found = solve_nearest_points(
        {.points = data.points.view(), .signs = data.signs}, {.rounding = 1e-13});
    ASSERT_EQ(found.report.status, Status::primal_infeasible) << found.report.message;
    EXPECT_LE(static_cast<double>(combined(data, found, true)), 4e-13);
    EXPECT_NE(found.report.message.find("cannot be separated"), std::string::npos);
  }
}

TEST(NearestPoints, AgreesWithAllFacesInThePlane) {
  // In the plane nearest points are vertices, or a vertex and a point of a segment.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Planted data = planted(12, 2, 0.3, seed);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 12; ++i) {
      for (std::size_t j = 0; j < 12; ++j) {
        if (data.signs[i] != data.signs[j]) continue;
        for (std::size_t k = 0; k < 12; ++k) {
          if (data.signs[k] == data.signs[i]) continue;
          double along = 0;
          double square = 0;
          for (std::size_t c = 0; c < 2; ++c) {
            const double edge = data.points(j, c) - data.points(i, c);
            along += edge * (data.points(k, c) - data.points(i, c));
            square += edge * edge;
          }
          const double t = square > 0 ? std::clamp(along / square, 0.0, 1.0) : 0.0;
          double distance = 0;
          for (std::size_t c = 0; c < 2; ++c) {
            const double at = data.points(i, c) + t * (data.points(j, c) - data.points(i, c));
            distance += (at - data.points(k, c)) * (at - data.points(k, c));
          }
          least = std::min(least, std::sqrt(distance));
        }
      }
    }
    const HullSolution found = solve_nearest_points(
        {.points = data.points.view(), .signs = data.signs}, {.tolerance = 1e-10});
    EXPECT_EQ(found.report.status, Status::solved);
    EXPECT_NEAR(found.distance, least, 1e-9 * least);
  }
}

TEST(NearestPoints, GivesTheSameBitsForAnyNumberOfThreads) {
  const Planted data = planted(3000, 5, 1e-6, 11);
  const HullProblem problem{.points = data.points.view(), .signs = data.signs};
  const HullSolution one = solve_nearest_points(problem, {.context = {.threads = 1}});
  const HullSolution four = solve_nearest_points(problem, {.context = {.threads = 4}});
  EXPECT_EQ(one.weights, four.weights);
  EXPECT_EQ(one.direction, four.direction);
}

TEST(NearestPoints, CanBeStoppedAndWantsBothSigns) {
  const Planted data = planted(80, 5, 1e-3, 2);
  const HullProblem problem{.points = data.points.view(), .signs = data.signs};
  const HullSolution stopped = solve_nearest_points(
      problem, {.context = {.on_progress = [](const Progress&) { return Continue::stop; }}});
  EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
  const std::vector<std::int8_t> same(80, 1);
  EXPECT_THROW(
      static_cast<void>(solve_nearest_points({.points = data.points.view(), .signs = same})),
      InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
