// SPDX-License-Identifier: Apache-2.0
#include "problem/saddle/weight_saddle.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "weight_cases.hpp"

namespace maxmargin {
namespace {

WeightCertificate random_certificate(Rng& rng, std::size_t n, bool robust) {
  WeightCertificate certificate;
  for (std::size_t i = 0; i < n; ++i) certificate.lambda.push_back(rng.uniform(0, 1));
  for (std::size_t i = 0; i <= n; ++i) certificate.diagonal.push_back(rng.uniform(-0.1, 0.4));
  if (!robust) certificate.kept = rng.uniform(0, 1);
  return certificate;
}

// Any numbers give a bound: random certificates stay below the best choice of examples.
TEST(WeightSaddleBound, RandomCertificatesStayBelowEveryChoice) {
  Rng rng(3);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const std::size_t n = 7;
    const DenseMatrix q = noisy_examples(n, seed, seed % 2 == 0);
    const double robust = brute_force_robust(q.view(), 0.5);
    const double five = brute_force_subset(q.view(), 0.5, 5);
    for (int k = 0; k < 60; ++k) {
      EXPECT_LE(
          weight_saddle_bound({.matrix = q.view(), .c = 0.5}, random_certificate(rng, n, true)),
          robust);
      EXPECT_LE(weight_saddle_bound({.matrix = q.view(), .c = 0.5, .kept = 5.0 / 7},
                                    random_certificate(rng, n, false)),
                five);
    }
  }
}

// The quadratic form of the page at G = s s' for signs s: const - e'y + s'S s is the Lagrangian,
// entry by entry.
TEST(WeightSaddleBound, IsTheLagrangianWhereSIsSingularAlongTheSigns) {
  const DenseMatrix q(1, 1, 3.0);
  // One example, kept: eta = 1, M = 1, the machine max l - 1/2 c q l^2.
  const double l = 0.25;
  const double a = 0.5 * 3.0 * l * l;
  // S = [y0 - a/4, (l - 1 - a)/4; ., y1 - a/4] with S (1, 1)' = 0.
  const double y = a / 4 - (l - 1 - a) / 4;
  const WeightSaddle problem{.matrix = q.view(), .c = 1};
  const WeightCertificate certificate{.lambda = {l}, .diagonal = {y, y}};
  EXPECT_NEAR(weight_saddle_bound(problem, certificate), l - a, 1e-13);
}

// The Cholesky factorisation agrees with the eigenvalues on both sides of the bound.
TEST(WeightSaddleBound, ProofBelowTheBoundAndNoneAbove) {
  Rng rng(7);
  std::size_t tested = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const DenseMatrix q = noisy_examples(6, seed, false);
    const WeightSaddle problem{.matrix = q.view(), .c = 0.2};
    const WeightCertificate certificate = random_certificate(rng, 6, true);
    const double bound = weight_saddle_bound(problem, certificate);
    EXPECT_TRUE(proves_weight_bound(problem, certificate, 0));
    if (bound <= 0) continue;
    ++tested;
    EXPECT_TRUE(proves_weight_bound(problem, certificate, bound * (1 - 1e-9)));
    EXPECT_FALSE(proves_weight_bound(problem, certificate, bound * (1 + 1e-6)));
  }
  EXPECT_GT(tested, 0U);
}

TEST(WeightSaddleBound, WrongSizesAndRangesAreRefused) {
  const DenseMatrix q = golden_r();
  const WeightSaddle problem{.matrix = q.view(), .c = 1};
  const WeightCertificate good{.lambda = std::vector<double>(7, 0.1),
                               .diagonal = std::vector<double>(8, 0.1)};
  EXPECT_NO_THROW((void)weight_saddle_bound(problem, good));
  WeightCertificate wrong = good;
  wrong.diagonal.pop_back();
  EXPECT_THROW((void)weight_saddle_bound(problem, wrong), InvalidArgument);
  wrong = good;
  wrong.lambda[2] = 1.5;
  EXPECT_THROW((void)weight_saddle_bound(problem, wrong), InvalidArgument);
  wrong = good;
  wrong.kept = 0.5;  // the robust hinge has the price 1
  EXPECT_THROW((void)weight_saddle_bound(problem, wrong), InvalidArgument);
  EXPECT_THROW((void)proves_weight_bound(problem, wrong, 1), InvalidArgument);
  wrong.kept = -1;
  EXPECT_THROW((void)weight_saddle_bound({.matrix = q.view(), .kept = 0.5}, wrong),
               InvalidArgument);
}

TEST(WeightSaddleProblem, IsChecked) {
  DenseMatrix q = golden_r();
  EXPECT_NO_THROW((validate(WeightSaddle{.matrix = q.view(), .kept = 1.0})));
  EXPECT_THROW((validate(WeightSaddle{})), InvalidArgument);
  EXPECT_THROW((validate(WeightSaddle{.matrix = q.view(), .c = 0})), InvalidArgument);
  EXPECT_THROW((validate(WeightSaddle{.matrix = q.view(), .kept = 0.0})), InvalidArgument);
  EXPECT_THROW((validate(WeightSaddle{.matrix = q.view(), .kept = 1.5})), InvalidArgument);
  q(0, 1) += 1;
  EXPECT_THROW((validate(WeightSaddle{.matrix = q.view()})), InvalidArgument);
  q(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((validate(WeightSaddle{.matrix = q.view()})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
