// SPDX-License-Identifier: Apache-2.0
#include "eval/cluster_refit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cluster_functions.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/metric/scores.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;

TEST(ClusterRefit, SeparatedGroupsAreLearnedWithoutError) {
  const Dataset data = three_groups(60, 1);
  const Labels truth = by_first_feature(data, 3, 0);
  const ClusterRefit refit = refit_clusters(data, truth, {.kernel = Linear{}});
  EXPECT_EQ(refit.train_error, 0);
  EXPECT_EQ(refit.test_error, 0);
  EXPECT_GT(refit.fisher_ratio, 5);
  EXPECT_EQ(refit.status, Status::solved);
}

TEST(ClusterRefit, RandomLabelsCannotBeLearned) {
  const Dataset data = three_groups(90, 2);
  const ClusterRefit refit =
      refit_clusters(data, random_clusters(data, 2, 3), {.kernel = Linear{}});
  EXPECT_GT(refit.test_error, 0.3);
  EXPECT_LT(refit.fisher_ratio, 1);
}

TEST(ClusterRefit, OfTwoClustersIsThatOfTheMachineItself) {
  const Dataset data = iris();
  Labels clusters(150, 1);
  std::fill(clusters.begin() + 50, clusters.begin() + 100, 0);  // versicolor against the others
  const Kernel kernel = Rbf{.gamma = 0.125};
  const ClusterRefit refit = refit_clusters(data, clusters, {.kernel = kernel, .c = 1.5});

  Dataset labelled{.examples = data.examples};
  std::vector<double> labels(clusters.begin(), clusters.end());
  labelled.labels = LabelColumn::from_numbers(labels);
  const TrainedClassifier trained = train_svc(labelled, {.c = 1.5, .kernel = kernel});
  const DenseMatrix values =
      decision_values(trained.model.functions, data.examples, {.precision = ValuePrecision::exact});
  std::vector<double> projections(150);
  double wrong = 0;
  for (std::size_t i = 0; i < 150; ++i) {
    projections[i] = values(i, 0);
    wrong += (values(i, 0) >= 0) != (clusters[i] == 1) ? 1 : 0;
  }
  EXPECT_EQ(refit.train_error, wrong / 150);
  EXPECT_DOUBLE_EQ(refit.fisher_ratio, fisher_ratio(projections, clusters));
}

TEST(ClusterRefit, OutliersAreLeftOutAndNamesDoNotMatter) {
  const Dataset data = three_groups(60, 4);
  Labels truth = by_first_feature(data, 3, 0);
  truth[0] = truth[7] = -1;
  std::vector<std::size_t> rows;
  Labels rest;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] < 0) continue;
    rows.push_back(i);
    rest.push_back(truth[i]);
  }
  const ClusterRefit with = refit_clusters(data, truth);
  const ClusterRefit without = refit_clusters(data.select(rows), rest);
  EXPECT_EQ(with.fisher_ratio, without.fisher_ratio);
  EXPECT_EQ(with.test_error, without.test_error);
  for (std::int32_t& label : truth) label = label < 0 ? label : 10 + label;  // gaps in the numbers
  EXPECT_EQ(refit_clusters(data, truth).fisher_ratio, with.fisher_ratio);
}

TEST(ClusterRefit, SmallAndDegenerateClusterings) {
  const Dataset data = three_groups(6, 5);
  EXPECT_TRUE(std::isnan(refit_clusters(data, Labels(6, 0)).train_error));
  EXPECT_TRUE(std::isnan(refit_clusters(data, Labels(6, -1)).test_error));
  // Clusters of one point: folds that lack a cluster get it wrong, and nothing throws.
  const ClusterRefit singles = refit_clusters(data, Labels{0, 1, 2, 3, 4, 5});
  EXPECT_EQ(singles.test_error, 1);
  const ClusterRefit pair = refit_clusters(data, Labels{0, 1, -1, -1, -1, -1});
  EXPECT_EQ(pair.train_error, 0);
}

TEST(ClusterRefit, IsTheSameForAnyThreadCount) {
  const Dataset data = three_groups(60, 6);
  const Labels labels = random_clusters(data, 3, 1);
  const ClusterRefit one = refit_clusters(data, labels, {.context = {.threads = 1}});
  const ClusterRefit two = refit_clusters(data, labels, {.context = {.threads = 2}});
  EXPECT_EQ(one.test_error, two.test_error);
  EXPECT_EQ(one.fisher_ratio, two.fisher_ratio);
}

TEST(ClusterRefit, AMachineThatWasStoppedHasNoErrors) {
  const Dataset data = three_groups(60, 9);
  const std::vector<std::int32_t> truth = by_first_feature(data, 3, 0);
  const ProgressCallback at_once = [](const Progress&) { return Continue::time_is_up; };
  const ClusterRefit none = refit_clusters(data, truth, {.context = {.on_progress = at_once}});
  EXPECT_EQ(none.status, Status::time_limit);
  EXPECT_TRUE(std::isnan(none.train_error));
  EXPECT_TRUE(std::isnan(none.fisher_ratio));
  EXPECT_TRUE(std::isnan(none.test_error));
  // Stopped at the folds: the machine of all rows is whole.
  const ProgressCallback at_folds = [](const Progress& progress) {
    return progress.phase == "cross-validation" ? Continue::stop : Continue::yes;
  };
  const ClusterRefit half = refit_clusters(data, truth, {.context = {.on_progress = at_folds}});
  EXPECT_EQ(half.status, Status::stopped_by_callback);
  EXPECT_EQ(half.train_error, 0);
  EXPECT_GT(half.fisher_ratio, 0);
  EXPECT_TRUE(std::isnan(half.test_error));
}

TEST(ClusterRefit, RejectsWrongInput) {
  const Dataset data = three_groups(9, 7);
  const Labels labels = by_first_feature(data, 3, 0);
  EXPECT_THROW((void)refit_clusters(data, Labels{0, 1}), InvalidArgument);
  EXPECT_THROW((void)refit_clusters(data, Labels(9, -2)), InvalidArgument);
  EXPECT_THROW((void)refit_clusters(data, labels, {.c = 0}), InvalidArgument);
  EXPECT_THROW((void)refit_clusters(data, labels, {.folds = 1}), InvalidArgument);
  EXPECT_THROW((void)refit_clusters(data, labels, {.kernel = Rbf{.gamma = 0}}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
