// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/sv/clustering.hpp"
#include "maxmargin/core/options.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "maxmargin/core/error.hpp"
#include "point_sets.hpp"
#include "sv_clustering_cases.hpp"

namespace maxmargin {
namespace {

TEST(SvClusterModel, TrainingRowsKeepTheirLabels) {
  for (const ProximityGraph graph : all_graphs) {
    const Dataset data = blobs(60, 2, 11);
    const SvClustering found = cluster_sv(data, exact(Rbf{.gamma = 1.5}, 0.1, graph));
    EXPECT_EQ(found.model.predict(data.examples), found.labels) << to_string(graph);
  }
}

TEST(SvClusterModel, ARowOnTheContourSeesItself) {
  // One vector, and a member at the very level: (1 - t) x + t x is a rounding outside for some t,
  // while the member of the other cluster is in plain sight.
  for (const double x : {1000.1, 1000.2, 1000.3}) {
    SvClusterModel model;
    model.sphere = {.kernel = Rbf{.gamma = 10},
                    .vectors = matrix(1, {1000}),
                    .coefficients = matrix(1, {2}),
                    .offsets = {-1.0},
                    .minus_self = true,
                    .training_rows = {0}};
    model.members = matrix(1, {x, 999.95});
    model.member_clusters = {0, 1};
    model.squared_radius = model.squared_distances(model.members)[0];
    model.level = model.squared_radius + 4e-15;  // for the sum of three, no place for a step of x
    model.sphere.offsets[0] += model.squared_radius;
    EXPECT_EQ(model.predict(model.members), (std::vector<std::int32_t>{0, 1})) << x;
    model.members = to_sparse(model.members.dense());
    model.sphere.vectors = to_sparse(model.sphere.vectors.dense());
    EXPECT_EQ(model.predict(model.members), (std::vector<std::int32_t>{0, 1})) << x;
  }
}

TEST(SvClusterModel, NewPointsJoinThePieceTheyLieIn) {
  const Dataset rings = two_rings();
  const SvClustering found = cluster_sv(rings, exact(Rbf{.gamma = 2.4}, 0, ProximityGraph::knn));
  // Where the inner ring is: the cluster of its rows.
  std::int32_t inner = -1;
  for (std::size_t i = 0; i < rings.size(); ++i) {
    if (rings.labels.at(i)->text() == "1") inner = found.labels[i];
  }
  const std::vector<double> far = {0, 0, 0, 1.5, 5, 5};
  const std::vector<std::int32_t> outside = found.model.predict(matrix(2, far));
  EXPECT_EQ(outside, (std::vector<std::int32_t>{-1, -1, -1}));
  std::size_t placed = 0;
  for (int degree = 0; degree < 360; degree += 5) {
    const double angle = degree * 3.14159265358979 / 180;
    for (const double radius : {1.0, 2.0}) {
      const auto x = matrix(2, {radius * std::cos(angle), radius * std::sin(angle)});
      const std::int32_t cluster = found.model.predict(x)[0];
      const bool is_inside = found.model.squared_distances(x)[0] <= found.model.level;
      EXPECT_EQ(cluster == -1, !is_inside);
      if (!is_inside) continue;
      ++placed;
      EXPECT_EQ(cluster == inner, radius == 1.0);
    }
  }
  EXPECT_GT(placed, 100U);
}

TEST(SvClusterModel, SparseRowsMayHaveOtherFeatures) {
  const Dataset data = blobs(60, 2, 12);
  const SvClustering found = cluster_sv(data, exact(Rbf{.gamma = 0.5}));
  DenseMatrix wide(60, 4, 1.0);
  DenseMatrix narrow(60, 1);
  DenseMatrix filled(60, 2, 0.0);
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t j = 0; j < 2; ++j) wide(i, j) = data.examples.dense()(i, j);
    narrow(i, 0) = filled(i, 0) = data.examples.dense()(i, 0);
  }
  EXPECT_EQ(found.model.predict(to_sparse(wide.view())), found.labels);
  EXPECT_EQ(found.model.predict(to_sparse(narrow.view())), found.model.predict(filled));
  EXPECT_THROW(static_cast<void>(found.model.predict(wide)), InvalidArgument);
  EXPECT_TRUE(found.model.predict(DenseMatrix(0, 2)).empty());
}

TEST(SvClusterModel, PartsMustFit) {
  const SvClustering found = cluster_sv(blobs(30, 2, 1), exact(Rbf{.gamma = 0.5}));
  SvClusterModel model = found.model;
  EXPECT_NO_THROW(validate(model));
  model.member_clusters.pop_back();
  EXPECT_THROW(validate(model), InvalidArgument);
  model = found.model;
  model.level = model.squared_radius - 1;
  EXPECT_THROW(validate(model), InvalidArgument);
  model = found.model;
  model.samples = most_sv_samples + 1;
  EXPECT_THROW(validate(model), InvalidArgument);
  model = found.model;
  model.neighbours = most_sv_neighbours + 1;
  EXPECT_THROW(validate(model), InvalidArgument);
  model = found.model;
  model.members = DenseMatrix(found.model.members.rows(), 3);
  EXPECT_THROW(validate(model), InvalidArgument);
  EXPECT_THROW(validate(SvClusterModel{}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
