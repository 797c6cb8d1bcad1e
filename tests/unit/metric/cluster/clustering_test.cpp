// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/cluster/clustering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;

Labels random_labels(Rng& rng, std::size_t n, std::size_t kinds, double outliers = 0) {
  Labels labels(n);
  for (auto& label : labels) {
    label = rng.bernoulli(outliers) ? -1 : static_cast<std::int32_t>(rng.index(kinds));
  }
  return labels;
}

/// `count` copies of every (class, cluster) pair.
struct Pair {
  std::int32_t class_number;
  std::int32_t cluster;
  int count;
};
Contingency table_of(const std::vector<Pair>& pairs) {
  Labels classes;
  Labels clusters;
  for (const Pair& pair : pairs) {
    classes.insert(classes.end(), static_cast<std::size_t>(pair.count), pair.class_number);
    clusters.insert(clusters.end(), static_cast<std::size_t>(pair.count), pair.cluster);
  }
  return {classes, clusters};
}

/// All ways to name clusters by distinct classes: permutations of enough names, some of no class.
double misassignment_by_search(const Labels& classes, const Labels& clusters, int kinds) {
  std::vector<std::int32_t> name(static_cast<std::size_t>(kinds));
  std::iota(name.begin(), name.end(), 0);
  double least = 1;
  do {
    double wrong = 0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      wrong += clusters[i] < 0 || name[static_cast<std::size_t>(clusters[i])] != classes[i];
    }
    least = std::min(least, wrong / static_cast<double>(classes.size()));
  } while (std::next_permutation(name.begin(), name.end()));
  return least;
}

TEST(Misassignment, IsTheLeastErrorOverAllOneToOneNamings) {
  Rng rng(1);
  for (int repeat = 0; repeat < 30; ++repeat) {
    const std::size_t classes = 1 + rng.index(5);
    const std::size_t clusters = 1 + rng.index(5);
    const Labels truth = random_labels(rng, 25, classes);
    const Labels found = random_labels(rng, 25, clusters, 0.1);
    const int kinds = static_cast<int>(std::max(classes, clusters));
    EXPECT_DOUBLE_EQ(misassignment(Contingency(truth, found)),
                     misassignment_by_search(truth, found, kinds));
  }
}

// seed-xu fact 66 and section 2.16.
TEST(Misassignment, IsNeverBelowTheMajorityErrorAndBothAreZeroOnEqualPartitions) {
  Rng rng(2);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Labels truth = random_labels(rng, 30, 1 + rng.index(4));
    const Contingency table(truth, random_labels(rng, 30, 1 + rng.index(6), 0.1));
    EXPECT_GE(misassignment(table), majority_error(table));
    EXPECT_DOUBLE_EQ(matched_accuracy(table), 1 - misassignment(table));
    EXPECT_DOUBLE_EQ(purity(table), 1 - majority_error(table));
    const Contingency same(truth, truth);
    EXPECT_EQ(misassignment(same), 0);
    EXPECT_EQ(majority_error(same), 0);
  }
}

TEST(Misassignment, OfTwoClustersIsTheSmallerOfErrorAndItsComplement) {
  Rng rng(3);
  for (int repeat = 0; repeat < 50; ++repeat) {
    Labels truth = random_labels(rng, 20, 2);
    Labels found = random_labels(rng, 20, 2);
    truth[0] = found[0] = 0;
    truth[1] = found[1] = 1;
    double error = 0;
    for (std::size_t i = 0; i < 20; ++i) error += (truth[i] != found[i]) / 20.0;
    EXPECT_NEAR(misassignment(Contingency(truth, found)), std::min(error, 1 - error), 1e-15);
  }
}

// seed-xu fact 66, seed-merat fact 39.
TEST(Clustering, NamesAndOrderOfRowsDoNotMatter) {
  Rng rng(4);
  const Labels truth = random_labels(rng, 60, 3);
  const Labels found = random_labels(rng, 60, 4, 0.1);
  const Labels class_names = {1000000, 7, 0};
  const Labels cluster_names = {5, 2000000000, 3, 1};
  const auto order = rng.permutation(60);
  Labels truth_moved;
  Labels found_moved;
  for (const std::size_t i : order) {
    truth_moved.push_back(class_names[static_cast<std::size_t>(truth[i])]);
    found_moved.push_back(found[i] < 0 ? -1 : cluster_names[static_cast<std::size_t>(found[i])]);
  }
  const Contingency a(truth, found);
  const Contingency b(truth_moved, found_moved);
  EXPECT_EQ(misassignment(a), misassignment(b));
  EXPECT_EQ(majority_error(a), majority_error(b));
  EXPECT_EQ(purity(a), purity(b));
  EXPECT_NEAR(adjusted_rand_index(a), adjusted_rand_index(b), 1e-14);
  EXPECT_NEAR(normalized_mutual_information(a), normalized_mutual_information(b), 1e-14);
}

