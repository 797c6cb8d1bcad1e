// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/svm_dual.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "point_sets.hpp"
#include "svm_problems.hpp"

namespace maxmargin {
namespace {

using testing::dual_by_formula;
using testing::gram_by_formula;
using testing::primal_at_offsets;
using testing::primal_by_search;
using testing::problems_of_every_kind;
using testing::random_feasible;

constexpr double infinity = std::numeric_limits<double>::infinity();

double sum_error(const SvmDual& problem, std::span<const double> b) {
  std::vector<double> sums(problem.group_sum.size(), 0.0);
  for (std::size_t v = 0; v < b.size(); ++v) {
    if (!problem.group.empty()) sums[problem.group[v]] += b[v];
  }
  double worst = 0;
  for (std::size_t g = 0; g < sums.size(); ++g) {
    worst = std::max(worst, std::abs(sums[g] - problem.group_sum[g]));
  }
  return worst;
}

/// Anything the struct allows: groups, ridges on some variables, shared rows, bounds on either
/// side of zero.
SvmDual random_dual(const SymmetricMatrix& matrix, Rng& rng) {
  SvmDual dual;
  dual.matrix = &matrix;
  const std::size_t count = 2 * matrix.size();
  dual.group_sum.assign(2, 0.0);
  for (std::size_t v = 0; v < count; ++v) {
    const double a = rng.uniform(-1, 1);
    const double width = rng.bernoulli(0.2) ? 0.0 : rng.uniform(0, 2);
    dual.linear.push_back(rng.normal());
    dual.lower.push_back(a);
    dual.upper.push_back(a + width);
    dual.ridge.push_back(rng.bernoulli(0.5) ? rng.uniform(0.1, 2) : 0.0);
    dual.row.push_back(static_cast<std::uint32_t>(rng.index(matrix.size())));
    dual.group.push_back(static_cast<std::uint32_t>(rng.index(2)));
    dual.group_sum[dual.group[v]] += a + rng.uniform() * width;
  }
  return dual;
}

TEST(SvmDualResiduals, EqualTheFormulasOnEveryKindOfProblem) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Rng rng(seed, "residuals");
    const DenseMatrix k = gram_by_formula(Rbf{.gamma = 0.3}, gaussian_points(14, 3, seed));
    const HeldMatrix held{DenseMatrix(k)};
    for (const auto& [name, problem] : problems_of_every_kind(held, seed)) {
      SCOPED_TRACE(name);
      const std::vector<double> b = random_feasible(problem, rng);
      const SvmDualResiduals found = residuals(problem, b);
      EXPECT_NEAR(found.dual, dual_by_formula(problem, k, b), 1e-10);
      const double primal = primal_by_search(problem, k, b);
      EXPECT_NEAR(found.primal, primal, 1e-8 * (1 + std::abs(primal)));
      EXPECT_NEAR(found.primal,
                  primal_at_offsets(problem, k, b, found.offsets),
                  1e-10 * (1 + std::abs(primal)));
      EXPECT_EQ(found.bound_violation, 0);
      EXPECT_NEAR(found.sum_violation, sum_error(problem, b), 1e-12);
    }
  }
}

TEST(SvmDualResiduals, EqualTheFormulasOnAnyProblemTheTypeCanHold) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed, "any problem");
    const DenseMatrix k = gram_by_formula(Linear{}, gaussian_points(6, 2, seed));
    const HeldMatrix held{DenseMatrix(k)};
    const SvmDual problem = random_dual(held, rng);
    const std::vector<double> b = random_feasible(problem, rng);
    const SvmDualResiduals found = residuals(problem, b);
    EXPECT_NEAR(found.dual, dual_by_formula(problem, k, b), 1e-10);
    const double primal = primal_by_search(problem, k, b);
    EXPECT_NEAR(found.primal, primal, 1e-7 * (1 + std::abs(primal))) << "seed " << seed;
    EXPECT_GE(found.primal, found.dual - 1e-9);
  }
}

TEST(SvmDualResiduals, NoPrimalPointLiesBelowADualPoint) {
  const Examples examples = gaussian_points(12, 2, 4);
  const HeldMatrix held(gram_by_formula(Rbf{.gamma = 0.7}, examples));
  for (const auto& [name, problem] : problems_of_every_kind(held, 4, true)) {
    SCOPED_TRACE(name);
    Rng rng(4, "weak duality");
    double most_dual = -infinity;
    double least_primal = infinity;
    for (int draw = 0; draw < 200; ++draw) {
      const SvmDualResiduals found = residuals(problem, random_feasible(problem, rng));
      ASSERT_GE(found.primal, found.dual - 1e-9);
      most_dual = std::max(most_dual, found.dual);
      least_primal = std::min(least_primal, found.primal);
    }
    EXPECT_GE(least_primal, most_dual - 1e-9);
  }
}

