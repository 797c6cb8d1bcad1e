// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/class_saddle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "class_cases.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

/// Any numbers with the right signs.
ClassCertificate random_certificate(const ClassSaddle& problem, double size, Rng& rng) {
  const std::size_t u = problem.unknown().size();
  const std::size_t kappa = problem.classes;
  ClassCertificate any{.lambda = DenseMatrix(problem.size(), kappa),
                       .diagonal = std::vector<double>(u),
                       .rows = std::vector<double>(u),
                       .sizes = std::vector<double>(kappa),
                       .entries = DenseMatrix(u, u),
                       .memberships = DenseMatrix(u, kappa),
                       .corner = DenseMatrix(kappa, kappa)};
  for (std::size_t i = 0; i < problem.size(); ++i) {
    double sum = 0;
    for (double& x : any.lambda.row(i)) sum += x = rng.uniform();
    for (double& x : any.lambda.row(i)) x /= sum;
  }
  for (double& x : any.diagonal) x = -rng.uniform(0, size);
  for (double& x : any.rows) x = rng.normal(0, 0.1 * size);
  for (double& x : any.sizes) x = rng.normal(0, 0.1 * size);
  for (double& x : any.entries.values()) x = rng.uniform(0, 0.3 * size);
  for (double& x : any.memberships.values()) x = rng.uniform(0, 0.3 * size);
  for (double& x : any.corner.values()) x = rng.normal(0, size);
  return any;
}

// The certificate needs no solver: whatever its numbers, no labelling is below the bound.
TEST(ClassSaddleBound, RandomCertificatesStayBelowEveryLabelling) {
  Rng rng(11);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(6, 2, seed), 0.7);
    const std::vector<std::int32_t> known = seed % 2 == 0
                                                ? std::vector<std::int32_t>{}
                                                : std::vector<std::int32_t>{0, -1, 1, -1, -1, 2};
    const ClassSaddle problem = class_problem(gram, 2, 3, 0.2, known);
    const double best = best_labelling_omega(problem, 150);
    double largest = -std::numeric_limits<double>::infinity();
    for (int k = 0; k < 200; ++k) {
      const double size = std::pow(10.0, rng.uniform(-3, 0.5));
      largest =
          std::max(largest, class_saddle_bound(problem, random_certificate(problem, size, rng)));
    }
    EXPECT_LE(largest, best);
    EXPECT_GT(largest, -100);
  }
}

// The bound at a feasible pair can be followed by hand: it is below q's value there for every
// certificate, and the function agrees with the twin in Xu's units (seed-xu fact 14).
TEST(ClassSaddleFunction, EqualsTheFormInXusUnits) {
  Rng rng(3);
  const DenseMatrix gram = rbf_gram(normal_points(5, 2, 1), 0.7);
  const ClassSaddle problem = class_problem(gram, 0.4, 3, 0.4);
  const DenseMatrix d = indicator({0, 1, 2, 1, 0}, 3);
  const DenseMatrix m = equivalence(d);
  const DenseMatrix lambda = random_certificate(problem, 1, rng).lambda;
  EXPECT_NEAR(class_saddle_function(problem, m.view(), d.view(), lambda.view()),
              xu_dual(lambda, m, d, gram, 0.4),
              1e-12);
  // For hard labels that is n - <D, L> - C/2 tr (D - L)'K(D - L).
  double expected = 5;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t r = 0; r < 3; ++r) {
      expected -= d(i, r) * lambda(i, r);
      for (std::size_t j = 0; j < 5; ++j) {
        expected -= (d(i, r) - lambda(i, r)) * gram(i, j) * (d(j, r) - lambda(j, r)) / (2 * 0.4);
      }
    }
  }
  EXPECT_NEAR(class_saddle_function(problem, m.view(), d.view(), lambda.view()), expected, 1e-12);
}

// seed-xu fact 15: omega is convex in (M, D).
TEST(ClassSaddleFunction, OmegaIsConvex) {
  const DenseMatrix gram = rbf_gram(normal_points(5, 2, 2), 0.7);
  const DenseMatrix d1 = indicator({0, 1, 2, 1, 0}, 3);
  const DenseMatrix d2 = indicator({2, 2, 0, 1, 1}, 3);
  const DenseMatrix m1 = equivalence(d1);
  const DenseMatrix m2 = equivalence(d2);
  DenseMatrix d(5, 3);
  DenseMatrix m(5, 5);
  for (std::size_t k = 0; k < 15; ++k) {
    d.values()[k] = (d1.values()[k] + d2.values()[k]) / 2;
  }
  for (std::size_t k = 0; k < 25; ++k) {
    m.values()[k] = (m1.values()[k] + m2.values()[k]) / 2;
  }
  const double middle = xu_omega(m, d, gram, 0.5);
  EXPECT_LT(middle, (xu_omega(m1, d1, gram, 0.5) + xu_omega(m2, d2, gram, 0.5)) / 2);
}

