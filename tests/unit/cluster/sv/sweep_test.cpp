// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/sv/clustering.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"
#include "point_sets.hpp"
#include "sv_clustering_cases.hpp"

namespace maxmargin {
namespace {

TEST(SvSweep, WidthsGoFromTheLargestToTheNeighbourDistance) {
  const DenseMatrix points = matrix(1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const std::vector<double> gammas = sweep_gammas(points, 5);
  ASSERT_EQ(gammas.size(), 5U);
  EXPECT_DOUBLE_EQ(gammas.front(), 1.0 / 100);
  EXPECT_DOUBLE_EQ(gammas.back(), resolve_gamma(GammaRule::neighbour(), points));
  for (std::size_t s = 2; s < 5; ++s) {
    EXPECT_NEAR(gammas[s] / gammas[s - 1], gammas[1] / gammas[0], 1e-12);
  }
  EXPECT_EQ(sweep_gammas(DenseMatrix(4, 2, 1.0), 6).size(), 1U);
  EXPECT_THROW(static_cast<void>(sweep_gammas(points, 0)), InvalidArgument);
}

TEST(SvSweep, CopiesDoNotChangeTheWidths) {
  std::vector<double> line;
  std::vector<double> copies;
  for (int i = 0; i <= 10; ++i) {
    line.push_back(i);
    copies.insert(copies.end(), 8, i);  // the 5th neighbour of each is a copy
  }
  EXPECT_EQ(sweep_gammas(matrix(1, copies), 5), sweep_gammas(matrix(1, line), 5));
}

TEST(SvSweep, ChoosesTheLongestRunAndInItFewestVectors) {
  const auto step = [](std::size_t clusters, std::size_t vectors) {
    return SvSweepStep{.clusters = clusters, .support_vectors = vectors};
  };
  const std::vector<SvSweepStep> steps = {step(1, 5),
                                          step(1, 6),
                                          step(1, 7),
                                          step(2, 9),
                                          step(2, 8),
                                          step(3, 12),
                                          step(7, 80),
                                          step(7, 81),
                                          step(7, 82)};
  EXPECT_EQ(choose_sweep_step(steps, 100), 4U);  // the sevens follow the points
  EXPECT_EQ(choose_sweep_step(steps, 1000), 6U);
  EXPECT_EQ(choose_sweep_step(std::span(steps).first(3), 100), 0U);
  EXPECT_EQ(choose_sweep_step(std::span(steps).last(2), 100), 0U);
  EXPECT_THROW(static_cast<void>(choose_sweep_step({}, 10)), InvalidArgument);
}

TEST(SvSweep, StepsThatFailedAreNotChosen) {
  const SvSweepStep failed{.status = Status::numerical_failure};
  const SvSweepStep one{.clusters = 1, .support_vectors = 5};
  const SvSweepStep close{.clusters = 9, .support_vectors = 90};
  EXPECT_EQ(choose_sweep_step(std::vector{failed, one, failed}, 100), 1U);
  EXPECT_EQ(choose_sweep_step(std::vector{failed, close}, 100), 1U);
  EXPECT_EQ(choose_sweep_step(std::vector{failed, failed}, 100), 0U);
}

TEST(SvSweep, AWidthThatFailsDoesNotSpoilTheOthers) {
  // (10 gamma + ...)^3 overflows at the last widths.
  const Dataset data = blobs(30, 2, 3);
  const std::vector<double> gammas = {0.1, 1e110, 1e120};
  const SvSweep sweep =
      sweep_sv_clustering(data, gammas, {.kernel = Polynomial{.coef0 = 1, .degree = 3}});
  ASSERT_EQ(sweep.steps[2].status, Status::numerical_failure);
  EXPECT_EQ(sweep.chosen, 0U);
  EXPECT_GT(sweep.clustering.sizes.size(), 0U);
}

TEST(SvSweep, IrisBreaksIntoSetosaAndTheRest) {  // seed-merat fact 51
  const Dataset data = iris();
  const SvSweep sweep =
      sweep_sv_clustering(data, sweep_gammas(data.examples, 8), {.tolerance = 1e-8});
  ASSERT_EQ(sweep.steps.size(), 8U);
  EXPECT_EQ(sweep.steps.front().clusters, 1U);
  for (std::size_t s = 0; s < 8; ++s) {
    EXPECT_LT(sweep.steps[s].squared_radius, 1);
    EXPECT_EQ(sweep.steps[s].status, Status::solved);
    if (s > 0) {
      EXPECT_GT(sweep.steps[s].squared_radius, sweep.steps[s - 1].squared_radius);
    }
  }
  EXPECT_EQ(sweep.clustering.sizes, (std::vector<std::size_t>{100, 50}));
  // The sweep's answer is that of its width alone.
  const SvClustering alone = cluster_sv(
      data, {.kernel = Rbf{.gamma = sweep.steps[sweep.chosen].gamma}, .tolerance = 1e-8});
  EXPECT_EQ(alone.labels, sweep.clustering.labels);
  EXPECT_EQ(alone.model.predict(data.examples), sweep.clustering.model.predict(data.examples));
}

TEST(SvSweep, SharedGraphsChangeNothingWhenOutliersDiffer) {
  const Dataset data = blobs(80, 2, 3);
  const SvClusteringOptions options{.nu = 0.1};
  const auto alone = [&](double gamma) {
    SvClusteringOptions at_width = options;
    at_width.kernel = Rbf{.gamma = gamma};
    return cluster_sv(data, at_width);
  };
  // Up and down: the chosen width follows on graphs of other rows.
  std::set<std::vector<bool>> sets_of_outliers;
  for (const std::vector<double>& gammas :
       {std::vector{0.05, 0.3, 1.0, 3.0}, std::vector{3.0, 1.0, 0.3, 0.05}}) {
    const SvSweep sweep = sweep_sv_clustering(data, gammas, options);
    for (std::size_t s = 0; s < gammas.size(); ++s) {
      const SvClustering found = alone(gammas[s]);
      EXPECT_EQ(sweep.steps[s].clusters, found.sizes.size());
      EXPECT_EQ(sweep.steps[s].outliers, found.outliers);
      EXPECT_EQ(sweep.steps[s].support_vectors, found.support_vectors);
      std::vector<bool> outliers;
      for (const std::int32_t label : found.labels) outliers.push_back(label < 0);
      sets_of_outliers.insert(outliers);
    }
    EXPECT_GT(sweep.chosen, 0U);
    EXPECT_EQ(sweep.clustering.labels, alone(gammas[sweep.chosen]).labels);
  }
  EXPECT_GE(sets_of_outliers.size(), 2U);
}

}  // namespace
}  // namespace maxmargin
