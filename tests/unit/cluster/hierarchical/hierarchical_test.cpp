// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/hierarchical/hierarchical.hpp"
#include "maxmargin/core/options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/weights.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "point_sets.hpp"
#include "solver/cluster_numbers.hpp"
#include "solver/kmeans/bound.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;
using Members = std::vector<std::size_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::array all_linkages = {
    Linkage::single, Linkage::complete, Linkage::average, Linkage::ward};

/// The linkage by its definition, from the points themselves.
double plain_linkage(
    const Dataset& data, Distance distance, Linkage linkage, const Members& a, const Members& b) {
  if (linkage == Linkage::ward) {
    const DenseView points = data.examples.dense();
    std::vector<double> difference(points.cols, 0.0);
    double mass_a = 0;
    double mass_b = 0;
    for (const std::size_t i : a) mass_a += weight_of(data.weights, i);
    for (const std::size_t i : b) mass_b += weight_of(data.weights, i);
    for (std::size_t f = 0; f < points.cols; ++f) {
      for (const std::size_t i : a) {
        difference[f] += weight_of(data.weights, i) / mass_a * points(i, f);
      }
      for (const std::size_t i : b) {
        difference[f] -= weight_of(data.weights, i) / mass_b * points(i, f);
      }
    }
    double square = 0;
    for (const double x : difference) square += x * x;
    return std::sqrt(2 * mass_a * mass_b / (mass_a + mass_b) * square);
  }
  double least = infinity;
  double largest = 0;
  double sum = 0;
  double mass = 0;
  for (const std::size_t i : a) {
    for (const std::size_t j : b) {
      const double value = distance_between(distance, data.examples.row(i), data.examples.row(j));
      const double weight = weight_of(data.weights, i) * weight_of(data.weights, j);
      least = std::min(least, value);
      largest = std::max(largest, value);
      sum += weight * value;
      mass += weight;
    }
  }
  if (linkage == Linkage::single) return least;
  return linkage == Linkage::complete ? largest : sum / mass;
}

/// Heights of all merges, and the labels for every number of clusters, by looking at all pairs of
/// clusters before every merge.
struct PlainTree {
  std::vector<double> heights = {};
  std::vector<Labels> labels = {};  ///< labels[k - 1]: k clusters
};

PlainTree plain_tree(const Dataset& data, Distance distance, Linkage linkage) {
  const std::size_t n = data.size();
  std::vector<Members> clusters;
  for (std::size_t i = 0; i < n; ++i) clusters.push_back({i});
  PlainTree tree;
  tree.labels.resize(n);
  while (true) {
    Labels labels(n);
    for (std::size_t c = 0; c < clusters.size(); ++c) {
      for (const std::size_t i : clusters[c]) labels[i] = static_cast<std::int32_t>(c);
    }
    tree.labels[clusters.size() - 1] = number_by_size(labels, clusters.size()).labels;
    if (clusters.size() == 1) return tree;
    double least = infinity;
    std::size_t first = 0;
    std::size_t second = 1;
    for (std::size_t a = 0; a < clusters.size(); ++a) {
      for (std::size_t b = a + 1; b < clusters.size(); ++b) {
        const double value = plain_linkage(data, distance, linkage, clusters[a], clusters[b]);
        if (value >= least) continue;
        least = value;
        first = a;
        second = b;
      }
    }
    tree.heights.push_back(least);
    clusters[first].insert(clusters[first].end(), clusters[second].begin(), clusters[second].end());
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(second));
  }
}

Dataset cloud(std::size_t n, std::uint64_t seed, bool weighted = false) {
  Dataset data{.examples = gaussian_points(n, 3, seed)};
  Rng rng(seed, "weights");
  for (std::size_t i = 0; weighted && i < n; ++i) data.weights.push_back(0.5 + rng.uniform());
  return data;
}

DenseMatrix identity(std::size_t n) {
  DenseMatrix rows(n, n);
  for (std::size_t i = 0; i < n; ++i) rows(i, i) = 1;
  return rows;
}

