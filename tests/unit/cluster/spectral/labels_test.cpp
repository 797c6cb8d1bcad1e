// SPDX-License-Identifier: Apache-2.0
#include "cluster/spectral/labels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/generators.hpp"

namespace maxmargin {
namespace {

using Names = std::vector<std::int32_t>;

std::size_t errors(const Names& names, const Names& clusters, const Names& classes) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (classes[i] < 0 || clusters[i] < 0) continue;
    wrong += names[static_cast<std::size_t>(clusters[i])] != classes[i] ? 1U : 0U;
  }
  return wrong;
}

TEST(NameClusters, ErrsNoMoreThanAnyOneToOneNaming) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    Names clusters;
    Names classes;
    for (int i = 0; i < 30; ++i) {
      clusters.push_back(static_cast<std::int32_t>(rng.index(4)));
      classes.push_back(static_cast<std::int32_t>(rng.index(5)) - 1);
    }
    const Names found = name_clusters(clusters, 4, classes, 4);
    Names sorted = found;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, (Names{0, 1, 2, 3}));
    Names tried = {0, 1, 2, 3};
    do {
      EXPECT_LE(errors(found, clusters, classes), errors(tried, clusters, classes));
    } while (std::next_permutation(tried.begin(), tried.end()));
  }
}

TEST(NameClusters, AClusterWithoutLabelsGetsTheClassThatIsLeft) {
  EXPECT_EQ(name_clusters(Names{0, 0, 1, 1}, 2, Names{1, 1, -1, -1}, 2), (Names{1, 0}));
}

TEST(NameClusters, TiesGoToTheLargerClass) {
  // Cluster 2, left over and without labels, could be either: class 1 has more labelled rows.
  EXPECT_EQ(name_clusters(Names{0, 0, 1, 1, 1}, 3, Names{0, 1, 1, 1, 1}, 2), (Names{0, 1, 1}));
}

TEST(NameClusters, RefusesWhatDoesNotFit) {
  EXPECT_THROW((void)name_clusters(Names{0}, 1, Names{0, 1}, 2), InvalidArgument);
  EXPECT_THROW((void)name_clusters(Names{1}, 1, Names{0}, 1), InvalidArgument);
  EXPECT_THROW((void)name_clusters(Names{0}, 1, Names{1}, 1), InvalidArgument);
  EXPECT_THROW((void)name_clusters(Names{0}, 1, Names{0}, 0), InvalidArgument);
}

// seed-xu 2.8: two rings, one label each, are told apart.
TEST(SpectralLabels, LabelsRingsFromOneRowEach) {
  const Dataset truth = generate_circles({.n = 200, .noise = 0.05, .seed = 1});
  Dataset data = truth;
  bool seen_first = false;
  bool seen_second = false;
  for (std::size_t i = 0; i < data.size(); ++i) {
    bool& seen = *truth.labels.at(i) == Label(1.0) ? seen_first : seen_second;
    if (seen) data.labels.clear(i);
    seen = true;
  }
  const SpectralLabelling found = label_by_spectral(data);
  EXPECT_EQ(found.labelled_error, 0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(found.classes[static_cast<std::size_t>(found.class_of_row[i])], *truth.labels.at(i));
  }
  const std::vector<Label> again = found.predict(data.examples);
  for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(again[i], *truth.labels.at(i));
}

TEST(SpectralLabels, NeedsLabelsOfTwoClasses) {
  Dataset data = generate_circles({.n = 20, .seed = 1});
  for (std::size_t i = 1; i < data.size(); ++i) data.labels.clear(i);
  EXPECT_THROW((void)label_by_spectral(data), InvalidArgument);
  data.labels.clear(0);
  EXPECT_THROW((void)label_by_spectral(data), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