// One point of unknown class, nothing but the diagonal: M = 1, D e = e, so omega is 1 - 1/kappa -
// C/2 K (1 - 1/kappa) without sizes, and the diagonal's multiplier proves it.
TEST(ClassSaddleBound, OnePointIsSharp) {
  const DenseMatrix gram(1, 1, 0.8);
  const ClassSaddle problem{
      .matrix = gram.view(), .c = 0.5, .classes = 3, .least = {0, 0, 0}, .most = {1, 1, 1}};
  const double third = 1.0 / 3;
  ClassCertificate certificate{.lambda = DenseMatrix(1, 3, third),
                               .diagonal = {-0.25 * 0.8},
                               .rows = {0},
                               .sizes = {0, 0, 0},
                               .entries = DenseMatrix(1, 1),
                               .memberships = DenseMatrix(1, 3),
                               .corner = DenseMatrix(3, 3)};
  const double expected = (1 - third) * (1 - 0.25 * 0.8);
  EXPECT_NEAR(class_saddle_bound(problem, certificate), expected, 1e-13);
  // A larger one is paid for by the eigenvalue: (1 - 1/kappa) each, less what the trace counts
  // twice (the classes' own block).
  certificate.diagonal = {-0.25 * 0.8 + 0.1};
  EXPECT_LT(class_saddle_bound(problem, certificate), expected);
}

TEST(ClassSaddleBound, RefusesWrongCertificates) {
  const DenseMatrix gram = golden_mc();
  const ClassSaddle problem = class_problem(gram, 0.5, 3, 0.1, {0, -1, 1, -1, 2, -1});
  Rng rng(1);
  const ClassCertificate good = random_certificate(problem, 1, rng);
  EXPECT_NO_THROW((void)class_saddle_bound(problem, good));
  const auto refuses = [&](const auto& spoil) {
    ClassCertificate bad = good;
    spoil(bad);
    EXPECT_THROW((void)class_saddle_bound(problem, bad), InvalidArgument);
  };
  refuses([](ClassCertificate& bad) { bad.lambda(0, 0) = -0.1; });
  refuses([](ClassCertificate& bad) { bad.lambda(0, 0) += 0.1; });
  refuses([](ClassCertificate& bad) { bad.entries(1, 0) = -1e-9; });
  refuses([](ClassCertificate& bad) { bad.memberships(1, 0) = -1e-9; });
  refuses([](ClassCertificate& bad) { bad.diagonal.push_back(0); });
  refuses([](ClassCertificate& bad) { bad.rows[0] = std::nan(""); });
  refuses([](ClassCertificate& bad) { bad.sizes.clear(); });
  refuses([](ClassCertificate& bad) { bad.corner = DenseMatrix(2, 2); });
}

TEST(ClassSaddle, RefusesWhatIsNoProblem) {
  const DenseMatrix gram = golden_mc();
  const ClassSaddle good = class_problem(gram, 0.5, 3, 0.1);
  EXPECT_NO_THROW(good.validate());
  const auto refuses = [&](const auto& spoil) {
    ClassSaddle bad = good;
    spoil(bad);
    EXPECT_THROW(bad.validate(), InvalidArgument);
  };
  refuses([](ClassSaddle& bad) { bad.matrix = {}; });
  refuses([](ClassSaddle& bad) { bad.c = 0; });
  refuses([](ClassSaddle& bad) { bad.classes = 1; });
  refuses([](ClassSaddle& bad) { bad.labels = {0}; });
  refuses([](ClassSaddle& bad) { bad.labels = {0, 3, -1, -1, -1, -1}; });
  refuses([](ClassSaddle& bad) { bad.least = {3, 3, 3}; });
  refuses([](ClassSaddle& bad) { bad.most = {1, 1, 1}; });
  // More points known than the class may have.
  refuses([](ClassSaddle& bad) { bad.labels = {0, 0, 0, -1, -1, -1}; });
  DenseMatrix skew = gram;
  skew(1, 0) += 1;
  refuses([&](ClassSaddle& bad) { bad.matrix = skew.view(); });
  DenseMatrix broken = gram;
  broken(2, 2) = std::numeric_limits<double>::quiet_NaN();
  refuses([&](ClassSaddle& bad) { bad.matrix = broken.view(); });
}

}  // namespace
}  // namespace maxmargin
