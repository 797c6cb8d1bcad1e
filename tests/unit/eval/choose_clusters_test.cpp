// SPDX-License-Identifier: Apache-2.0
#include "eval/choose_clusters.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cluster_functions.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "maxmargin/model/projection/pca.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;

const ChooseClustersOptions quick = {.most = 5, .pairs = 6, .references = 4};

const ClusterCountScore& score_of(const ClusterChoice& choice, std::size_t k) {
  for (const ClusterCountScore& score : choice.scores) {
    if (score.k == k) return score;
  }
  throw InternalError("no such score");
}

TEST(ChooseClusters, FindsThreeSeparatedGroups) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Dataset data = three_groups(90, seed);
    ChooseClustersOptions options = quick;
    options.context.seed = seed;
    const ClusterChoice choice = choose_clusters(data, by_kmeans, options);
    EXPECT_EQ(choice.k, 3u) << seed;
    EXPECT_EQ(choice.gap_k, 3u) << seed;
    EXPECT_EQ(choice.scores.size(), 4u);
    EXPECT_EQ(score_of(choice, 3).stability, 1);
    EXPECT_EQ(choice.status, Status::solved);
    EXPECT_TRUE(choice.warnings.empty());
  }
}

TEST(ChooseClusters, FindsTwoRingsUnderAMethodThatKnowsRadii) {
  const Dataset rings = generate_circles({.n = 120, .seed = 1});
  // k-means of the radius alone: what a method that sees rings does.
  const ClusterFunction by_radius = [](const Dataset& data, std::size_t k, std::uint64_t seed) {
    DenseMatrix radii(data.size(), 1);
    for (std::size_t i = 0; i < data.size(); ++i) {
      radii(i, 0) = std::sqrt(data.examples.row(i).squared_norm());
    }
    return by_kmeans({.examples = std::move(radii)}, k, seed);
  };
  EXPECT_EQ(choose_clusters(rings, by_radius, quick).k, 2u);
}

TEST(ChooseClusters, EqualStabilitiesGoToTheLargerSilhouette) {
  const Dataset data = three_groups(60, 4);
  // Stable at every k: 2 joins two groups, 3 is the truth, 4 and more cut by the second feature.
  const ClusterFunction stable = [](const Dataset& rows, std::size_t k, std::uint64_t seed) {
    Labels labels = by_first_feature(rows, k, seed);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (k == 2) labels[i] = std::min(labels[i], 1);
      if (k > 3 && labels[i] == 0 && rows.examples.row(i).at(1) > 0) {
        labels[i] = static_cast<std::int32_t>(k) - 1;
      }
    }
    return labels;
  };
  const ClusterChoice choice = choose_clusters(data, stable, quick);
  for (const ClusterCountScore& score : choice.scores) EXPECT_EQ(score.stability, 1) << score.k;
  EXPECT_EQ(choice.k, 3u);
}

TEST(ChooseClusters, ARareFailureDoesNotHideTheRightNumber) {
  const Dataset data = three_groups(90, 12);
  // k = 3 is right but for one run in ten, drawn by the seed; k = 2 and more always move a few
  // rows.
  const ClusterFunction method = [](const Dataset& rows, std::size_t k, std::uint64_t seed) {
    Labels labels = by_first_feature(rows, k, seed);
    if (k == 3) return Rng(seed).bernoulli(0.08) ? random_clusters(rows, 3, seed) : labels;
    Rng rng(seed);
    for (std::int32_t& label : labels) {
      if (rng.bernoulli(0.03)) label = static_cast<std::int32_t>(rng.index(3));
    }
    return labels;
  };
  const ClusterChoice choice =
      choose_clusters(data, method, {.most = 4, .pairs = 20, .references = 0});
  const ClusterCountScore& three = score_of(choice, 3);
  ASSERT_LT(three.stability, 0.95);  // otherwise the seed makes this test say nothing
  ASSERT_LT(three.stability, score_of(choice, 2).stability);
  EXPECT_EQ(three.median_stability, 1);
  EXPECT_GT(three.stability_error, 0);
  EXPECT_EQ(choice.k, 3u);
}