// seed-merat fact 39.
TEST(Purity, IsOneForPerfectClusteringsAndForSingletonsAndNeverBelowTheLargestClassShare) {
  Rng rng(5);
  const Labels truth = random_labels(rng, 40, 3);
  Labels singletons(40);
  std::iota(singletons.begin(), singletons.end(), 0);
  EXPECT_EQ(purity(Contingency(truth, truth)), 1);
  EXPECT_EQ(purity(Contingency(truth, singletons)), 1);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Contingency table(truth, random_labels(rng, 40, 1 + rng.index(5)));
    const double largest =
        *std::max_element(table.class_sizes().begin(), table.class_sizes().end()) / 40;
    EXPECT_GE(purity(table), largest - 1e-15);
  }
}

// seed-merat fact 39 and FC-37: cluster 1 = "positive" holds TP and FP, cluster 0 FN and TN.
TEST(Purity, ShortcutOfThesisHoldsExactlyWhenMajoritiesDifferOrTie) {
  const Contingency example = table_of({{1, 1, 50}, {0, 1, 10}, {1, 0, 40}, {0, 0, 0}});
  EXPECT_DOUBLE_EQ(purity(example), 0.9);
  EXPECT_DOUBLE_EQ(matched_accuracy(example), 0.5);
  for (int tp = 0; tp < 4; ++tp) {
    for (int fp = 0; fp < 4; ++fp) {
      for (int fn = 0; fn < 4; ++fn) {
        for (int tn = 0; tn < 4; ++tn) {
          const int n = tp + fp + fn + tn;
          if (n == 0) continue;
          const Contingency table = table_of({{1, 1, tp}, {0, 1, fp}, {1, 0, fn}, {0, 0, tn}});
          const double right = static_cast<double>(tp + tn) / n;
          const double shortcut = std::max(right, 1 - right);
          EXPECT_NEAR(matched_accuracy(table), shortcut, 1e-15);
          const bool differ_or_tie = (tp - fp) * (tn - fn) >= 0;
          EXPECT_EQ(std::abs(purity(table) - shortcut) < 1e-12, differ_or_tie);
        }
      }
    }
  }
}

TEST(MatchClusters, NamesTheClassOfEachClusterAndLeavesTheRestUnnamed) {
  const Contingency table = table_of({{7, 3, 10}, {9, 3, 1}, {7, 5, 4}, {9, 8, 6}});
  const auto matches = match_clusters(table);
  ASSERT_EQ(matches.size(), 3u);
  EXPECT_EQ(matches[0].cluster, 3);
  EXPECT_EQ(matches[0].matched_class, 7);
  EXPECT_EQ(matches[1].cluster, 5);
  EXPECT_FALSE(matches[1].matched_class);
  EXPECT_EQ(matches[2].matched_class, 9);
  EXPECT_DOUBLE_EQ(misassignment(table), 5.0 / 21);
}

/// By walking all pairs of rows; outliers are clusters of their own.
double rand_index_by_pairs(const Labels& classes, const Labels& clusters) {
  double both = 0;
  double in_classes = 0;
  double in_clusters = 0;
  double all = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (std::size_t j = i + 1; j < classes.size(); ++j) {
      const bool same_class = classes[i] == classes[j];
      const bool same_cluster = clusters[i] == clusters[j] && clusters[i] >= 0;
      both += same_class && same_cluster;
      in_classes += same_class;
      in_clusters += same_cluster;
      ++all;
    }
  }
  const double expected = in_classes * in_clusters / all;
  return (both - expected) / ((in_classes + in_clusters) / 2 - expected);
}

