// SPDX-License-Identifier: Apache-2.0
#include "problem/crammer_singer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "point_sets.hpp"
#include "simplex_ascent.hpp"

namespace maxmargin {
namespace {

/// Rows on the probability simplex.
DenseMatrix random_lambda(std::size_t n, std::size_t k, Rng& rng) {
  DenseMatrix lambda(n, k);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (double& value : lambda.row(i)) sum += value = rng.exponential();
    for (double& value : lambda.row(i)) value /= sum;
  }
  return lambda;
}

std::vector<std::int32_t> random_classes(std::size_t n, std::size_t k, Rng& rng) {
  std::vector<std::int32_t> classes;
  for (std::size_t i = 0; i < n; ++i) classes.push_back(static_cast<std::int32_t>(rng.index(k)));
  return classes;
}

// seed-xu fact 14
TEST(CrammerSinger, DualIsXusEquivalenceFormForHardLabels) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    Rng rng(seed);
    const std::size_t n = 8;
    const std::size_t k = 3;
    const double beta = rng.uniform(0.2, 3);
    const DenseMatrix kernel = gram(Rbf{.gamma = 0.7}, gaussian_points(n, 2, seed));
    const HeldMatrix matrix(kernel);
    CrammerSinger problem{.points = &matrix, .class_count = k};
    problem.classes = random_classes(n, k, rng);
    problem.costs.assign(n, 1 / beta);
    const DenseMatrix d = indicator(problem.classes, k);
    const DenseMatrix lambda = random_lambda(n, k, rng);
    DenseMatrix coefficients(n, k);
    for (std::size_t v = 0; v < n * k; ++v) {
      coefficients.values()[v] = (d.values()[v] - lambda.values()[v]) / beta;
    }
    const CrammerSingerResiduals found = residuals(problem, coefficients.view());
    const double omega = xu_dual(lambda, equivalence(d), d, kernel, beta);
    EXPECT_NEAR(beta * found.dual, omega, 1e-12 * std::abs(omega) + 1e-12);
    EXPECT_LE(found.bound_violation, 1e-15);
    EXPECT_LE(found.sum_violation, 1e-14);
    EXPECT_GE(found.primal, found.dual);  // weak duality
  }
}

// seed-xu fact 15
TEST(CrammerSinger, XusOmegaIsConvexInTheLabelMatrices) {
  const std::size_t n = 6;
  const std::size_t k = 3;
  const DenseMatrix kernel = gram(Rbf{}, gaussian_points(n, 2, 7));
  Rng rng(8);
  for (int round = 0; round < 5; ++round) {
    const DenseMatrix d1 = indicator(random_classes(n, k, rng), k);
    const DenseMatrix d2 = indicator(random_classes(n, k, rng), k);
    const DenseMatrix m1 = equivalence(d1);
    const DenseMatrix m2 = equivalence(d2);
    DenseMatrix d(n, k);
    DenseMatrix m(n, n);
    for (std::size_t v = 0; v < n * k; ++v) {
      d.values()[v] = (d1.values()[v] + d2.values()[v]) / 2;
    }
    for (std::size_t v = 0; v < n * n; ++v) {
      m.values()[v] = (m1.values()[v] + m2.values()[v]) / 2;
    }
    const double beta = 0.5;
    EXPECT_LE(xu_omega(m, d, kernel, beta),
              (xu_omega(m1, d1, kernel, beta) + xu_omega(m2, d2, kernel, beta)) / 2 + 1e-6);
  }
}

TEST(CrammerSinger, FeaturesAndTheirMatrixMeasureTheSame) {
  const DenseMatrix points = gaussian_points(12, 3, 9);
  const SparseMatrix sparse = to_sparse(points.view());
  const HeldMatrix matrix(gram(Linear{}, points));
  Rng rng(10);
  CrammerSinger by_features{.points = PointRows(points.view()), .class_count = 4, .bias = 0.5};
  by_features.classes = random_classes(12, 4, rng);
  for (std::size_t i = 0; i < 12; ++i) by_features.costs.push_back(rng.uniform(0, 2));
  CrammerSinger by_matrix = by_features;
  by_matrix.points = &matrix;
  CrammerSinger by_sparse = by_features;
  by_sparse.points = PointRows(sparse.view());
  const DenseMatrix coefficients = gaussian_points(12, 4, 11);
  const CrammerSingerResiduals a = residuals(by_features, coefficients.view());
  for (const CrammerSinger& other : {by_matrix, by_sparse}) {
    const CrammerSingerResiduals b = residuals(other, coefficients.view());
    EXPECT_NEAR(a.primal, b.primal, 1e-11 * std::abs(a.primal));
    EXPECT_NEAR(a.dual, b.dual, 1e-11 * std::abs(a.dual));
  }
}

TEST(CrammerSinger, ResidualsNoticeBrokenConstraints) {
  const DenseMatrix points = gaussian_points(2, 2, 12);
  CrammerSinger problem{.points = PointRows(points.view()), .class_count = 3};
  problem.classes = {0, 2};
  problem.costs = {1, 2};
  DenseMatrix coefficients(2, 3, 0.0);
  EXPECT_EQ(residuals(problem, coefficients.view()).primal, 3);  // every example costs C_i
  coefficients(1, 2) = 2.25;
  coefficients(1, 0) = -1.75;
  const CrammerSingerResiduals found = residuals(problem, coefficients.view());
  EXPECT_DOUBLE_EQ(found.bound_violation, 0.25);
  EXPECT_DOUBLE_EQ(found.sum_violation, 0.5);
}

TEST(CrammerSinger, RefusesWhatDoesNotFit) {
  const DenseMatrix points = gaussian_points(2, 2, 13);
  const CrammerSinger good{
      .points = PointRows(points.view()), .class_count = 2, .classes = {0, 1}, .costs = {1, 1}};
  validate(good);
  CrammerSinger bad = good;
  bad.classes = {0, 2};
  EXPECT_THROW(validate(bad), InvalidArgument);
  bad = good;
  bad.costs = {1, -1};
  EXPECT_THROW(validate(bad), InvalidArgument);
  bad = good;
  bad.costs = {1, std::numeric_limits<double>::infinity()};
  EXPECT_THROW(validate(bad), InvalidArgument);
  bad = good;
  bad.classes = {0};
  EXPECT_THROW(validate(bad), InvalidArgument);
  bad = good;
  bad.points = nullptr;
  EXPECT_THROW(validate(bad), InvalidArgument);
  bad = good;
  bad.bias = -1;
  EXPECT_THROW(validate(bad), InvalidArgument);
  EXPECT_THROW(static_cast<void>(residuals(good, DenseMatrix(2, 3).view())), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
