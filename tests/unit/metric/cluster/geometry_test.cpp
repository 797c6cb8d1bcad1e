// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/cluster/geometry.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;

DenseMatrix random_points(Rng& rng, std::size_t n, std::size_t d) {
  DenseMatrix points(n, d);
  for (double& value : points.values()) value = rng.normal();
  return points;
}

/// About half of the entries are zero.
DenseMatrix with_zeros(Rng& rng, DenseMatrix points) {
  for (double& value : points.values()) {
    if (rng.bernoulli(0.5)) value = 0;
  }
  return points;
}

Labels random_clusters(Rng& rng, std::size_t n, std::size_t k, double outliers = 0) {
  Labels clusters(n);
  for (auto& cluster : clusters) {
    cluster = rng.bernoulli(outliers) ? -1 : static_cast<std::int32_t>(rng.index(k));
  }
  return clusters;
}

double squared_distance(const DenseMatrix& points, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t f = 0; f < points.cols(); ++f) {
    sum += (points(i, f) - points(j, f)) * (points(i, f) - points(j, f));
  }
  return sum;
}

DenseMatrix linear_gram(const DenseMatrix& points) {
  DenseMatrix gram(points.rows(), points.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.rows(); ++j) {
      for (std::size_t f = 0; f < points.cols(); ++f) gram(i, j) += points(i, f) * points(j, f);
    }
  }
  return gram;
}

/// exp(-|x - z|^2 / (2 sigma^2)).
DenseMatrix gaussian_gram(const DenseMatrix& points, double sigma) {
  DenseMatrix gram(points.rows(), points.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.rows(); ++j) {
      gram(i, j) = std::exp(-squared_distance(points, i, j) / (2 * sigma * sigma));
    }
  }
  return gram;
}

/// (3.11): half the mean of squared feature-space distances within each cluster.
double pairwise_form(const DenseMatrix& gram, const Labels& clusters) {
  double total = 0;
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    const auto size = std::count(clusters.begin(), clusters.end(), clusters[i]);
    for (std::size_t j = 0; j < gram.rows(); ++j) {
      if (clusters[i] < 0 || clusters[i] != clusters[j]) continue;
      total += (gram(i, i) + gram(j, j) - 2 * gram(i, j)) / (2.0 * static_cast<double>(size));
    }
  }
  return total;
}

// seed-merat fact 37: the linear kernel gives the plain sum of squares; the pairwise form is equal.
TEST(KernelSse, WithTheLinearKernelIsTheSumOfSquares) {
  Rng rng(1);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const DenseMatrix points = random_points(rng, 40, 3);
    const Labels clusters = random_clusters(rng, 40, 4, repeat % 2 ? 0.1 : 0);
    const SumOfSquares plain = sum_of_squares(points, clusters);
    const DenseMatrix gram = linear_gram(points);
    const SumOfSquares kernel = kernel_sum_of_squares(gram.view(), clusters);
    ASSERT_EQ(plain.of_cluster.size(), kernel.of_cluster.size());
    for (std::size_t c = 0; c < plain.of_cluster.size(); ++c) {
      EXPECT_NEAR(plain.of_cluster[c], kernel.of_cluster[c], 1e-11);
    }
    EXPECT_NEAR(plain.total, kernel.total, 1e-11);
    EXPECT_NEAR(kernel.total, pairwise_form(gram, clusters), 1e-11);
    EXPECT_EQ(plain.outliers, kernel.outliers);
  }
}

// seed-merat fact 37: (3.15) for a unit diagonal; permutation; label swap; a constant added to K.
TEST(KernelSse, IsInvariantToOrderNamesAndAConstant) {
  Rng rng(2);
  const DenseMatrix points = random_points(rng, 30, 2);
  const DenseMatrix gram = gaussian_gram(points, 1);
  const Labels clusters = random_clusters(rng, 30, 2);
  const double value = kernel_sum_of_squares(gram.view(), clusters).total;
  EXPECT_NEAR(value, pairwise_form(gram, clusters), 1e-12);

  double normalised = 0;
  for (std::int32_t c = 0; c < 2; ++c) {
    const auto size = static_cast<double>(std::count(clusters.begin(), clusters.end(), c));
    double inner = 0;
    for (std::size_t i = 0; i < 30; ++i) {
      for (std::size_t j = 0; j < 30; ++j) {
        if (clusters[i] == c && clusters[j] == c) inner += gram(i, j);
      }
    }
    normalised += size * (1 - inner / (size * size));
  }
  EXPECT_NEAR(value, normalised, 1e-12);

  const auto order = rng.permutation(30);
  DenseMatrix moved(30, 30);
  Labels moved_clusters(30);
  for (std::size_t i = 0; i < 30; ++i) {
    moved_clusters[i] = 1 - clusters[order[i]];
    for (std::size_t j = 0; j < 30; ++j) moved(i, j) = gram(order[i], order[j]) + 5;
  }
  EXPECT_NEAR(kernel_sum_of_squares(moved.view(), moved_clusters).total, value, 1e-11);
}

