// SPDX-License-Identifier: Apache-2.0
// solve_smo beside the plain SMO of the documents.
#include <gtest/gtest.h>

#include "point_sets.hpp"
#include "smo_twin.hpp"
#include "solver/smo/smo.hpp"
#include "svm_problems.hpp"

namespace maxmargin {
namespace {

using testing::gram_by_formula;
using testing::random_signs;
using testing::random_weights;
using testing::SmoTwin;

struct TwinCase {
  Kernel kernel = Rbf{};
  double c = 1;
  DenseMatrix k = {};
  std::vector<std::int8_t> signs = {};
  std::vector<double> weights = {};

  TwinCase(std::uint64_t seed, const Kernel& with, double cost, std::size_t n = 40)
      : kernel(with), c(cost) {
    Rng rng(seed, "twin");
    DenseMatrix x = gaussian_points(n, 3, seed);
    signs = random_signs(n, rng);
    for (std::size_t i = 0; i < n; ++i) x(i, 0) += signs[i];
    std::ranges::copy(x.row(0), x.row(2).begin());  // equal points
    k = gram_by_formula(kernel, x);
    weights = random_weights(n, rng);
  }
  [[nodiscard]] SmoTwin twin() const {
    std::vector<double> bounds;
    for (const double weight : weights) bounds.push_back(c * weight);
    return {k, {signs.begin(), signs.end()}, bounds};
  }
};

std::vector<TwinCase> twin_cases() {
  return {{1, Rbf{.gamma = 0.5}, 1},
          {2, Rbf{.gamma = 2}, 50},
          {3, Linear{}, 0.05},
          {4, Linear{}, 2},
          {5, Polynomial{.gamma = 0.5, .coef0 = 1, .degree = 2}, 0.3}};
}

TEST(SmoTwin, TheSlopeOfTheDualAlongAPairIsTheDifferenceOfErrors) {  // seed-merat fact 6
  const TwinCase problem(7, Rbf{.gamma = 0.4}, 3);
  SmoTwin twin = problem.twin();
  twin.solve_keerthi(1e-3, 30);  // somewhere inside
  const auto dual_at = [&](std::size_t first, std::size_t second, double t) {
    std::vector<double> a = twin.a();
    a[second] += t;
    a[first] -= problem.signs[first] * problem.signs[second] * t;
    double value = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      value += a[i];
      for (std::size_t j = 0; j < a.size(); ++j) {
        value -= 0.5 * a[i] * a[j] * problem.signs[i] * problem.signs[j] * problem.k(i, j);
      }
    }
    return value;
  };
  for (const auto& [first, second] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 1}, {5, 9}, {11, 12}, {3, 30}, {38, 20}}) {
    const double h = 1e-4;
    const double slope = (dual_at(first, second, h) - dual_at(first, second, -h)) / (2 * h);
    EXPECT_NEAR(slope, problem.signs[second] * (twin.error(first) - twin.error(second)), 1e-8);
    // At the unclipped step the slope is gone.
    const double t = twin.unclipped(first, second) - twin.a()[second];
    const double after = (dual_at(first, second, t + h) - dual_at(first, second, t - h)) / (2 * h);
    EXPECT_NEAR(after, 0, 1e-8);
  }
}

TEST(SmoTwin, TheThresholdAfterAFreeStepMakesTheFirstErrorZero) {  // seed-merat fact 6
  const TwinCase problem(8, Rbf{.gamma = 0.4}, 100);
  SmoTwin twin = problem.twin();
  // Opposite signs: both coefficients grow and stay far below the bound.
  ASSERT_NE(twin.platt_step(0, 1), 0);
  EXPECT_NEAR(twin.error(0), 0, 1e-12);
  EXPECT_NEAR(twin.error(1), 0, 1e-12);
}

TEST(SmoTwin, NoStepLowersTheDual) {  // seed-merat fact 7
  for (const Kernel& kernel : {Kernel{Rbf{.gamma = 1}}, Kernel{Sigmoid{.gamma = 1, .coef0 = -1}}}) {
    const TwinCase problem(9, kernel, 2, 15);
    SmoTwin twin = problem.twin();
    Rng rng(9);
    double before = twin.dual();
    for (int step = 0; step < 2000; ++step) {
      const std::size_t first = rng.index(15);
      const std::size_t second = rng.index(15);
      if (first == second) continue;
      twin.platt_step(first, second);
      ASSERT_GE(twin.dual(), before - 1e-10);
      before = twin.dual();
    }
    EXPECT_GT(before, 0);
  }
}

TEST(SmoTwin, OneThresholdTwoThresholdsAndTwoLevelsAgree) {  // seed-merat fact 12
  for (const TwinCase& problem : twin_cases()) {
    SmoTwin keerthi = problem.twin();
    SmoTwin platt = problem.twin();
    ASSERT_LT(keerthi.solve_keerthi(1e-8, 200000), 200000U);
    ASSERT_LT(platt.solve_platt(1e-6, 200000), 200000U);
    const HeldMatrix held{DenseMatrix(problem.k)};
    const SmoSolution ours = solve_smo(
        c_svc_dual(held, problem.signs, problem.weights, {.c = problem.c}), {.tolerance = 1e-9});
    EXPECT_EQ(ours.report.status, Status::solved);
    const double dual = keerthi.dual();
    EXPECT_NEAR(platt.dual(), dual, 1e-5 * dual);
    EXPECT_NEAR(*ours.report.dual_objective, dual, 1e-7 * dual);
    // Both thresholds are one, up to the flat stretch of a problem without free vectors.
    EXPECT_NEAR(ours.offsets.at(0), -keerthi.threshold(), 1e-4);
    EXPECT_NEAR(platt.threshold(), keerthi.threshold(), 1e-4);
    for (std::size_t i = 0; i < problem.signs.size(); ++i) {
      EXPECT_NEAR(ours.values[i], keerthi.u(i), 1e-4);
    }
  }
}

}  // namespace
}  // namespace maxmargin
