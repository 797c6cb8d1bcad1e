// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/kmeans/kmeans.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

// The numbers the first issue shows: 16 of 150 flowers misassigned, sum of squares 78.8514.
TEST(ClusterKmeans, IrisIntoThreeMisassignsSixteenFlowers) {
  const Dataset data = iris();
  const KmeansClustering result = cluster_kmeans(data, {.k = 3, .context = {.seed = 1}});
  EXPECT_NEAR(result.inertia, 78.8514, 5e-5);
  EXPECT_EQ(result.sizes, (std::vector<std::size_t>{62, 50, 38}));
  const Classes classes = classes_of(data.labels);
  std::vector<std::size_t> together(9, 0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    ++together[static_cast<std::size_t>(3 * result.labels[i] + classes.of_row[i])];
  }
  // Clusters 0, 1, 2 are versicolor (class 1), setosa (class 0), virginica (class 2).
  EXPECT_EQ(150u - together[1] - together[3] - together[8], 16u);
}

TEST(ClusterKmeans, ModelPutsTheTrainingPointsWhereTheyWere) {
  const Dataset data = iris();
  const KmeansClustering result = cluster_kmeans(data, {.k = 4});
  EXPECT_EQ(result.model.predict(data.examples), result.labels);
  const Dataset sparse{.examples = to_sparse(data.examples.dense())};
  EXPECT_EQ(result.model.predict(sparse.examples, 1), result.labels);
  EXPECT_EQ(cluster_kmeans(sparse, {.k = 4}).labels, result.labels);
}

TEST(ClusterKmeans, ModelRejectsValuesThatAreNotFinite) {
  const KmeansModel model{.centres = matrix(1, {0, 5})};
  for (const double bad : {NAN, INFINITY}) {
    const DenseMatrix points = matrix(1, {1, bad});
    EXPECT_THROW((void)model.predict(points), InvalidArgument);
    EXPECT_THROW((void)model.predict(to_sparse(points.view())), InvalidArgument);
  }
}

TEST(ClusterKmeans, UsesTheWeightsOfTheDataSet) {
  const Dataset data{.examples = matrix(1, {0, 1, 10}), .weights = {3, 1, 1}};
  const KmeansClustering result = cluster_kmeans(data, {.k = 2});
  EXPECT_DOUBLE_EQ(result.model.centres(0, 0), 0.25);
  EXPECT_DOUBLE_EQ(result.inertia, 0.75);
}

TEST(ClusterKmeans, PredictionOfSparseRowsIgnoresUnknownFeatures) {
  const KmeansModel model{matrix(2, {0, 0, 3, 4})};
  Buffer<std::int64_t> offsets(std::vector<std::int64_t>{0, 1, 3, 3});
  Buffer<std::int32_t> columns(std::vector<std::int32_t>{7, 0, 1});
  Buffer<double> values(std::vector<double>{100, 3, 3});
  const Examples wider = SparseMatrix(8, offsets, columns, values);
  EXPECT_EQ(model.predict(wider), (std::vector<std::int32_t>{0, 1, 0}));
  const Examples narrower = to_sparse(matrix(1, {1, 9}).view());
  EXPECT_EQ(model.predict(narrower), (std::vector<std::int32_t>{0, 1}));
}

TEST(ClusterKmeans, PredictionBreaksTiesToTheLowestCentreAndChecksWidth) {
  const KmeansModel model{matrix(1, {-1, 1})};
  EXPECT_EQ(model.predict(matrix(1, {0})), std::vector<std::int32_t>{0});
  EXPECT_TRUE(model.predict(DenseMatrix(0, 1)).empty());
  EXPECT_THROW((void)model.predict(matrix(2, {0, 0})), InvalidArgument);
  EXPECT_THROW((void)KmeansModel{}.predict(matrix(1, {0})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
