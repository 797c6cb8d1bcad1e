// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/mmc/multiclass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "class_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "point_sets.hpp"
#include "relax/class_polish.hpp"
#include "relax/class_rounding.hpp"

namespace maxmargin {
namespace {

/// n points around three centres in turn.
Dataset three_groups(std::size_t n, double spread, std::uint64_t seed = 1) {
  Rng rng(seed, "three groups");
  DenseMatrix points(n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = 2 * std::acos(-1.0) / 3 * static_cast<double>(i % 3);
    points(i, 0) = 3 * std::cos(angle) + spread * rng.normal();
    points(i, 1) = 3 * std::sin(angle) + spread * rng.normal();
  }
  Dataset data;
  data.examples = Examples(std::move(points));
  data.source = "three groups";
  return data;
}

ClassLabels in_turn(std::size_t n) {
  ClassLabels labels;
  for (std::size_t i = 0; i < n; ++i) labels.push_back(static_cast<std::int32_t>(i % 3));
  return labels;
}

ClassRules rules_of(std::size_t n, double balance) {
  const ClusterSizes sizes = balanced_sizes(n, 3, balance);
  return {.least = std::vector<std::size_t>(3, sizes.least),
          .most = std::vector<std::size_t>(3, sizes.most)};
}

TEST(MulticlassMmc, FindsThreeGroupsAndPredictsThem) {
  const Dataset data = three_groups(30, 0.4);
  const TrainedMulticlassMmc trained =
      cluster_multiclass_mmc(data, Rbf{.gamma = 0.3}, {.k = 3, .c = 10});
  const MulticlassMmc& found = trained.clustering;
  EXPECT_TRUE(is_success(found.report.status));
  EXPECT_EQ(canonical_labels(found.labels), in_turn(30));
  EXPECT_EQ(found.sizes, (std::vector<std::size_t>{10, 10, 10}));
  EXPECT_EQ(trained.model.predict(data.examples), found.labels);
  EXPECT_GE(found.objective, found.relaxation.lower_bound);
  EXPECT_EQ(found.relaxation.bound, ClassBound::trivial);
  EXPECT_EQ(found.relaxation.lower_bound, 0);
  EXPECT_TRUE(std::ranges::any_of(found.report.warnings, [](const std::string& warning) {
    return warning.find("vacuous") != std::string::npos;
  }));
}

// Every labelling of 7 points is above the bound, and the returned one is the best or near it;
// the bound is proven by the proofs alone.
TEST(MulticlassMmc, BoundsHoldForAllLabellings) {
  std::size_t broken = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    DenseMatrix gram = rbf_gram(normal_points(7, 2, seed), 0.8);
    const double c = seed % 2 == 0 ? 0.2 : 1;
    const ClassRules rules = rules_of(7, 0.3);
    ClassSaddle problem{.matrix = gram.view(), .c = c, .classes = 3};
    problem.least.assign(rules.least.begin(), rules.least.end());
    problem.most.assign(rules.most.begin(), rules.most.end());
    const MulticlassMmc found = cluster_multiclass_mmc(
        gram,
        {.k = 3, .c = c, .balance = 0.3, .bias = KernelBias::none, .restarts = 5, .anchors = 3});
    const double best = c * best_labelling_omega(problem, 200);
    EXPECT_LE(found.relaxation.lower_bound, best * (1 + 1e-9));
    EXPECT_NEAR(found.objective, best, 1e-3 * best);
    EXPECT_GE(found.relaxation.lower_bound, found.relaxation.plain_bound);
    EXPECT_GE(found.relaxation.value, found.relaxation.lower_bound);
    EXPECT_NEAR(c * proven_class_bound(problem, found.anchors, found.proofs),
                found.relaxation.lower_bound,
                1e-12 * best);
    if (found.relaxation.bound == ClassBound::symmetry_broken) ++broken;
  }
  EXPECT_GE(broken, 1U);
}

bool has_warning(const MulticlassMmc& found, const std::string& text) {
  return std::ranges::any_of(found.report.warnings, [&](const std::string& warning) {
    return warning.find(text) != std::string::npos;
  });
}

// The certificates of all partitions are kept: where they do not fit, the plain bound must do.
TEST(MulticlassMmc, TellsNothingApartWithoutTheMemory) {
  const DenseMatrix gram = rbf_gram(normal_points(7, 2, 0), 0.8);
  MulticlassMmcOptions options{
      .k = 3, .c = 0.2, .balance = 0.3, .bias = KernelBias::none, .restarts = 5, .anchors = 3};
  // 21 matrices for a relaxation, 2 of the plain one, 5 partitions.
  options.context.memory_limit = 28 * 49 * sizeof(double);
  const MulticlassMmc enough = cluster_multiclass_mmc(gram, options);
  EXPECT_EQ(enough.relaxation.bound, ClassBound::symmetry_broken);
  EXPECT_EQ(enough.proofs.size(), 5U);
  options.context.memory_limit = *options.context.memory_limit - 1;
  const MulticlassMmc less = cluster_multiclass_mmc(gram, options);
  EXPECT_FALSE(less.relaxation.broken_bound.has_value());
  EXPECT_NE(less.relaxation.bound, ClassBound::symmetry_broken);
  EXPECT_TRUE(has_warning(less, "symmetry"));
  EXPECT_EQ(less.labels, enough.labels);
}

// A bound that is not there yet is no negative value.
TEST(MulticlassMmc, WarningsSayWhyTheBoundIsVacuous) {
  const DenseMatrix gram = rbf_gram(normal_points(12, 2, 0), 0.8);
  const MulticlassMmc large =
      cluster_multiclass_mmc(gram, {.k = 3, .c = 100, .bias = KernelBias::none});
  EXPECT_LT(large.relaxation.value, 0);
  EXPECT_TRUE(has_warning(large, "value is negative"));
  std::size_t early = 0;
  for (const double c : {0.5, 0.8, 1.0, 1.2, 1.5}) {
    const MulticlassMmc limited = cluster_multiclass_mmc(
        gram, {.k = 3, .c = c, .bias = KernelBias::none, .max_iterations = 1, .anchors = 0});
    const bool negative = limited.relaxation.value < 0;
    if (limited.relaxation.bound != ClassBound::trivial) continue;
    EXPECT_EQ(has_warning(limited, "value is negative"), negative);
    EXPECT_EQ(has_warning(limited, "ended as iteration_limit before its bound"), !negative);
    if (!negative) ++early;
  }
  EXPECT_GT(early, 0U);
}

// A bound holds for semidefinite kernels alone, and who stops at once is not told whether this is
// one: it has the eigenvalue -1, and no objective is the least.
TEST(MulticlassMmc, NoBoundForAKernelThatWasNotChecked) {
  const auto matrix = std::make_shared<DenseMatrix>(4, 4, 2.0);
  for (std::size_t i = 0; i < 4; ++i) (*matrix)(i, i) = 1;
  const Dataset data{.examples = index_examples(4)};
  MulticlassMmcOptions options{.k = 2, .c = 1e-3, .bias = KernelBias::none};
  EXPECT_THROW((void)cluster_multiclass_mmc(data, Precomputed{matrix}, options), InvalidArgument);
  options.context.on_progress = [](const Progress&) { return Continue::stop; };
  const MulticlassMmc stopped =
      cluster_multiclass_mmc(data, Precomputed{matrix}, options).clustering;
  EXPECT_EQ(stopped.relaxation.bound, ClassBound::trivial);
  EXPECT_EQ(stopped.relaxation.lower_bound, 0);
  EXPECT_EQ(*stopped.report.lower_bound, 0);
  EXPECT_TRUE(stopped.proofs.empty());
  EXPECT_TRUE(has_warning(stopped, "semidefinite"));
  EXPECT_FALSE(has_warning(stopped, "weak"));
  // Nor is a matrix with nothing but zeros on its diagonal, unless there are no others.
  for (std::size_t i = 0; i < 4; ++i) (*matrix)(i, i) = 0;
  EXPECT_THROW(
      (void)cluster_multiclass_mmc(data, Precomputed{matrix}, {.k = 2, .bias = KernelBias::none}),
      InvalidArgument);
}

// With all points told apart the bound is the best labelling itself.
TEST(MulticlassMmc, AllPointsAsAnchorsIsEnumeration) {
  DenseMatrix gram = rbf_gram(normal_points(5, 2, 3), 0.8);
  const MulticlassMmc found = cluster_multiclass_mmc(
      gram, {.k = 2, .c = 0.5, .balance = 0.3, .bias = KernelBias::none, .anchors = 5});
  EXPECT_EQ(found.relaxation.bound, ClassBound::symmetry_broken);
  EXPECT_NEAR(found.relaxation.lower_bound, found.objective, 2e-3 * found.objective);
}

// The plain value is not negative when C lambda_max(K) <= 2.
TEST(MulticlassMmc, SmallCIsCertified) {
  const Dataset data = three_groups(15, 0.4);
  const TrainedMulticlassMmc trained = cluster_multiclass_mmc(
      data, Rbf{.gamma = 0.3}, {.k = 3, .c = 0.1, .bias = KernelBias::center});
  const MulticlassRelaxation& relaxation = trained.clustering.relaxation;
  EXPECT_GT(relaxation.plain_bound, 0);
  EXPECT_NE(relaxation.bound, ClassBound::trivial);
  EXPECT_LE(relaxation.lower_bound, trained.clustering.objective);
}

// The answer is no worse than the truth polished.
TEST(MulticlassMmc, NoWorseThanTheTruthPolished) {
  for (const double gamma : {0.05, 1.0}) {
    const Dataset data = three_groups(15, 0.8, 3);
    const TrainedMulticlassMmc trained = cluster_multiclass_mmc(
        data, Rbf{.gamma = gamma}, {.k = 3, .c = 10, .restarts = 3, .anchors = 0});
    std::vector<std::vector<double>> points;
    for (std::size_t i = 0; i < 15; ++i) {
      points.push_back({data.examples.row(i).at(0), data.examples.row(i).at(1)});
    }
    DenseMatrix gram = rbf_gram(points, gamma);
    (void)apply_bias(KernelBias::center, FeatureCentring::fit(gram.view()), gram, "test", 1, {});
    const FittedClasses truth =
        polish_classes(gram.view(), rules_of(15, 0.1), in_turn(15), {.c = 10, .tolerance = 1e-6});
    EXPECT_LE(trained.clustering.objective, 1.01 * truth.objective);
  }
}

TEST(MulticlassMmc, BiasesAndKernels) {
  const Dataset data = three_groups(18, 0.3);
  for (const KernelBias bias : {KernelBias::center, KernelBias::constant, KernelBias::none}) {
    const TrainedMulticlassMmc trained =
        cluster_multiclass_mmc(data, Linear{}, {.k = 3, .c = 10, .bias = bias, .restarts = 3});
    EXPECT_EQ(canonical_labels(trained.clustering.labels), in_turn(18));
    EXPECT_EQ(trained.model.predict(data.examples), trained.clustering.labels);
  }
}

// The Gram matrix of the points and the points themselves have the same answer under every bias.
TEST(MulticlassMmc, BothOverloadsApplyTheBias) {
  const Dataset data = three_groups(12, 0.4);
  for (const KernelBias bias : {KernelBias::center, KernelBias::constant, KernelBias::none}) {
    const MulticlassMmcOptions options{.k = 3, .c = 0.5, .bias = bias, .restarts = 3};
    const DenseMatrix matrix = gram(Linear{}, data.examples);
    const MulticlassMmc of_points = cluster_multiclass_mmc(data, Linear{}, options).clustering;
    const MulticlassMmc of_matrix = cluster_multiclass_mmc(matrix, options);
    EXPECT_EQ(of_matrix.labels, of_points.labels);
    EXPECT_EQ(of_matrix.objective, of_points.objective);
    EXPECT_EQ(of_matrix.relaxation.lower_bound, of_points.relaxation.lower_bound);
  }
}

TEST(MulticlassMmc, SameForAnyNumberOfThreadsAndStoppable) {
  const Dataset data = three_groups(20, 1.0);
  MulticlassMmcOptions options{.k = 3, .c = 1, .restarts = 5, .context = {.threads = 1}};
  const TrainedMulticlassMmc one = cluster_multiclass_mmc(data, Rbf{.gamma = 0.3}, options);
  options.context.threads = 4;
  const TrainedMulticlassMmc four = cluster_multiclass_mmc(data, Rbf{.gamma = 0.3}, options);
  EXPECT_EQ(one.clustering.labels, four.clustering.labels);
  EXPECT_EQ(one.clustering.objective, four.clustering.objective);
  EXPECT_EQ(one.clustering.relaxation.lower_bound, four.clustering.relaxation.lower_bound);
  options.context.on_progress = [](const Progress&) { return Continue::stop; };
  const TrainedMulticlassMmc stopped = cluster_multiclass_mmc(data, Rbf{.gamma = 0.3}, options);
  EXPECT_EQ(stopped.clustering.report.status, Status::stopped_by_callback);
  EXPECT_EQ(stopped.clustering.labels.size(), 20U);
}

TEST(MulticlassMmc, RefusesUglyInput) {
  const Dataset data = three_groups(6, 0.3);
  const auto refuses = [&](MulticlassMmcOptions options) {
    EXPECT_THROW((void)cluster_multiclass_mmc(data, Linear{}, options), InvalidArgument);
  };
  refuses({.k = 1});
  refuses({.k = 7});
  refuses({.k = 3, .c = 0});
  refuses({.k = 3, .balance = 1.0});
  refuses({.k = 3, .tolerance = 0});
  refuses({.k = 3, .max_iterations = 0});
  refuses({.k = 3, .restarts = 0});
  refuses({.k = 3, .anchors = 7});
  refuses({.k = 3, .context = {.memory_limit = 1000}});
  Dataset weighted = data;
  weighted.weights = {1, 1, 1, 1, 1, 2};
  EXPECT_THROW((void)cluster_multiclass_mmc(weighted, Linear{}, {.k = 3}), InvalidArgument);
  Dataset alike;
  alike.examples = Examples(DenseMatrix(6, 2, 1.0));
  EXPECT_THROW((void)cluster_multiclass_mmc(alike, Linear{}, {.k = 3}), InvalidArgument);
  EXPECT_THROW((void)cluster_multiclass_mmc(data, Sigmoid{}, {.k = 3}), InvalidArgument);
  // Each point its own cluster.
  EXPECT_EQ(cluster_multiclass_mmc(data, Linear{}, {.k = 6}).clustering.sizes,
            std::vector<std::size_t>(6, 1));
}

}  // namespace
}  // namespace maxmargin