TEST(ChooseClusters, AClearlyLowerMeanIsNotSavedByItsMedian) {
  const Dataset data = three_groups(90, 13);
  const ClusterFunction method = [](const Dataset& rows, std::size_t k, std::uint64_t seed) {
    Labels labels = by_first_feature(rows, k, seed);
    if (k == 2) return Rng(seed).bernoulli(0.14) ? random_clusters(rows, 3, seed) : labels;
    labels[0] = (labels[0] + 1) % 3;  // one row of the first place is always wrong
    return labels;
  };
  const ClusterChoice choice =
      choose_clusters(data, method, {.most = 3, .pairs = 20, .references = 0});
  EXPECT_EQ(score_of(choice, 2).median_stability, 1);
  EXPECT_EQ(choice.k, 3u);
}

TEST(ChooseClusters, GapIsThatOfAPlainRecomputation) {
  const Dataset data = three_groups(30, 5);
  const ClusterChoice choice = choose_clusters(data, by_first_feature, quick);
  // by_first_feature puts nearly all of a reference set into the groups by its x alone: only the
  // reference boxes matter. Recompute them with the documented streams.
  const PcaModel pca = train_pca(data.examples);
  const DenseMatrix scores = pca.transform(data.examples);
  std::vector<double> low(2, INFINITY);
  std::vector<double> high(2, -INFINITY);
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      low[j] = std::min(low[j], scores(i, j));
      high[j] = std::max(high[j], scores(i, j));
    }
  }
  std::vector<double> log_w;
  for (std::size_t b = 0; b < 4; ++b) {
    Rng rng(0, "gap reference", b);
    DenseMatrix draws(30, 2);
    for (std::size_t i = 0; i < 30; ++i) {
      for (std::size_t j = 0; j < 2; ++j) draws(i, j) = rng.uniform(low[j], high[j]);
    }
    const Dataset reference{.examples = pca.inverse_transform(draws.view())};
    const Labels clusters = by_first_feature(reference, 3, 0);
    log_w.push_back(std::log(sum_of_squares(reference.examples, clusters).total));
  }
  double mean = 0;
  for (const double value : log_w) mean += value / 4;
  double variance = 0;
  for (const double value : log_w) variance += (value - mean) * (value - mean) / 4;
  const double own = std::log(sum_of_squares(data.examples, by_first_feature(data, 3, 0)).total);
  EXPECT_NEAR(score_of(choice, 3).gap, mean - own, 1e-12);
  EXPECT_NEAR(score_of(choice, 3).gap_error, std::sqrt(variance * 1.25), 1e-12);
}

TEST(ChooseClusters, OneCloudHasNoClustersByTheGap) {
  DenseMatrix cloud(80, 2);
  Rng rng(6);
  for (double& x : cloud.values()) x = rng.uniform();
  EXPECT_EQ(choose_clusters({.examples = std::move(cloud)}, by_kmeans, quick).gap_k, 1u);
}

TEST(ChooseClusters, IsTheSameForAnyThreadCount) {
  const Dataset data = three_groups(45, 7);
  const auto run = [&](std::size_t threads) {
    ChooseClustersOptions options = quick;
    options.context.threads = threads;
    return choose_clusters(data, by_kmeans, options);
  };
  const ClusterChoice one = run(1);
  for (const std::size_t threads : {2u, 4u}) {
    const ClusterChoice other = run(threads);
    EXPECT_EQ(other.k, one.k);
    for (std::size_t c = 0; c < one.scores.size(); ++c) {
      EXPECT_EQ(other.scores[c].stability, one.scores[c].stability);
      EXPECT_EQ(other.scores[c].silhouette, one.scores[c].silhouette);
      EXPECT_EQ(other.scores[c].gap, one.scores[c].gap);
      EXPECT_EQ(other.scores[c].gap_error, one.scores[c].gap_error);
    }
  }
}