TEST(SvmDualResiduals, MeasureHowFarAPointIsOutside) {
  const HeldMatrix held(matrix(2, {1, 0, 0, 1}));
  const std::vector<std::int8_t> signs = {1, -1};
  const std::vector<double> weights = {1, 1};
  const SvmDual problem = c_svc_dual(held, signs, weights, {.c = 1});
  const SvmDualResiduals above = residuals(problem, std::vector<double>{1.5, -1});
  EXPECT_DOUBLE_EQ(above.bound_violation, 0.5);
  EXPECT_DOUBLE_EQ(above.sum_violation, 0.5);
  const SvmDualResiduals below = residuals(problem, std::vector<double>{-0.25, -1});
  EXPECT_DOUBLE_EQ(below.bound_violation, 0.25);
  EXPECT_DOUBLE_EQ(below.sum_violation, 1.25);
}

TEST(SvmDualResiduals, OfAHardMarginScaleThePointUntilAllMarginsHold) {
  // x = -1, 0 against 2: the widest street is at 1 with half width 1.
  const DenseMatrix x = matrix(1, {-1, 0, 2});
  const HeldMatrix held(gram_by_formula(Linear{}, x));
  const std::vector<std::int8_t> signs = {-1, -1, 1};
  const std::vector<double> weights = {1, 1, 1};
  const SvmDual problem = c_svc_dual(held, signs, weights, {.c = infinity});
  // w = 2 a for the pair (0, 2): any a > 0 points the right way.
  for (const double a : {0.1, 0.5, 3.0}) {
    const SvmDualResiduals found = residuals(problem, std::vector<double>{0, -a, a});
    EXPECT_NEAR(found.primal, 0.5, 1e-12);
    EXPECT_NEAR(found.dual, 2 * a - 2 * a * a, 1e-12);
    // f = 2 a x; the offset belongs to this f.
    EXPECT_NEAR(found.offsets.at(0), -2 * a, 1e-12);
  }
  EXPECT_EQ(residuals(problem, std::vector<double>{0, 0, 0}).primal, infinity);
  // Without bias the street must go through the origin, on which a point lies: no such w.
  const SvmDual through = c_svc_dual(held, signs, weights, {.c = infinity, .bias = false});
  EXPECT_EQ(residuals(through, std::vector<double>{-1, 0, 1}).primal, infinity);
}

TEST(SvmDualResiduals, OfOneFreeVariableAreTheParabola) {
  // No group, K = 2, ridge 1, linear -3: D(b) = 3 b - 3/2 b^2, at best 3/2 in b = 1.
  const HeldMatrix held(matrix(1, {2}));
  SvmDual problem{.matrix = &held, .linear = {-3}, .lower = {-infinity}, .upper = {infinity}};
  problem.ridge = {1};
  const SvmDualResiduals best = residuals(problem, std::vector<double>{1});
  EXPECT_DOUBLE_EQ(best.dual, 1.5);
  EXPECT_DOUBLE_EQ(best.primal, 1.5);
  EXPECT_GT(residuals(problem, std::vector<double>{0.5}).primal, 1.5);
}

TEST(SvmDual, RejectsPartsThatDoNotFit) {
  const HeldMatrix held(matrix(2, {1, 0, 0, 1}));
  const std::vector<std::int8_t> signs = {1, -1};
  const std::vector<double> weights = {1, 1};
  const SvmDual good = c_svc_dual(held, signs, weights, {});
  EXPECT_NO_THROW(validate(good));
  const auto spoiled = [&](const std::function<void(SvmDual&)>& spoil) {
    SvmDual bad = good;
    spoil(bad);
    return bad;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const SvmDual& bad : {spoiled([](SvmDual& p) { p.matrix = nullptr; }),
                             spoiled([](SvmDual& p) { p.lower.pop_back(); }),
                             spoiled([](SvmDual& p) { p.upper.push_back(1); }),
                             spoiled([](SvmDual& p) { p.ridge = {1}; }),
                             spoiled([](SvmDual& p) { p.row = {0}; }),
                             spoiled([](SvmDual& p) {
                               p.row = {0, 2};
                             }),
                             spoiled([](SvmDual& p) {
                               p.group = {0, 1};
                             }),
                             spoiled([](SvmDual& p) { p.group = {0}; }),
                             spoiled([](SvmDual& p) { p.group_sum = {1.5}; }),
                             spoiled([](SvmDual& p) { p.lower[0] = 2; }),
                             spoiled([&](SvmDual& p) { p.linear[1] = nan; }),
                             spoiled([&](SvmDual& p) { p.upper[1] = nan; }),
                             spoiled([&](SvmDual& p) { p.lower[1] = nan; }),
                             spoiled([&](SvmDual& p) { p.group_sum[0] = nan; }),
                             spoiled([&](SvmDual& p) {
                               p.ridge = {nan, 0};
                             }),
                             spoiled([](SvmDual& p) {
                               p.ridge = {-1, 0};
                             })}) {
    EXPECT_THROW(validate(bad), InvalidArgument);
  }
  EXPECT_THROW(static_cast<void>(residuals(good, std::vector<double>{0})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
