// SPDX-License-Identifier: Apache-2.0
//
// The measures of geometry.hpp that take a kernel and no matrix, against those that take
// the whole matrix.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernel/gram/cross_blocks.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;

/// k clusters with every 11th point an outlier; cluster 2 is left empty.
Labels labels_with_outliers(std::size_t n) {
  Labels labels(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t number = i * 7 % 5;
    labels[i] = i % 11 == 3 ? -1 : static_cast<std::int32_t>(number == 2 ? 0 : number);
  }
  return labels;
}

/// More rows and columns than a block has, so that several blocks meet.
constexpr std::size_t several_blocks = cross_block_cols + cross_block_rows / 2;

TEST(KernelGeometry, FarPointsAreAsFarFromEachOtherAsNearOnes) {
  // Moved by a power of two and back, so that both are the same points.
  const double far = 0x1p27;
  DenseMatrix moved = gaussian_points(40, 3, 2);
  for (double& value : moved.values()) value += far;
  DenseMatrix near = moved;
  for (double& value : near.values()) value -= far;
  const Labels labels = labels_with_outliers(near.rows());
  EXPECT_NEAR(kernel_sum_of_squares(Linear{}, Examples(moved), labels).total,
              kernel_sum_of_squares(Linear{}, Examples(near), labels).total,
              1e-10);
  EXPECT_NEAR(kernel_silhouette(Linear{}, Examples(moved), labels).mean,
              kernel_silhouette(Linear{}, Examples(near), labels).mean,
              1e-10);
}

TEST(KernelGeometry, BlocksGiveWhatTheWholeMatrixGives) {
  const Examples points = gaussian_points(several_blocks, 3, 1);
  const Labels labels = labels_with_outliers(points.rows());
  for (const Kernel& kernel : {Kernel(Linear{}), Kernel(Rbf{.gamma = 0.3})}) {
    const DenseMatrix whole = gram(kernel, points);
    const SumOfSquares expected = kernel_sum_of_squares(whole.view(), labels);
    const SumOfSquares sums = kernel_sum_of_squares(kernel, points, labels);
    // Sums of n_c^2 kernel values of at most the trace in size.
    const double rounding = 1e-16 * static_cast<double>(points.rows() * points.rows()) * 20;
    EXPECT_NEAR(sums.total, expected.total, rounding);
    ASSERT_EQ(sums.of_cluster.size(), expected.of_cluster.size());
    for (std::size_t c = 0; c < sums.of_cluster.size(); ++c) {
      EXPECT_NEAR(sums.of_cluster[c], expected.of_cluster[c], rounding) << c;
    }
    EXPECT_EQ(sums.outliers, expected.outliers);

    const Silhouette wanted = silhouette_from_gram(whole.view(), labels);
    const Silhouette found = kernel_silhouette(kernel, points, labels);
    EXPECT_NEAR(found.mean, wanted.mean, 1e-9);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] < 0) {
        EXPECT_TRUE(std::isnan(found.of_row[i]));
      } else {
        EXPECT_NEAR(found.of_row[i], wanted.of_row[i], 1e-7) << i;
      }
    }
  }
}

// seed-merat facts 35 and 38
TEST(KernelGeometry, OfIrisWithGaussianWidthTwo) {
  const Dataset data = iris();
  const Kernel kernel = Rbf{.gamma = 0.125};
  const Labels one(150, 0);
  EXPECT_NEAR(kernel_sum_of_squares(kernel, data.examples, one).total, 73.13669876, 5e-9);
  Labels setosa(150, 1);
  std::fill(setosa.begin(), setosa.begin() + 50, 0);
  EXPECT_NEAR(kernel_sum_of_squares(kernel, data.examples, setosa).total, 28.558999, 5e-7);
}

TEST(KernelGeometry, IsTheSameForAnyThreadCount) {
  const Examples points = gaussian_points(several_blocks, 2, 2);
  const Labels labels = labels_with_outliers(points.rows());
  const Kernel kernel = Rbf{.gamma = 1};
  const SumOfSquares one = kernel_sum_of_squares(kernel, points, labels, 1);
  const Silhouette alone = kernel_silhouette(kernel, points, labels, 1);
  for (const std::size_t threads : {2u, 4u}) {
    EXPECT_EQ(kernel_sum_of_squares(kernel, points, labels, threads).of_cluster, one.of_cluster);
    EXPECT_EQ(kernel_silhouette(kernel, points, labels, threads).mean, alone.mean);
  }
}

TEST(KernelGeometry, DegenerateClusterings) {
  const Examples points = gaussian_points(3, 2, 3);
  const Kernel kernel = Rbf{};
  EXPECT_EQ(kernel_sum_of_squares(kernel, points, Labels{-1, -1, -1}).total, 0);
  EXPECT_NEAR(kernel_sum_of_squares(kernel, points, Labels{0, 1, 2}).total, 0, 1e-15);
  EXPECT_TRUE(std::isnan(kernel_silhouette(kernel, points, Labels{0, 0, 0}).mean));
  EXPECT_EQ(kernel_silhouette(kernel, points, Labels{0, 1, 2}).mean, 0);
  EXPECT_EQ(kernel_sum_of_squares(kernel, DenseMatrix(0, 2), Labels{}).total, 0);
}

TEST(KernelGeometry, RefusesWhatBreaksItsRules) {
  const Examples points = matrix(1, {-1, 1, 2});
  EXPECT_THROW((void)kernel_sum_of_squares(Rbf{}, points, Labels{0, 0}), InvalidArgument);
  EXPECT_THROW((void)kernel_sum_of_squares(Rbf{.gamma = -1}, points, Labels{0, 0, 0}),
               InvalidArgument);
  EXPECT_THROW((void)kernel_sum_of_squares(Sentropic{}, points, Labels{0, 0, 0}), InvalidArgument);
  EXPECT_THROW((void)kernel_silhouette(ChiSquare{}, points, Labels{0, 1, 1}), InvalidArgument);
  EXPECT_THROW((void)kernel_silhouette(Rbf{}, points, Labels{0, 1, 3}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