class HierarchicalProperty : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(HierarchicalProperty, EveryTreeIsThatOfThePlainMethod) {
  for (const bool weighted : {false, true}) {
    const Dataset data = cloud(24, GetParam(), weighted);
    for (const Linkage linkage : all_linkages) {
      for (const Distance distance : {Distance::euclidean, Distance::manhattan, Distance::cosine}) {
        if (linkage == Linkage::ward && distance != Distance::euclidean) continue;
        const PlainTree plain = plain_tree(data, distance, linkage);
        const HierarchicalClustering found =
            cluster_hierarchical(data, {.k = 3, .linkage = linkage, .distance = distance});
        ASSERT_NO_THROW(validate(found.tree));
        for (std::size_t t = 0; t < 23; ++t) {
          EXPECT_NEAR(found.tree.merges[t].height, plain.heights[t], 1e-12);
        }
        for (std::size_t k = 1; k <= 24; ++k) {
          EXPECT_EQ(found.tree.labels(k), plain.labels[k - 1])
              << to_string(linkage) << " " << to_string(distance) << " k = " << k;
        }
        EXPECT_EQ(found.labels, plain.labels[2]);
        EXPECT_EQ(found.cut_height, found.tree.merges[20].height);
        EXPECT_EQ(found.next_height, found.tree.merges[21].height);
        const DenseMatrix distances = distance_matrix(data.examples, distance);
        const Dendrogram again = build_dendrogram(distances.view(), linkage, data.weights);
        for (std::size_t k = 1; k <= 24; ++k) EXPECT_EQ(again.labels(k), plain.labels[k - 1]);
      }
    }
  }
}

// Enough points that rows of clusters that are gone are dropped on the way.
TEST_P(HierarchicalProperty, LongerTreesAreThoseOfThePlainMethodToo) {
  const Dataset data = cloud(80, GetParam(), GetParam() % 2 == 0);
  for (const Linkage linkage : all_linkages) {
    const PlainTree plain = plain_tree(data, Distance::euclidean, linkage);
    const Dendrogram tree = cluster_hierarchical(data, {.k = 1, .linkage = linkage}).tree;
    for (std::size_t t = 0; t < 79; ++t) {
      EXPECT_NEAR(tree.merges[t].height, plain.heights[t], 1e-11);
    }
    for (const std::size_t k : {2u, 3u, 5u, 10u, 30u, 60u}) {
      EXPECT_EQ(tree.labels(k), plain.labels[k - 1]) << to_string(linkage) << " k = " << k;
    }
  }
}

TEST_P(HierarchicalProperty, CommonOffsetDoesNotMatterToWardsTree) {
  const Dataset data = cloud(80, GetParam());
  DenseMatrix moved = data.examples.to_dense();
  for (double& x : moved.values()) x += 1048576;
  const auto plain = cluster_hierarchical(data, {.k = 4});
  const auto far = cluster_hierarchical(Dataset{.examples = moved}, {.k = 4});
  EXPECT_EQ(plain.labels, far.labels);
  EXPECT_NEAR(plain.cut_height, far.cut_height, 1e-8);  // the sum rounds the points at 1e-10
}

// Of all partitions into k clusters, single linkage has the widest gap between clusters.
TEST_P(HierarchicalProperty, SingleLinkageHasTheWidestGapOfAllPartitions) {
  const std::size_t n = 8;
  const Dataset data = cloud(n, GetParam());
  const DenseMatrix distances = distance_matrix(data.examples, Distance::euclidean);
  for (const std::int32_t k : {2, 3, 4}) {
    double widest = 0;
    Labels labels(n, 0);
    for (bool more = true; more;) {
      std::vector<bool> occurs(static_cast<std::size_t>(k), false);
      double gap = infinity;
      for (std::size_t i = 0; i < n; ++i) {
        occurs[static_cast<std::size_t>(labels[i])] = true;
        for (std::size_t j = 0; j < i; ++j) {
          if (labels[i] != labels[j]) gap = std::min(gap, distances(i, j));
        }
      }
      if (std::ranges::all_of(occurs, [](bool is) { return is; })) widest = std::max(widest, gap);
      std::size_t at = 0;
      while (at < n && ++labels[at] == k) labels[at++] = 0;
      more = at < n;
    }
    const auto found =
        cluster_hierarchical(data, {.k = static_cast<std::size_t>(k), .linkage = Linkage::single});
    EXPECT_DOUBLE_EQ(found.next_height, widest);
  }
}

