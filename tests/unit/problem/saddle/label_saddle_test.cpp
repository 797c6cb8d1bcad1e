// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/saddle/label_saddle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "label_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {
namespace {

// Any numbers give a bound: random certificates stay below the best labelling.
TEST(LabelSaddleBound, RandomCertificatesStayBelowEveryLabelling) {
  Rng rng(3);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::size_t n = 7;
    const DenseMatrix gram = rbf_gram(normal_points(n, 2, seed), 0.8);
    const double best = brute_force_labels(gram.view(), 5, 1).omega;
    for (int k = 0; k < 40; ++k) {
      LabelCertificate certificate;
      for (std::size_t i = 0; i < n; ++i) {
        certificate.lambda.push_back(rng.uniform(0, 0.4));
        certificate.diagonal.push_back(rng.uniform(0, 0.2));
        certificate.balance.push_back(rng.uniform(-0.02, 0.02));
      }
      LabelSaddle problem{
          .matrix = gram.view(), .c = 5, .balance = LabelBalance::rows, .imbalance = 1};
      EXPECT_LE(label_saddle_bound(problem, certificate), best);
      problem.balance = LabelBalance::total;
      certificate.balance = {rng.uniform(0, 0.02)};
      EXPECT_LE(label_saddle_bound(problem, certificate), best);
      problem.balance = LabelBalance::none;
      certificate.balance = {};
      EXPECT_LE(label_saddle_bound(problem, certificate), best);
    }
  }
}

// The same with labels given and a centre: below every labelling that agrees.
TEST(LabelSaddleBound, RandomCertificatesStayBelowEveryLabellingThatAgrees) {
  Rng rng(4);
  const std::vector<signed char> given = {1, 0, -1, 0, 1, 0, 0};
  const std::size_t n = given.size();
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(n, 2, seed), 0.8);
    double best = std::numeric_limits<double>::infinity();
    for (unsigned bits = 0; bits < (1U << n); ++bits) {
      std::vector<std::int8_t> signs(n);
      int sum = 0;
      bool agrees = true;
      for (std::size_t i = 0; i < n; ++i) {
        signs[i] = ((bits >> i) & 1U) != 0 ? 1 : -1;
        sum += signs[i];
        agrees = agrees && (given[i] == 0 || given[i] == signs[i]);
      }
      if (!agrees || std::abs(sum - 2) > 1) continue;
      best = std::min(best, plain_omega(gram.view(), 5, outer_product(signs).view()));
    }
    LabelSaddle problem{
        .matrix = gram.view(), .c = 5, .imbalance = 1, .centre = 2, .labels = given};
    ASSERT_EQ(label_rows(problem), 5U);
    for (int k = 0; k < 40; ++k) {
      LabelCertificate certificate;
      for (std::size_t i = 0; i < n; ++i) {
        certificate.lambda.push_back(rng.uniform(0, 0.4));
        certificate.balance.push_back(rng.uniform(-0.05, 0.05));
      }
      for (std::size_t i = 0; i < 5; ++i) certificate.diagonal.push_back(rng.uniform(0, 0.2));
      problem.balance = LabelBalance::rows;
      EXPECT_LE(label_saddle_bound(problem, certificate), best);
      problem.balance = LabelBalance::total;
      certificate.balance = {rng.uniform(0, 0.05)};
      EXPECT_LE(label_saddle_bound(problem, certificate), best);
      problem.balance = LabelBalance::none;
      certificate.balance = {};
      EXPECT_LE(label_saddle_bound(problem, certificate), best);
    }
  }
}

// One point: S = y - c K l^2 / 2, and the best y makes it 0.
TEST(LabelSaddleBound, OnePointIsSharp) {
  const DenseMatrix gram(1, 1, 4.0);
  const LabelSaddle problem{.matrix = gram.view(), .c = 1};
  EXPECT_NEAR(label_saddle_bound(problem, {.lambda = {0.25}, .diagonal = {0.125}}), 0.125, 1e-14);
  // A y that is too small costs the eigenvalue what it saves.
  EXPECT_NEAR(label_saddle_bound(problem, {.lambda = {0.25}, .diagonal = {0.0}}), 0.125, 1e-14);
  // One that is too large is paid for.
  EXPECT_NEAR(label_saddle_bound(problem, {.lambda = {0.25}, .diagonal = {0.2}}), 0.05, 1e-14);
}