TEST(ChooseClusters, SilhouetteIsTakenInTheKernelsSpaceAndOfDrawnRows) {
  const Dataset data = three_groups(60, 8);
  ChooseClustersOptions options = quick;
  options.kernel = Rbf{.gamma = 0.1};
  const ClusterChoice choice = choose_clusters(data, by_first_feature, options);
  const Labels truth = by_first_feature(data, 3, 0);
  EXPECT_EQ(score_of(choice, 3).silhouette,
            kernel_silhouette(*options.kernel, data.examples, truth).mean);
  options.silhouette_rows = 30;
  const double of_some = score_of(choose_clusters(data, by_first_feature, options), 3).silhouette;
  EXPECT_NE(of_some, score_of(choice, 3).silhouette);
  EXPECT_NEAR(of_some, score_of(choice, 3).silhouette, 0.1);
}

TEST(ChooseClusters, NumbersAboveTheDifferentPointsAreNotTried) {
  DenseMatrix points(12, 1);
  for (std::size_t i = 0; i < 12; ++i) points(i, 0) = static_cast<double>(i % 3);
  const Dataset data{.examples = points};
  EXPECT_EQ(cluster_counts_to_try(data, 2, 10), (std::vector<std::size_t>{2, 3}));
  const ClusterChoice choice = choose_clusters(data, by_kmeans, quick);
  EXPECT_EQ(choice.scores.size(), 2u);
  EXPECT_EQ(choice.k, 3u);
  EXPECT_TRUE(std::isnan(score_of(choice, 3).gap));  // W_3 = 0
  const Dataset equal{.examples = DenseMatrix(5, 2, 1.0)};
  EXPECT_THROW((void)choose_clusters(equal, by_kmeans, quick), InvalidArgument);
  EXPECT_THROW((void)choose_clusters({.examples = DenseMatrix(0, 2)}, by_kmeans, quick),
               InvalidArgument);
}

TEST(ChooseClusters, AMethodThatRefusesReferencesLeavesTheGapUndefined) {
  const Dataset data = three_groups(45, 9);
  const ClusterFunction choosy = [](const Dataset& rows, std::size_t k, std::uint64_t seed) {
    if (rows.source != "three groups") throw InvalidArgument("strange points");
    return by_kmeans(rows, k, seed);
  };
  const ClusterChoice choice = choose_clusters(data, choosy, quick);
  EXPECT_EQ(choice.k, 3u);
  EXPECT_TRUE(std::isnan(score_of(choice, 3).gap));
  EXPECT_FALSE(choice.gap_k.has_value());
  ASSERT_EQ(choice.warnings.size(), 1u);
  EXPECT_NE(choice.warnings[0].find("strange points"), std::string::npos);
}

TEST(ChooseClusters, StoppedRunsChooseAmongWhatIsDone) {
  const Dataset data = three_groups(45, 10);
  ChooseClustersOptions options = quick;
  options.context.threads = 1;
  options.context.on_progress = [](const Progress& progress) {
    return progress.iteration >= 25 ? Continue::stop : Continue::yes;  // 10 tasks a k: 2, 3, half 4
  };
  const ClusterChoice choice = choose_clusters(data, by_kmeans, options);
  EXPECT_EQ(choice.status, Status::stopped_by_callback);
  EXPECT_EQ(choice.k, 3u);
  EXPECT_TRUE(std::isnan(score_of(choice, 4).stability));
}