TEST_P(HierarchicalProperty, WardsHeightsAddUpToTheSumOfSquares) {
  const Dataset data = cloud(50, GetParam());
  for (const std::size_t k : {1u, 2u, 5u, 20u, 50u}) {
    const auto found = cluster_hierarchical(data, {.k = k});
    const double inertia = sum_of_squares(data.examples, found.labels).total;
    EXPECT_NEAR(*found.report.primal_objective, inertia, 1e-11);
    ASSERT_TRUE(found.report.lower_bound.has_value());
    // The report shows no more than its sum of squares: the bound itself must stay below.
    EXPECT_LE(kmeans_lower_bound(data.examples.dense(), k), inertia + 1e-11);
    EXPECT_LE(*found.report.lower_bound, *found.report.primal_objective);
  }
}

TEST_P(HierarchicalProperty, CompleteLinkageCutsAtTheLargestDiameter) {
  const Dataset data = cloud(40, GetParam());
  const auto found = cluster_hierarchical(
      data, {.k = 6, .linkage = Linkage::complete, .distance = Distance::manhattan});
  double diameter = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (found.labels[i] != found.labels[j]) continue;
      diameter = std::max(
          diameter,
          distance_between(Distance::manhattan, data.examples.row(i), data.examples.row(j)));
    }
  }
  EXPECT_DOUBLE_EQ(*found.report.primal_objective, diameter);
}

TEST_P(HierarchicalProperty, WeightTwoIsTheSameAsTwoEqualPoints) {
  Dataset weighted = cloud(15, GetParam());
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 15; ++i) {
    weighted.weights.push_back(i % 4 == 0 ? 2.0 : 1.0);
    rows.insert(rows.end(), i % 4 == 0 ? 2 : 1, i);
  }
  Dataset repeated = weighted.select(rows);
  repeated.weights.clear();
  for (const Linkage linkage : all_linkages) {
    const auto a = cluster_hierarchical(weighted, {.k = 4, .linkage = linkage});
    const auto b = cluster_hierarchical(repeated, {.k = 4, .linkage = linkage});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_EQ(a.labels[rows[i]] == a.labels[rows[j]], b.labels[i] == b.labels[j]);
      }
    }
    EXPECT_NEAR(a.cut_height, b.cut_height, 1e-12);
    EXPECT_EQ(b.tree.clusters_at(0), 15u);
  }
}

TEST_P(HierarchicalProperty, OrderAndThreadsDoNotMatter) {
  const Dataset data = cloud(60, GetParam());
  Rng rng(GetParam());
  const std::vector<std::size_t> order = rng.permutation(60);
  const Dataset permuted = data.select(order);
  for (const Linkage linkage : all_linkages) {
    const auto plain =
        cluster_hierarchical(data, {.k = 5, .linkage = linkage, .context = {.threads = 1}});
    const auto moved = cluster_hierarchical(permuted, {.k = 5, .linkage = linkage});
    EXPECT_NEAR(plain.cut_height, moved.cut_height, 1e-12);
    for (std::size_t i = 1; i < 60; ++i) {
      EXPECT_EQ(plain.labels[order[i]] == plain.labels[order[0]],
                moved.labels[i] == moved.labels[0]);
    }
    for (const std::size_t threads : {2u, 4u}) {
      const auto other =
          cluster_hierarchical(data, {.k = 5, .linkage = linkage, .context = {.threads = threads}});
      EXPECT_EQ(other.labels, plain.labels);
      for (std::size_t t = 0; t < 59; ++t) {
        EXPECT_EQ(other.tree.merges[t].first, plain.tree.merges[t].first);
        EXPECT_EQ(other.tree.merges[t].second, plain.tree.merges[t].second);
        EXPECT_EQ(other.tree.merges[t].height, plain.tree.merges[t].height);
      }
    }
  }
}

