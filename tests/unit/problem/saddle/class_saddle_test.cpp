// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/saddle/class_saddle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "class_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"

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

/// Six points: no class known with equal ranges, or two or three known with different ones.
std::vector<ClassSaddle> six_point_problems(const DenseMatrix& gram) {
  ClassSaddle two = class_problem(gram, 0.5, 3, 0.2, {-1, 1, -1, -1, 0, 1});
  two.least = {1, 2, 0};
  two.most = {3, 4, 1};
  ClassSaddle three = class_problem(gram, 2, 3, 0.2, {0, -1, 1, -1, -1, 2});
  three.least = {1, 1.5, 0.5};
  three.most = {2.5, 4, 2};
  return {class_problem(gram, 2, 3, 0.2), two, three};
}

// The certificate needs no solver: whatever its numbers, the bound is below the function at its own
// Lambda for every labelling, hence below omega.
TEST(ClassSaddleBound, RandomCertificatesStayBelowEveryLabelling) {
  Rng rng(11);
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(6, 2, seed), 0.7);
    for (const ClassSaddle& problem : six_point_problems(gram)) {
      for (int k = 0; k < 100; ++k) {
        const double size = std::pow(10.0, rng.uniform(-3, 0.5));
        const ClassCertificate any = random_certificate(problem, size, rng);
        const double bound = class_saddle_bound(problem, any);
        double least = std::numeric_limits<double>::infinity();
        for_each_labelling(problem, [&](const std::vector<std::int32_t>& labels) {
          const DenseMatrix d = indicator(labels, 3);
          least = std::min(
              least,
              class_saddle_function(problem, equivalence(d).view(), d.view(), any.lambda.view()));
        });
        EXPECT_LE(bound, least);
      }
    }
  }
}

/// Makes S = 0, so that nothing is paid for its eigenvalues, from any Lambda, rows and sizes: the
/// diagonal and the entries take S_M, the memberships S_D but for a number a row.
ClassCertificate without_slack(const ClassSaddle& problem, ClassCertificate any) {
  const std::vector<std::size_t> unknown = problem.unknown();
  const std::vector<std::size_t> sizes = problem.known_sizes();
  // Below 0 enough that the entries are nowhere negative.
  for (double& b : any.rows) b -= 3 * problem.c;
  any.corner = DenseMatrix(problem.classes, problem.classes);
  for (std::size_t j = 0; j < unknown.size(); ++j) {
    for (std::size_t k = 0; k < unknown.size(); ++k) {
      const double left =
          -problem.c / 2 * problem.matrix(unknown[j], unknown[k]) - (any.rows[j] + any.rows[k]) / 2;
      any.entries(j, k) = j == k ? 0.0 : left;
      if (j == k) any.diagonal[j] = left;
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < problem.classes; ++r) {
      double left =
          -any.lambda(unknown[j], r) - any.sizes[r] - any.rows[j] * static_cast<double>(sizes[r]);
      for (std::size_t i = 0; i < problem.size(); ++i) {
        const bool own = !problem.labels.empty() && problem.labels[i] == static_cast<int>(r);
        left += problem.c * problem.matrix(unknown[j], i) * (any.lambda(i, r) - (own ? 1.0 : 0.0));
      }
      any.memberships(j, r) = left;
      least = std::min(least, left);
    }
    for (double& x : any.memberships.row(j)) x -= least;
  }
  return any;
}

/// What the multipliers of a certificate charge a labelling for entries, memberships and sizes that
/// are not at their limits.
double charged(const ClassSaddle& problem, const ClassCertificate& given, const DenseMatrix& d) {
  const std::vector<std::size_t> unknown = problem.unknown();
  const DenseMatrix m = equivalence(d);
  double sum = 0;
  for (std::size_t j = 0; j < unknown.size(); ++j) {
    const std::size_t i = unknown[j];
    for (std::size_t k = 0; k < unknown.size(); ++k) {
      sum += given.entries(j, k) * m(i, unknown[k]);
    }
    for (std::size_t r = 0; r < problem.classes; ++r) sum += given.memberships(j, r) * d(i, r);
    double size = 0;
    for (const double same : m.row(i)) size += same;
    const double b = given.rows[j];
    sum += b * (size - (b > 0 ? problem.row_least() : problem.row_most()));
  }
  for (std::size_t r = 0; r < problem.classes; ++r) {
    double size = 0;
    for (std::size_t i = 0; i < problem.size(); ++i) size += d(i, r);
    const double a = given.sizes[r];
    sum += a * (size - (a > 0 ? problem.least[r] : problem.most[r]));
  }
  return sum;
}

// Where S = 0 the bound is sharp to the last term: a labelling is above it by exactly what the
// multipliers charge it for.
TEST(ClassSaddleBound, IsBelowEachLabellingByWhatItIsCharged) {
  Rng rng(12);
  const DenseMatrix gram = rbf_gram(normal_points(6, 2, 3), 0.7);
  for (const ClassSaddle& problem : six_point_problems(gram)) {
    for (int k = 0; k < 10; ++k) {
      const ClassCertificate proof = without_slack(problem, random_certificate(problem, 1, rng));
      const double bound = class_saddle_bound(problem, proof);
      std::size_t labellings = 0;
      for_each_labelling(problem, [&](const std::vector<std::int32_t>& labels) {
        const DenseMatrix d = indicator(labels, 3);
        const double here =
            class_saddle_function(problem, equivalence(d).view(), d.view(), proof.lambda.view());
        EXPECT_NEAR(here - bound, charged(problem, proof, d), 1e-10);
        ++labellings;
      });
      EXPECT_GT(labellings, 3U);
    }
  }
}

// The function agrees with the twin in Xu's units (seed-xu fact 14).
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

// A problem may come from a file.
TEST(ClassSaddleBound, RefusesWhatIsNoProblem) {
  const DenseMatrix gram = golden_mc();
  const ClassSaddle good = class_problem(gram, 0.5, 3, 0.1, {0, -1, 1, -1, 2, -1});
  Rng rng(1);
  const ClassCertificate proof = random_certificate(good, 1, rng);
  const auto refuses = [&](const auto& spoil) {
    ClassSaddle bad = good;
    spoil(bad);
    EXPECT_THROW((void)class_saddle_bound(bad, proof), InvalidArgument);
  };
  refuses([](ClassSaddle& bad) { bad.c = std::nan(""); });
  refuses([](ClassSaddle& bad) { bad.labels = {0, -1, -1, -1}; });
  refuses([](ClassSaddle& bad) { bad.labels = {0, -1, 1, -1, 1000, -1}; });
  refuses([](ClassSaddle& bad) { bad.least = {1}; });
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
  EXPECT_NO_THROW(validate(good));
  const auto refuses = [&](const auto& spoil) {
    ClassSaddle bad = good;
    spoil(bad);
    EXPECT_THROW(validate(bad), InvalidArgument);
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
