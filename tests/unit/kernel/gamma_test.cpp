// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/gamma.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernel_cases.hpp"
#include "maxmargin/data/iris.hpp"

namespace maxmargin {
namespace {

using testing::as_sparse;
using testing::random_matrix;

TEST(Gamma, ANumberIsItself) {
  EXPECT_EQ(resolve_gamma(GammaRule::number(0.25), Examples(DenseMatrix(3, 2))), 0.25);
}

TEST(Gamma, AutoIsOneOverTheDimension) {
  EXPECT_EQ(resolve_gamma(GammaRule::automatic(), Examples(DenseMatrix(3, 8))), 0.125);
}

TEST(Gamma, ScaleIsOneOverDimensionTimesVarianceOfAllEntries) {
  DenseMatrix data(2, 2);
  data(0, 0) = 1;
  data(1, 1) = 3;  // entries 1, 0, 0, 3: mean 1, variance 6/4
  EXPECT_DOUBLE_EQ(resolve_gamma(GammaRule::scale(), Examples(data)), 1 / 3.0);
  EXPECT_DOUBLE_EQ(resolve_gamma(GammaRule::scale(), as_sparse(data)), 1 / 3.0);
}

TEST(Gamma, ScaleSurvivesALargeOffset) {
  DenseMatrix data = random_matrix(1, 50, 4, -1, 1);
  const double near = resolve_gamma(GammaRule::scale(), Examples(data));
  for (double& value : data.values()) value += 1e7;
  EXPECT_NEAR(resolve_gamma(GammaRule::scale(), Examples(data)) / near, 1, 1e-8);
}

/// 0, 1, 3, 7 on a line: squared distances 1, 9, 49, 4, 36, 16.
Examples four_points() {
  DenseMatrix data(4, 1);
  data(1, 0) = 1;
  data(2, 0) = 3;
  data(3, 0) = 7;
  return data;
}

TEST(Gamma, ScaleOfConstantDataIsOneWhateverTheSize) {
  for (const auto& [rows, cols] :
       {std::pair<std::size_t, std::size_t>{10, 100}, {1000, 100}, {100'000, 1}}) {
    const DenseMatrix constant(rows, cols, 0.1);
    EXPECT_EQ(resolve_gamma(GammaRule::scale(), Examples(constant)), 1) << rows;
    EXPECT_EQ(resolve_gamma(GammaRule::scale(), Examples(to_sparse(constant.view()))), 1) << rows;
  }
  // A common offset does not change the variance: 1/4 here.
  for (const double offset : {0.0, 0x1p40}) {
    DenseMatrix halves(1000, 1, offset);
    for (std::size_t i = 0; i < 1000; i += 2) halves(i, 0) += 1;
    EXPECT_DOUBLE_EQ(resolve_gamma(GammaRule::scale(), Examples(halves)), 4);
  }
}

TEST(Gamma, MedianAndQuantilesInterpolateBetweenAllPairs) {
  EXPECT_DOUBLE_EQ(resolve_gamma(GammaRule::median(), four_points()), 1 / 12.5);
  EXPECT_DOUBLE_EQ(resolve_gamma(GammaRule::quantile(0), four_points()), 1);
  EXPECT_DOUBLE_EQ(resolve_gamma(GammaRule::quantile(1), four_points()), 1 / 49.0);
  EXPECT_DOUBLE_EQ(resolve_gamma(GammaRule::quantile(0.1), four_points()), 1 / 2.5);
}

TEST(Gamma, NeighbourTakesTheFifthNearestOrTheFarthestThereIs) {
  // Farthest distances 7, 6, 4, 7: median 6.5.
  EXPECT_DOUBLE_EQ(resolve_gamma(GammaRule::neighbour(), four_points()), 1 / (6.5 * 6.5));
  // 0, 1, ..., 6: the fifth nearest of point i is at distance 5, 4, 3, 3, 3, 4, 5.
  DenseMatrix line(7, 1);
  for (std::size_t i = 0; i < 7; ++i) line(i, 0) = static_cast<double>(i);
  EXPECT_DOUBLE_EQ(resolve_gamma(GammaRule::neighbour(), Examples(line)), 1 / 16.0);
}

// seed-merat 4.14: quantiles of d^2 on Iris.
TEST(Gamma, IrisQuantilesAreThoseOfTheDocuments) {
  const Examples data = iris().examples;
  EXPECT_NEAR(1 / resolve_gamma(GammaRule::quantile(0.1), data), 0.35, 0.005);
  EXPECT_NEAR(1 / resolve_gamma(GammaRule::median(), data), 5.57, 0.005);
  // Quoted with another interpolation between order statistics.
  EXPECT_NEAR(1 / resolve_gamma(GammaRule::quantile(0.9), data), 23.35, 0.02);
}

TEST(Gamma, DrawnPairsComeNearAllPairsAndIgnoreTheThreads) {
  // Uniform on [0, 1]: the median of (x-z)^2 is (1 - sqrt(1/2))^2.
  const Examples data(random_matrix(2, 2500, 1, 0, 1));
  const double one =
      resolve_gamma(GammaRule::median(), data, {.context = {.threads = 1, .seed = 3}});
  const double exact = (1 - std::sqrt(0.5)) * (1 - std::sqrt(0.5));
  // The median distance over 2,500 points is known to about 1/sqrt(2500).
  EXPECT_NEAR(1 / one, exact, 0.05 * exact);
  EXPECT_EQ(resolve_gamma(GammaRule::median(), data, {.context = {.threads = 4, .seed = 3}}), one);
}

TEST(Gamma, SparseAndDenseDataAgree) {
  const DenseMatrix data = random_matrix(3, 60, 5, -1, 1, 0.5);
  for (const GammaRule& rule : {GammaRule::scale(),
                                GammaRule::median(),
                                GammaRule::quantile(0.3),
                                GammaRule::neighbour()}) {
    EXPECT_NEAR(
        resolve_gamma(rule, as_sparse(data)) / resolve_gamma(rule, Examples(data)), 1, 1e-13);
  }
}

TEST(Gamma, DataThatSaysNothingGivesOne) {
  const Examples equal(DenseMatrix(10, 3, 0.1));
  const Examples none(DenseMatrix(0, 3));
  const Examples one(DenseMatrix(1, 3, 2.0));
  const Examples flat(DenseMatrix(4, 0));
  for (const GammaRule& rule : {GammaRule::scale(),
                                GammaRule::median(),
                                GammaRule::quantile(0.9),
                                GammaRule::neighbour()}) {
    for (const Examples& data : {equal, none, one, flat}) EXPECT_EQ(resolve_gamma(rule, data), 1);
  }
  EXPECT_EQ(resolve_gamma(GammaRule::automatic(), flat), 1);
  DenseMatrix huge(2, 1);
  huge(0, 0) = 1e300;
  EXPECT_EQ(resolve_gamma(GammaRule::median(), Examples(huge)), 1);
}

TEST(Gamma, ScalingTheDataScalesGammaInverselySquared) {
  DenseMatrix data = random_matrix(4, 40, 3, -1, 1);
  for (const GammaRule& rule : {GammaRule::scale(), GammaRule::median(), GammaRule::neighbour()}) {
    const double before = resolve_gamma(rule, Examples(data));
    DenseMatrix doubled = data;
    for (double& value : doubled.values()) value *= 4;
    EXPECT_NEAR(resolve_gamma(rule, Examples(doubled)), before / 16, 1e-14 * before);
  }
}

TEST(Gamma, RulesAreValidated) {
  const Examples data(DenseMatrix(2, 2));
  EXPECT_THROW(static_cast<void>(resolve_gamma(GammaRule::number(0), data)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(resolve_gamma(GammaRule::quantile(1.5), data)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(resolve_gamma(GammaRule::quantile(std::nan("")), data)),
               InvalidArgument);
  EXPECT_THROW(
      static_cast<void>(resolve_gamma(GammaRule::scale(), data, {.context = {.threads = 0}})),
      InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