TEST_P(HierarchicalProperty, NewPointsGoWhereTheLinkageSaysTheyAreNearest) {
  for (const bool weighted : {false, true}) {
    const Dataset data = cloud(40, GetParam(), weighted);
    const DenseMatrix fresh = gaussian_points(30, 3, GetParam() + 100);
    for (const Linkage linkage : all_linkages) {
      const auto found = cluster_hierarchical(data, {.k = 4, .linkage = linkage});
      const Labels answers = found.model.predict(fresh);
      for (std::size_t i = 0; i < 30; ++i) {
        Dataset with_point = data;
        std::vector<double> distances(4);
        for (std::int32_t c = 0; c < 4; ++c) {
          double least = infinity;
          double largest = 0;
          double sum = 0;
          double mass = 0;
          std::vector<double> mean(3, 0.0);
          for (std::size_t j = 0; j < 40; ++j) {
            if (found.labels[j] != c) continue;
            const double weight = weight_of(data.weights, j);
            const double value =
                std::sqrt(squared_distance(fresh.row(i), data.examples.dense().row(j)));
            least = std::min(least, value);
            largest = std::max(largest, value);
            sum += weight * value;
            mass += weight;
            for (std::size_t f = 0; f < 3; ++f) mean[f] += weight * data.examples.dense()(j, f);
          }
          for (double& x : mean) x /= mass;
          const auto place = static_cast<std::size_t>(c);
          distances[place] = linkage == Linkage::single     ? least
                             : linkage == Linkage::complete ? largest
                             : linkage == Linkage::average
                                 ? sum / mass
                                 : std::sqrt(squared_distance(fresh.row(i), mean));
        }
        EXPECT_EQ(answers[i], std::ranges::min_element(distances) - distances.begin());
      }
      if (linkage == Linkage::single) {
        EXPECT_EQ(found.model.predict(data.examples), found.labels);
      }
    }
  }
}

// Rows of the identity: every pair of clusters is at sqrt(2) by average linkage, whatever the
// weights, and by Ward's with equal weights, so that rounding alone decides what is nearest.
TEST_P(HierarchicalProperty, EquidistantPointsHaveATreeOfEqualHeights) {
  for (const std::size_t n : {50u, 130u}) {
    Dataset data{.examples = identity(n)};
    const DenseMatrix distances = distance_matrix(data.examples, Distance::euclidean);
    Rng rng(GetParam(), "weights");
    std::vector<double> weights(n);
    for (double& weight : weights) weight = 0.1 + rng.uniform();
    for (const auto& tree : {build_dendrogram(distances.view(), Linkage::average),
                             build_dendrogram(distances.view(), Linkage::average, weights),
                             build_dendrogram(distances.view(), Linkage::ward),
                             cluster_hierarchical(data, {.k = 3, .lower_bound_limit = 0}).tree}) {
      ASSERT_NO_THROW(validate(tree));
      for (const Merge& merge : tree.merges) EXPECT_NEAR(merge.height, std::sqrt(2.0), 1e-13);
    }
    data.weights = weights;
    const auto weighted = cluster_hierarchical(data, {.k = 3, .lower_bound_limit = 0});
    ASSERT_NO_THROW(validate(weighted.tree));
    const Dendrogram again = build_dendrogram(distances.view(), Linkage::ward, weights);
    for (std::size_t t = 0; t + 1 < n; ++t) {
      EXPECT_NEAR(again.merges[t].height, weighted.tree.merges[t].height, 1e-12);
    }
  }
}