// seed-merat fact 37.
TEST(KernelSse, SplittingAClusterNeverIncreasesIt) {
  Rng rng(3);
  const DenseMatrix gram = gaussian_gram(random_points(rng, 25, 2), 0.7);
  for (int repeat = 0; repeat < 50; ++repeat) {
    Labels clusters = random_clusters(rng, 25, 3);
    const double before = kernel_sum_of_squares(gram.view(), clusters).total;
    for (auto& cluster : clusters) {
      if (cluster == 1 && rng.bernoulli(0.5)) cluster = 3;
    }
    EXPECT_LE(kernel_sum_of_squares(gram.view(), clusters).total, before + 1e-12);
  }
}

// seed-merat fact 38.
TEST(KernelSse, OfIrisWithGaussianWidthTwo) {
  const DenseMatrix gram = gaussian_gram(iris().examples.to_dense(), 2);
  const double one_cluster = kernel_sum_of_squares(gram.view(), Labels(150, 0)).total;
  EXPECT_NEAR(one_cluster, 73.13669876, 5e-9);
  double off_diagonal = 0;
  for (const double value : gram.values()) off_diagonal += value;
  const double mean = (off_diagonal - 150) / (150.0 * 149);
  const double predicted = 148 * (1 - mean);
  EXPECT_NEAR(predicted, 72.645848, 5e-7);
  EXPECT_NEAR(one_cluster, 149 * (1 - mean), 1e-9);
  // Random labels: E[J] is the prediction. The spread of one draw here is about 0.6; the mean of
  // 400 has a standard error of about 0.03.
  Rng rng(4);
  double sum = 0;
  for (int repeat = 0; repeat < 400; ++repeat) {
    sum += kernel_sum_of_squares(gram.view(), random_clusters(rng, 150, 2)).total;
  }
  EXPECT_NEAR(sum / 400, predicted, 0.12);
}

TEST(SumOfSquares, OfSparseRowsIsThatOfDenseOnes) {
  Rng rng(5);
  const DenseMatrix points = with_zeros(rng, random_points(rng, 40, 6));
  const Labels clusters = random_clusters(rng, 40, 3, 0.1);
  const SumOfSquares dense = sum_of_squares(points, clusters);
  const SumOfSquares sparse = sum_of_squares(to_sparse(points.view()), clusters);
  EXPECT_NEAR(dense.total, sparse.total, 1e-12);
  EXPECT_EQ(dense.outliers, sparse.outliers);
}

TEST(SumOfSquares, KnownValuesEmptyClustersAndOutliers) {
  DenseMatrix points(4, 1);
  points(0, 0) = 0;
  points(1, 0) = 2;
  points(2, 0) = 10;
  points(3, 0) = 1e9;
  const SumOfSquares result = sum_of_squares(points, Labels{0, 0, 2, -1});
  EXPECT_EQ(result.total, 2);
  EXPECT_EQ(result.of_cluster, (std::vector<double>{2, 0, 0}));
  EXPECT_EQ(result.outliers, 1u);
  EXPECT_EQ(sum_of_squares(DenseMatrix(0, 3), Labels{}).total, 0);
}

TEST(SumOfSquares, ALargeOffsetCostsNoDigits) {
  Rng rng(6);
  const DenseMatrix points = random_points(rng, 30, 2);
  DenseMatrix moved = points;
  for (double& value : moved.values()) value += 1e7;
  const Labels clusters = random_clusters(rng, 30, 2);
  EXPECT_NEAR(sum_of_squares(moved, clusters).total, sum_of_squares(points, clusters).total, 1e-6);
}