TEST(ChooseClusters, ARunThatWasStoppedMidwayIsNotCounted) {
  const Dataset data = three_groups(45, 14);
  const ClusterFunction of_all = by_kmeans;
  std::vector<ClusterCandidate> candidates;
  for (const std::size_t k : {2u, 3u, 4u}) candidates.push_back({k, of_all(data, k, 0)});
  // 6 pairs of 2 runs and 4 references a k: time runs out in the middle of k = 4.
  std::size_t runs = 0;
  const ClusterFunction stopped = [&](const Dataset& rows, std::size_t k, std::uint64_t seed) {
    return ++runs > 38 ? Labels{} : by_kmeans(rows, k, seed);
  };
  ChooseClustersOptions options = quick;
  options.context.threads = 1;
  const ClusterChoice choice = choose_clusters(data, candidates, stopped, options);
  EXPECT_EQ(choice.status, Status::stopped_by_callback);
  EXPECT_EQ(choice.k, 3u);
  EXPECT_FALSE(std::isnan(score_of(choice, 3).gap));
  EXPECT_TRUE(std::isnan(score_of(choice, 4).stability));
  EXPECT_TRUE(std::isnan(score_of(choice, 4).gap));
}

TEST(ChooseClusters, AStopBeforeTheFirstCandidateTakesTheSmallestNumber) {
  const ClusterFunction stopped = [](const Dataset&, std::size_t, std::uint64_t) {
    return Labels{};
  };
  const ClusterChoice choice = choose_clusters(three_groups(30, 15), stopped, quick);
  EXPECT_EQ(choice.status, Status::stopped_by_callback);
  EXPECT_EQ(choice.k, 2u);
  EXPECT_TRUE(choice.scores.empty());
}

TEST(ChooseClusters, ANumberThatTheMethodRefusesIsLeftOut) {
  const Dataset data = three_groups(45, 16);
  const auto refusing = [](std::size_t least_rows) -> ClusterFunction {
    return [least_rows](const Dataset& rows, std::size_t k, std::uint64_t seed) {
      if (k == 2 && rows.size() < least_rows) throw InvalidArgument("two is too few");
      return by_kmeans(rows, k, seed);
    };
  };
  // On subsamples alone, then on all rows too.
  for (const std::size_t least_rows : {45u, 46u}) {
    const ClusterChoice choice = choose_clusters(data, refusing(least_rows), quick);
    EXPECT_EQ(choice.k, 3u);
    EXPECT_EQ(choice.status, Status::solved);
    ASSERT_EQ(choice.warnings.size(), 1u);
    EXPECT_NE(choice.warnings[0].find("two is too few"), std::string::npos);
    EXPECT_EQ(choice.scores.size(), least_rows == 45 ? 4u : 3u);
  }
  const ClusterFunction never = [](const Dataset&, std::size_t, std::uint64_t) -> Labels {
    throw InvalidArgument("never");
  };
  EXPECT_THROW((void)choose_clusters(data, never, quick), InvalidArgument);
}

TEST(ChooseClusters, RejectsWrongInput) {
  const Dataset data = three_groups(30, 11);
  const auto run = [&](const ChooseClustersOptions& options) {
    (void)choose_clusters(data, by_kmeans, options);
  };
  EXPECT_THROW(run({.least = 1}), InvalidArgument);
  EXPECT_THROW(run({.least = 5, .most = 4}), InvalidArgument);
  EXPECT_THROW(run({.pairs = 0}), InvalidArgument);
  EXPECT_THROW(run({.share = 0.5}), InvalidArgument);
  EXPECT_THROW(run({.kernel = Rbf{.gamma = -1}}), InvalidArgument);
  EXPECT_THROW(run({.silhouette_rows = 1}), InvalidArgument);
  EXPECT_THROW((void)choose_clusters(data, {}, quick), InvalidArgument);
  const std::vector<ClusterCandidate> falling = {{3, Labels(30, 0)}, {2, Labels(30, 0)}};
  EXPECT_THROW((void)choose_clusters(data, falling, by_kmeans), InvalidArgument);
  const std::vector<ClusterCandidate> short_labels = {{2, Labels(3, 0)}};
  EXPECT_THROW((void)choose_clusters(data, short_labels, by_kmeans), InvalidArgument);
  EXPECT_THROW((void)choose_clusters(data, std::vector<ClusterCandidate>{}, by_kmeans),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