TEST_P(HierarchicalProperty, WeightedRowsOfTheIdentityHaveThePlainTree) {
  Dataset data = cloud(40, GetParam(), true);
  data.examples = identity(40);
  const PlainTree plain = plain_tree(data, Distance::euclidean, Linkage::ward);
  const Dendrogram tree = cluster_hierarchical(data, {.k = 1, .lower_bound_limit = 0}).tree;
  for (std::size_t t = 0; t < 39; ++t) EXPECT_NEAR(tree.merges[t].height, plain.heights[t], 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Seeds, HierarchicalProperty, ::testing::Range<std::uint64_t>(1, 6));

TEST(Hierarchical, FourPointsOnALineByHand) {
  const Dataset data{.examples = matrix(1, {0, 1, 3, 7})};
  const auto heights = [&](Linkage linkage) {
    std::vector<double> found;
    for (const Merge& merge :
         cluster_hierarchical(data, {.k = 1, .linkage = linkage}).tree.merges) {
      found.push_back(merge.height);
    }
    return found;
  };
  EXPECT_EQ(heights(Linkage::single), (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(heights(Linkage::complete), (std::vector<double>{1, 3, 7}));
  EXPECT_EQ(heights(Linkage::average), (std::vector<double>{1, 2.5, 17.0 / 3}));
  // {0, 1} to 3: sqrt(4/3) 2.5; {0, 1, 3} with mean 4/3 to 7: sqrt(6/4) 17/3.
  const std::vector<double> ward = heights(Linkage::ward);
  EXPECT_DOUBLE_EQ(ward[0], 1);
  EXPECT_DOUBLE_EQ(ward[1], std::sqrt(4.0 / 3) * 2.5);
  EXPECT_DOUBLE_EQ(ward[2], std::sqrt(1.5) * 17 / 3);
  const Dendrogram tree = cluster_hierarchical(data, {.k = 1}).tree;
  EXPECT_EQ(tree.merges[1].first, 2u);
  EXPECT_EQ(tree.merges[1].second, 4u);
  EXPECT_EQ(tree.clusters_at(0.5), 4u);
  EXPECT_EQ(tree.clusters_at(1), 3u);
  EXPECT_EQ(tree.clusters_at(infinity), 1u);
}

TEST(Hierarchical, TiesGoToTheLowestNumbers) {
  const Dataset data{.examples = matrix(1, {0, 1, 2, 3})};
  for (const Linkage linkage : all_linkages) {
    const auto found = cluster_hierarchical(data, {.k = 3, .linkage = linkage});
    EXPECT_EQ(found.labels, (Labels{0, 0, 1, 2})) << to_string(linkage);
  }
}

TEST(Hierarchical, SparseAndDenseExamplesAgree) {
  const Dataset data = iris();
  const Dataset sparse{.examples = to_sparse(data.examples.dense())};
  for (const Linkage linkage : all_linkages) {
    const auto a = cluster_hierarchical(data, {.k = 3, .linkage = linkage});
    const auto b = cluster_hierarchical(sparse, {.k = 3, .linkage = linkage});
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_EQ(a.model.predict(sparse.examples), b.model.predict(data.examples));
  }
}

// Two far clouds: the guess for what is left must not mix them. Single linkage may have found the
// bridge between them before the points of the second cloud.
TEST(Hierarchical, StoppedTreeHasKClustersAndAModelAllTheSame) {
  Dataset data = cloud(540, 1);
  DenseMatrix points = data.examples.to_dense();
  for (std::size_t i = 1; i < 540; i += 2) points(i, 0) += 1000;
  data.examples = points;
  const DenseMatrix distances = distance_matrix(data.examples, Distance::euclidean);
  for (const std::size_t questions : {0u, 2u}) {
    for (const Linkage linkage : all_linkages) {
      for (const std::size_t k : {2u, 40u}) {
        std::size_t asked = 0;
        HierarchicalOptions options{.k = k, .linkage = linkage};
        options.context.on_progress = [&](const Progress&) {
          return asked++ == questions ? Continue::time_is_up : Continue::yes;
        };
        const auto found = cluster_hierarchical(data, options);
        EXPECT_EQ(found.report.status, Status::time_limit);
        EXPECT_EQ(found.sizes.size(), k);
        EXPECT_EQ(found.labels, found.tree.labels(k));
        ASSERT_NO_THROW(validate(found.tree));
        EXPECT_FALSE(found.report.lower_bound.has_value());
        if (linkage == Linkage::ward) {
          const double inertia = sum_of_squares(data.examples, found.labels).total;
          EXPECT_NEAR(*found.report.primal_objective, inertia, 1e-12 * inertia);
        }
        if (k == 2 && linkage != Linkage::single) {
          for (std::size_t i = 0; i < 540; ++i) EXPECT_EQ(found.labels[i], i % 2) << i;
        }
        if (k > 2) continue;
        EXPECT_EQ(found.model.predict(gaussian_points(5, 3, 1)).size(), 5u);
        asked = 0;
        EXPECT_EQ(cluster_hierarchical(distances.view(), options).sizes.size(), k);
      }
    }
  }
}

TEST(Hierarchical, StoppedTreeKeepsTheMergesFound) {
  const Dataset data = cloud(600, 2);
  for (const Linkage linkage : all_linkages) {
    const auto whole = cluster_hierarchical(data, {.k = 1, .linkage = linkage});
    HierarchicalOptions options{.k = 100, .linkage = linkage};
    options.context.on_progress = [](const Progress& progress) {
      return progress.iteration > 500 ? Continue::stop : Continue::yes;
    };
    const auto part = cluster_hierarchical(data, options);
    EXPECT_EQ(part.report.status, Status::stopped_by_callback);
    EXPECT_EQ(part.sizes.size(), 100u);
    std::size_t equal_heights = 0;
    for (const Merge& merge : part.tree.merges) {
      equal_heights += std::ranges::any_of(
          whole.tree.merges, [&](const Merge& other) { return other.height == merge.height; });
    }
    EXPECT_GE(equal_heights, 500u) << to_string(linkage);
  }
}

TEST(Hierarchical, DegenerateDataHasItsCorrectAnswer) {
  const Dataset point{.examples = matrix(2, {3, 4})};
  const Dataset equal{.examples = matrix(1, {7, 7, 7})};
  for (const Linkage linkage : all_linkages) {
    const auto one = cluster_hierarchical(point, {.k = 1, .linkage = linkage});
    EXPECT_EQ(one.labels, Labels{0});
    EXPECT_EQ(one.cut_height, 0);
    EXPECT_EQ(one.next_height, infinity);
    EXPECT_EQ(cluster_hierarchical(equal, {.k = 1, .linkage = linkage}).labels, (Labels{0, 0, 0}));
    EXPECT_THROW((void)cluster_hierarchical(equal, {.k = 2, .linkage = linkage}), InvalidArgument);
  }
}

TEST(Hierarchical, WrongInputIsRefused) {
  const Dataset data = cloud(5, 1);
  const auto refuses = [](const Dataset& set, const HierarchicalOptions& options) {
    EXPECT_THROW((void)cluster_hierarchical(set, options), InvalidArgument);
  };
  refuses({.examples = DenseMatrix(0, 2)}, {.k = 1});
  refuses(data, {.k = 0});
  refuses(data, {.k = 6});
  refuses(data, {.k = 2, .context = {.threads = 0}});
  refuses(data, {.k = 2, .distance = Distance::cosine});
  refuses({.examples = matrix(1, {0, NAN})}, {.k = 1});
  for (const Linkage linkage : all_linkages) {
    refuses({.examples = matrix(1, {0, 1e160, -1e160})}, {.k = 1, .linkage = linkage});
  }
  refuses({.examples = matrix(1, {0, 1e100, 3}), .weights = {1, 1e60, 1}}, {.k = 1});
  EXPECT_THROW((void)build_dendrogram(matrix(2, {0, 1e200, 1e200, 0}).view(), Linkage::ward),
               InvalidArgument);
  EXPECT_NO_THROW((void)build_dendrogram(matrix(2, {0, 1e200, 1e200, 0}).view(), Linkage::average));
  refuses({.examples = matrix(1, {0, 1}), .weights = {1, 0}}, {.k = 1});
  refuses({.examples = matrix(1, {0, 1}), .weights = {1}}, {.k = 1});
  for (const DenseMatrix& bad : {matrix(2, {0, 1}),
                                 matrix(2, {0, 1, 2, 0}),
                                 matrix(2, {0, -1, -1, 0}),
                                 matrix(2, {1, 1, 1, 0}),
                                 matrix(2, {0, INFINITY, INFINITY, 0})}) {
    EXPECT_THROW((void)build_dendrogram(bad.view(), Linkage::average), InvalidArgument);
  }
  const auto found = cluster_hierarchical(data, {.k = 2});
  EXPECT_THROW((void)found.model.predict(matrix(2, {0, 0})), InvalidArgument);
  EXPECT_THROW((void)found.model.predict(matrix(3, {0, 0, NAN})), InvalidArgument);
  EXPECT_THROW((void)HierarchicalModel{}.predict(matrix(1, {0})), InvalidArgument);
  Dendrogram broken = found.tree;
  EXPECT_THROW((void)broken.labels(6), InvalidArgument);
  broken.merges[0].second = 7;
  EXPECT_THROW(validate(broken), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
