// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/projection/pca.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

/// Points whose features have standard deviations 1, 2, 3, ...
DenseMatrix stretched(std::size_t n, std::size_t d, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix points(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) points(i, j) = static_cast<double>(j + 1) * rng.normal();
  }
  return points;
}

double inner(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

/// What is wrong with a model of these points, from the definitions alone.
[[nodiscard]] std::vector<std::string> violations(const Examples& points, const PcaModel& model) {
  std::vector<std::string> wrong;
  const DenseMatrix scores = model.transform(points);
  const std::size_t n = scores.rows();
  const double scale = std::max(model.total_variance, 1e-300);
  for (std::size_t a = 0; a < model.components.rows(); ++a) {
    const auto direction = model.components.row(a);
    const double largest =
        *std::ranges::max_element(direction, {}, [](double value) { return std::abs(value); });
    if (!(largest > 0)) wrong.emplace_back("sign rule");
    for (std::size_t b = 0; b <= a; ++b) {
      const double product = inner(direction, model.components.row(b));
      if (std::abs(product - (a == b ? 1 : 0)) > 1e-12) wrong.emplace_back("not orthonormal");
      double covariance = 0;
      for (std::size_t i = 0; i < n; ++i) covariance += scores(i, a) * scores(i, b);
      covariance /= static_cast<double>(n > 1 ? n - 1 : 1);
      const double expected = a == b ? model.variances[a] : 0;
      if (std::abs(covariance - expected) > 1e-12 * scale) wrong.emplace_back("score covariance");
    }
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += scores(i, a);
    if (std::abs(sum) > 1e-11 * std::sqrt(scale) * static_cast<double>(n)) {
      wrong.emplace_back("scores are not centred");
    }
    if (a > 0 && model.variances[a] > model.variances[a - 1]) wrong.emplace_back("order");
  }
  return wrong;
}

// seed-merat fact 26 and FC-4.
TEST(Pca, IrisHasTheKnownVariances) {
  const Dataset data = iris();
  const PcaModel model = train_pca(data.examples);
  const std::vector<double> known = {4.22824171, 0.24267075, 0.07820950, 0.02383509};
  ASSERT_EQ(model.variances.size(), 4u);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(model.variances[c], known[c], 5e-9);
  EXPECT_NEAR(model.explained_shares()[0], 0.92461872, 5e-9);
  EXPECT_TRUE(violations(data.examples, model).empty());
}

TEST(Pca, CheckerRejectsWrongModels) {
  const DenseMatrix points = stretched(30, 4, 1);
  PcaModel model = train_pca(points);
  ASSERT_TRUE(violations(points, model).empty());
  PcaModel flipped = model;
  for (double& value : flipped.components.row(1)) value = -value;
  EXPECT_FALSE(violations(points, flipped).empty());
  std::swap(model.variances[0], model.variances[1]);
  EXPECT_FALSE(violations(points, model).empty());
}

TEST(Pca, PointsOnALineHaveOneDirection) {
  const PcaModel model = train_pca(matrix(2, {0, 0, 3, 4, 6, 8}));
  EXPECT_NEAR(model.components(0, 0), 0.6, 1e-15);
  EXPECT_NEAR(model.components(0, 1), 0.8, 1e-15);
  EXPECT_NEAR(model.variances[0], 25, 1e-12);
  EXPECT_NEAR(model.variances[1], 0, 1e-12);
  EXPECT_NEAR(model.explained_shares()[0], 1, 1e-15);
}

class PcaShape : public ::testing::TestWithParam<std::pair<std::size_t, std::size_t>> {};

TEST_P(PcaShape, ModelObeysTheDefinitionDenseAndSparse) {
  const auto [n, d] = GetParam();
  const DenseMatrix points = stretched(n, d, 7);
  const Examples sparse = to_sparse(points.view());
  const PcaModel model = train_pca(points);
  EXPECT_TRUE(violations(points, model).empty());
  const PcaModel from_sparse = train_pca(sparse);
  EXPECT_TRUE(violations(sparse, from_sparse).empty());
  double features = 0;
  for (std::size_t j = 0; j < d; ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) mean += points(i, j) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      features += (points(i, j) - mean) * (points(i, j) - mean) / static_cast<double>(n - 1);
    }
  }
  EXPECT_NEAR(model.total_variance, features, 1e-12 * features);
  double sum = 0;
  for (std::size_t c = 0; c < model.variances.size(); ++c) {
    sum += model.variances[c];
    EXPECT_NEAR(model.variances[c], from_sparse.variances[c], 1e-11 * features);
  }
  EXPECT_NEAR(sum, features, 1e-12 * features);
  // All directions kept: the points come back.
  const DenseMatrix back = model.inverse_transform(model.transform(points).view());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(back(i, j), points(i, j), 1e-10);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes,
                         PcaShape,
                         ::testing::Values(std::pair{40, 5},
                                           std::pair{8, 8},
                                           std::pair{6, 25},
                                           std::pair{2, 3},
                                           std::pair{2500, 3}));