/// Straight from the definition.
double silhouette_of(const DenseMatrix& points, const Labels& clusters, std::size_t i) {
  double within = 0;
  double within_count = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::int32_t c = 0; c < 10; ++c) {
    double sum = 0;
    double count = 0;
    for (std::size_t j = 0; j < clusters.size(); ++j) {
      if (clusters[j] != c || j == i) continue;
      sum += std::sqrt(squared_distance(points, i, j));
      ++count;
    }
    if (clusters[i] == c) {
      within = sum / count;
      within_count = count;
    } else if (count > 0) {
      nearest = std::min(nearest, sum / count);
    }
  }
  return within_count == 0 ? 0 : (nearest - within) / std::max(nearest, within);
}

TEST(Silhouette, EqualsItsDefinitionFromPointsDistancesAndGram) {
  Rng rng(7);
  const DenseMatrix points = with_zeros(rng, random_points(rng, 45, 3));
  Labels clusters = random_clusters(rng, 45, 3, 0.1);
  clusters[0] = 5;  // alone; clusters 3 and 4 are empty
  DenseMatrix distances(45, 45);
  for (std::size_t i = 0; i < 45; ++i) {
    for (std::size_t j = 0; j < 45; ++j)
      distances(i, j) = std::sqrt(squared_distance(points, i, j));
  }
  const Silhouette direct = silhouette(points, clusters);
  const Silhouette sparse = silhouette(to_sparse(points.view()), clusters);
  const Silhouette from_distances = silhouette_from_distances(distances.view(), clusters);
  const Silhouette from_gram = silhouette_from_gram(linear_gram(points).view(), clusters);
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < 45; ++i) {
    if (clusters[i] < 0) {
      EXPECT_TRUE(std::isnan(direct.of_row[i]));
      continue;
    }
    const double expected = silhouette_of(points, clusters, i);
    EXPECT_NEAR(direct.of_row[i], expected, 1e-12);
    EXPECT_NEAR(sparse.of_row[i], expected, 1e-12);
    EXPECT_NEAR(from_distances.of_row[i], expected, 1e-12);
    EXPECT_NEAR(from_gram.of_row[i], expected, 1e-6);  // sqrt of a cancelled difference
    sum += expected;
    ++count;
  }
  EXPECT_NEAR(direct.mean, sum / count, 1e-12);
  EXPECT_EQ(direct.of_row[0], 0);
}

TEST(Silhouette, IsTheSameForAnyThreadCount) {
  Rng rng(8);
  const DenseMatrix points = random_points(rng, 100, 4);
  const Labels clusters = random_clusters(rng, 100, 3);
  const Silhouette one = silhouette(points, clusters, 1);
  for (const std::size_t threads : {2u, 4u}) {
    const Silhouette many = silhouette(points, clusters, threads);
    EXPECT_EQ(many.mean, one.mean);
    EXPECT_EQ(many.of_row, one.of_row);
  }
}

TEST(Silhouette, DegenerateClusterings) {
  const DenseMatrix points(3, 2, 1.0);
  EXPECT_TRUE(std::isnan(silhouette(points, Labels{0, 0, 0}).mean));
  EXPECT_TRUE(std::isnan(silhouette(points, Labels{-1, -1, -1}).mean));
  EXPECT_EQ(silhouette(points, Labels{0, 0, 1}).mean, 0);  // all distances are 0
  EXPECT_TRUE(std::isnan(silhouette(DenseMatrix(0, 2), Labels{}).mean));
}

TEST(ClusterGeometry, RefusesWhatBreaksItsRules) {
  const DenseMatrix points(3, 2, 1.0);
  EXPECT_THROW((void)sum_of_squares(points, Labels{0, 0}), InvalidArgument);
  EXPECT_THROW((void)sum_of_squares(points, Labels{0, 0, 3}), InvalidArgument);
  EXPECT_THROW((void)sum_of_squares(points, Labels{0, 0, -2}), InvalidArgument);
  EXPECT_THROW((void)kernel_sum_of_squares(points.view(), Labels{0, 0, 0}), InvalidArgument);
  EXPECT_THROW((void)silhouette(points, Labels{0, 0, 1}, 0), InvalidArgument);
  DenseMatrix distances(2, 2, -1.0);
  EXPECT_THROW((void)silhouette_from_distances(distances.view(), Labels{0, 1}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