double mutual_information_by_counting(const Labels& classes, Labels clusters) {
  std::int32_t next = 1000;
  for (auto& cluster : clusters) {
    if (cluster < 0) cluster = next++;
  }
  const auto n = static_cast<double>(classes.size());
  std::map<std::pair<std::int32_t, std::int32_t>, double> joint;
  std::map<std::int32_t, double> a;
  std::map<std::int32_t, double> b;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    joint[{classes[i], clusters[i]}] += 1 / n;
    a[classes[i]] += 1 / n;
    b[clusters[i]] += 1 / n;
  }
  double information = 0;
  double entropy_a = 0;
  double entropy_b = 0;
  for (const auto& [key, p] : joint)
    information += p * std::log(p / (a[key.first] * b[key.second]));
  for (const auto& [key, p] : a) entropy_a -= p * std::log(p);
  for (const auto& [key, p] : b) entropy_b -= p * std::log(p);
  return information / ((entropy_a + entropy_b) / 2);
}

TEST(Clustering, RandAndInformationEqualTheirDefinitionsOverRows) {
  Rng rng(6);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Labels truth = random_labels(rng, 40, 3);
    const Labels found = random_labels(rng, 40, 2 + rng.index(4), repeat % 2 ? 0.15 : 0);
    const Contingency table(truth, found);
    EXPECT_NEAR(adjusted_rand_index(table), rand_index_by_pairs(truth, found), 1e-12);
    EXPECT_NEAR(
        normalized_mutual_information(table), mutual_information_by_counting(truth, found), 1e-12);
  }
}

TEST(AdjustedRand, KnownValuesAndDegenerateCases) {
  // Hubert and Arabie's formula by hand: 2 pairs in both, 2 and 4 within, 15 pairs.
  const Contingency table(Labels{0, 0, 0, 1, 1, 1}, Labels{0, 0, 1, 1, 2, 2});
  EXPECT_NEAR(adjusted_rand_index(table), (2 - 18.0 / 15) / (4.5 - 18.0 / 15), 1e-15);
  EXPECT_EQ(adjusted_rand_index(Contingency(Labels{0, 0, 0}, Labels{4, 4, 4})), 1);
  EXPECT_EQ(adjusted_rand_index(Contingency(Labels{0, 1, 2}, Labels{4, 3, 7})), 1);
  EXPECT_EQ(adjusted_rand_index(Contingency(Labels{0, 0, 0}, Labels{1, 2, 3})), 0);
  EXPECT_EQ(adjusted_rand_index(Contingency(Labels{0}, Labels{1})), 1);
  EXPECT_EQ(normalized_mutual_information(Contingency(Labels{0}, Labels{1})), 1);
}

TEST(Clustering, ChanceGivesAdjustedRandNearZero) {
  Rng rng(7);
  double sum = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    sum += adjusted_rand_index(Contingency(random_labels(rng, 60, 3), random_labels(rng, 60, 3)));
  }
  // One value has a standard deviation of about 0.02 here; the mean of 200 of about 0.0014.
  EXPECT_NEAR(sum / 200, 0, 0.007);
}

TEST(Clustering, OutliersAreWrongAndUnlabelledRowsAreLeftOut) {
  const Contingency table(Labels{0, 0, 1, 1, -1}, Labels{0, -1, 1, 1, 0});
  EXPECT_EQ(table.total(), 4);
  EXPECT_EQ(table.outliers(), 1);
  EXPECT_EQ(table.class_outliers()[0], 1);
  EXPECT_DOUBLE_EQ(misassignment(table), 0.25);
  EXPECT_DOUBLE_EQ(majority_error(table), 0.25);
}

TEST(Clustering, IsUndefinedWithoutLabelledRows) {
  const Contingency none(Labels{-1}, Labels{0});
  EXPECT_TRUE(std::isnan(misassignment(none)));
  EXPECT_TRUE(std::isnan(majority_error(none)));
  EXPECT_TRUE(std::isnan(adjusted_rand_index(none)));
  EXPECT_TRUE(std::isnan(normalized_mutual_information(none)));
  const Contingency all_out(Labels{0, 1}, Labels{-1, -1});
  EXPECT_EQ(misassignment(all_out), 1);
  EXPECT_EQ(purity(all_out), 0);
}

TEST(Clustering, RefusesWhatBreaksItsRules) {
  EXPECT_THROW(Contingency(Labels{0}, Labels{0, 1}), InvalidArgument);
  EXPECT_THROW(Contingency(Labels{-2}, Labels{0}), InvalidArgument);
  EXPECT_THROW(Contingency(Labels{0}, Labels{-2}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