TEST(Pca, WideAndTallWaysAgree) {
  // The same 9 points with 20 features, once as they are (Gram) and once 30 times each (scatter).
  const DenseMatrix wide = stretched(9, 20, 3);
  DenseMatrix tall(270, 20);
  for (std::size_t i = 0; i < 270; ++i) std::ranges::copy(wide.row(i % 9), tall.row(i).begin());
  const PcaModel a = train_pca(wide, {.components = 8});
  const PcaModel b = train_pca(tall, {.components = 8});
  for (std::size_t c = 0; c < 8; ++c) {
    EXPECT_NEAR(a.variances[c] * 8, b.variances[c] * 269 / 30, 1e-10);
    for (std::size_t j = 0; j < 20; ++j) EXPECT_NEAR(a.components(c, j), b.components(c, j), 1e-10);
  }
}

TEST(Pca, KeepsAsManyComponentsAsAsked) {
  const DenseMatrix points = stretched(50, 6, 2);
  const PcaModel all = train_pca(points);
  const PcaModel two = train_pca(points, {.components = 2});
  EXPECT_EQ(two.components.rows(), 2u);
  EXPECT_EQ(two.total_variance, all.total_variance);
  EXPECT_TRUE(std::ranges::equal(two.components.row(1), all.components.row(1)));
  EXPECT_EQ(train_pca(points, {.components = 99}).components.rows(), 6u);
}

TEST(Pca, AHugeCommonOffsetChangesNothing) {
  Rng rng(1);
  DenseMatrix points(60, 3);
  for (double& x : points.values()) x = std::round(1024 * rng.normal()) / 1024;
  DenseMatrix shifted = points;
  for (double& x : shifted.values()) x += 0x1p40;
  const PcaModel here = train_pca(points);
  const PcaModel there = train_pca(shifted);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(here.variances[c], there.variances[c], 1e-6);
  const DenseMatrix a = here.transform(points);
  const DenseMatrix b = there.transform(shifted);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 1e-3);
}

TEST(Pca, IsTheSameForAnyThreadCount) {
  for (const auto& [n, d] : {std::pair{5000, 6}, std::pair{200, 300}}) {
    const DenseMatrix points =
        stretched(static_cast<std::size_t>(n), static_cast<std::size_t>(d), 5);
    const PcaModel one = train_pca(points, {.components = 3, .context = {.threads = 1}});
    const DenseMatrix scores = one.transform(points, 1);
    for (const std::size_t threads : {2u, 4u}) {
      const PcaModel other = train_pca(points, {.components = 3, .context = {.threads = threads}});
      EXPECT_EQ(one.variances, other.variances);
      EXPECT_TRUE(std::ranges::equal(one.components.values(), other.components.values()));
      EXPECT_TRUE(std::ranges::equal(scores.values(), other.transform(points, threads).values()));
    }
  }
}

TEST(Pca, DegenerateInputGivesTheObviousAnswer) {
  for (const std::size_t d : {1u, 4u}) {
    const PcaModel one = train_pca(DenseMatrix(1, d, 7.0));
    EXPECT_EQ(one.variances, std::vector<double>{0});
    EXPECT_EQ(one.explained_shares(), std::vector<double>{0});
    EXPECT_TRUE(violations(DenseMatrix(1, d, 7.0), one).empty());
  }
  const PcaModel equal = train_pca(DenseMatrix(3, 5, 2.5));
  EXPECT_EQ(equal.total_variance, 0);
  EXPECT_TRUE(violations(DenseMatrix(3, 5, 2.5), equal).empty());
  EXPECT_EQ(train_pca(DenseMatrix(3, 0)).components.rows(), 0u);
  const Examples empty_rows = to_sparse(DenseMatrix(4, 3).view());
  EXPECT_EQ(train_pca(empty_rows).total_variance, 0);
}

TEST(Pca, SparseRowsOfOtherWidthsAreTransformed) {
  const DenseMatrix points = stretched(30, 3, 4);
  const PcaModel model = train_pca(points);
  DenseMatrix wide(30, 5, 9.0);
  for (std::size_t i = 0; i < 30; ++i) std::ranges::copy(points.row(i), wide.row(i).begin());
  const DenseMatrix a = model.transform(points);
  const DenseMatrix b = model.transform(to_sparse(wide.view()));
  for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 1e-13);
  EXPECT_THROW((void)model.transform(wide), InvalidArgument);
}

TEST(Pca, RejectsWrongInput) {
  EXPECT_THROW((void)train_pca(DenseMatrix(0, 3)), InvalidArgument);
  EXPECT_THROW((void)train_pca(matrix(1, {1, INFINITY})), InvalidArgument);
  EXPECT_THROW((void)train_pca(matrix(1, {-1e200, 1e200})), InvalidArgument);
  EXPECT_THROW((void)train_pca(matrix(1, {1, 2}), {.components = 0}), InvalidArgument);
  EXPECT_THROW((void)train_pca(matrix(1, {1, 2}), {.context = {.threads = 0}}), InvalidArgument);
  const PcaModel model = train_pca(matrix(1, {1, 2}));
  EXPECT_THROW((void)model.inverse_transform(DenseMatrix(1, 2).view()), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