// The Cholesky factorisation agrees with the eigenvalues on both sides of the bound.
TEST(LabelSaddleBound, ProofBelowTheBoundAndNoneAbove) {
  Rng rng(7);
  std::size_t tested = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::size_t n = 9;
    const DenseMatrix gram = rbf_gram(normal_points(n, 2, seed), 3);
    LabelCertificate certificate{.balance = {rng.uniform(0, 0.01)}};
    for (std::size_t i = 0; i < n; ++i) {
      certificate.lambda.push_back(rng.uniform(0.1, 0.4));
      certificate.diagonal.push_back(rng.uniform(0, 0.1));
    }
    const LabelSaddle problem{
        .matrix = gram.view(), .c = 1, .balance = LabelBalance::total, .imbalance = 1};
    const double bound = label_saddle_bound(problem, certificate);
    if (bound <= 0) continue;
    ++tested;
    EXPECT_TRUE(proves_label_bound(problem, certificate, bound * (1 - 1e-9)));
    EXPECT_FALSE(proves_label_bound(problem, certificate, bound * (1 + 1e-9)));
  }
  EXPECT_GE(tested, 10U);
  const DenseMatrix gram = golden_a();
  const std::vector<double> zeros(6, 0.0);
  EXPECT_TRUE(proves_label_bound({.matrix = gram.view()}, {.lambda = zeros, .diagonal = zeros}, 0));
  EXPECT_FALSE(
      proves_label_bound({.matrix = gram.view()}, {.lambda = zeros, .diagonal = zeros}, 1e-9));
}

TEST(LabelSaddleBound, WrongSizesAndRangesAreRefused) {
  const DenseMatrix gram = golden_a();
  const LabelSaddle problem{.matrix = gram.view()};
  const std::vector<double> zeros(6, 0.0);
  EXPECT_NO_THROW((void)label_saddle_bound(problem, {.lambda = zeros, .diagonal = zeros}));
  EXPECT_THROW((void)label_saddle_bound(problem, {.lambda = {0.5}, .diagonal = zeros}),
               InvalidArgument);
  EXPECT_THROW(
      (void)label_saddle_bound(problem, {.lambda = zeros, .diagonal = zeros, .balance = {1.0}}),
      InvalidArgument);
  EXPECT_THROW(
      (void)label_saddle_bound(problem, {.lambda = std::vector<double>(6, 1.5), .diagonal = zeros}),
      InvalidArgument);
  EXPECT_THROW((void)label_saddle_bound(
                   problem, {.lambda = zeros, .diagonal = std::vector<double>(6, std::nan(""))}),
               InvalidArgument);
  const LabelSaddle total{.matrix = gram.view(), .balance = LabelBalance::total};
  EXPECT_THROW(
      (void)label_saddle_bound(total, {.lambda = zeros, .diagonal = zeros, .balance = {-1.0}}),
      InvalidArgument);
}

TEST(LabelSaddleProblem, IsChecked) {
  DenseMatrix gram = golden_a();
  EXPECT_NO_THROW((validate(LabelSaddle{.matrix = gram.view()})));
  EXPECT_THROW(validate(LabelSaddle{}), InvalidArgument);
  EXPECT_THROW((validate(LabelSaddle{.matrix = gram.view(), .c = 0})), InvalidArgument);
  EXPECT_THROW((validate(LabelSaddle{.matrix = gram.view(), .imbalance = -1})), InvalidArgument);
  gram(0, 1) += 1;
  EXPECT_THROW((validate(LabelSaddle{.matrix = gram.view()})), InvalidArgument);
  gram(0, 1) = gram(1, 0) = std::numeric_limits<double>::infinity();
  EXPECT_THROW((validate(LabelSaddle{.matrix = gram.view()})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
