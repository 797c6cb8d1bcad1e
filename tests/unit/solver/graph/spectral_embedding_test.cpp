// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/graph/spectral_embedding.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "graph_cases.hpp"
#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/solver/graph/split.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

/// The Laplacian from its definition.
DenseMatrix plain_laplacian(const SimilarityGraph& graph, Laplacian kind) {
  const std::size_t n = graph.size();
  DenseMatrix l(n, n);
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < n; ++v) {
      const double r = graph.degrees()[u];
      const double both = std::sqrt(r * graph.degrees()[v]);
      const double value = (u == v ? r : 0.0) - graph.dense()(u, v);
      l(u, v) = kind == Laplacian::unnormalized ? value : both > 0 ? value / both : 0.0;
    }
  }
  return l;
}

/// The closed chain of 404 points, above what LAPACK solves and slow for steps alone.
DenseMatrix closed_chain() {
  const std::size_t n = 404;
  DenseMatrix s(n, n);
  for (std::size_t u = 0; u < n; ++u) s(u, (u + 1) % n) = s((u + 1) % n, u) = 0.5;
  return s;
}

class EmbeddingProperty : public ::testing::TestWithParam<std::uint64_t> {};

// seed-xu fact 18, and the same for more clusters.
TEST_P(EmbeddingProperty, SumsOfSmallEigenvaluesBoundTheCutsOfAllPartitions) {
  for (const double missing : {0.0, 0.6}) {
    const SimilarityGraph graph(random_similarities(8, GetParam(), missing));
    for (const std::size_t k : {2u, 3u, 4u}) {
      double least_ratio = std::numeric_limits<double>::infinity();
      double least_normalized = std::numeric_limits<double>::infinity();
      for_each_partition(8, k, [&](const std::vector<std::int32_t>& labels) {
        const GraphCuts cuts = graph_cuts(graph, labels, k);
        least_ratio = std::min(least_ratio, cuts.ratio_cut);
        least_normalized = std::min(least_normalized, cuts.normalized_cut);
      });
      const auto bound = [&](Laplacian kind) {
        return spectral_embedding(graph, {.count = k, .laplacian = kind}).lower_bound;
      };
      EXPECT_LE(bound(Laplacian::unnormalized), least_ratio);
      EXPECT_LE(bound(Laplacian::normalized), least_normalized);
      if (missing == 0) {
        EXPECT_GT(bound(Laplacian::normalized), 0.5 * least_normalized);
      }
    }
    const SpectralEmbedding all = spectral_embedding(graph, {.count = 8});
    EXPECT_GE(all.eigenvalues.front(), 0);
    EXPECT_LE(all.eigenvalues.back(), 2 + 1e-13);
  }
}

// seed-xu fact 18 of the second eigenvalue itself; with two points it is the cut.
TEST_P(EmbeddingProperty, SecondEigenvalueIsAtMostTheLeastCutInTwo) {
  for (const std::size_t n : {2u, 5u, 9u, 12u}) {
    const SimilarityGraph graph(random_similarities(n, 50 + GetParam(), n > 4 ? 0.3 : 0.0));
    double least_ratio = std::numeric_limits<double>::infinity();
    double least_normalized = std::numeric_limits<double>::infinity();
    for_each_partition(n, 2, [&](const std::vector<std::int32_t>& labels) {
      const GraphCuts cuts = graph_cuts(graph, labels, 2);
      least_ratio = std::min(least_ratio, cuts.ratio_cut);
      least_normalized = std::min(least_normalized, cuts.normalized_cut);
    });
    const auto spectrum = [&](Laplacian kind) {
      return spectral_embedding(graph, {.count = n, .laplacian = kind}).eigenvalues;
    };
    const std::vector<double> ratio = spectrum(Laplacian::unnormalized);
    const std::vector<double> normalized = spectrum(Laplacian::normalized);
    EXPECT_LE(ratio[1], least_ratio * (1 + 1e-13) + 1e-13) << n;
    EXPECT_LE(normalized[1], least_normalized * (1 + 1e-13) + 1e-13) << n;
    if (n == 2) {
      EXPECT_NEAR(ratio[1], least_ratio, 1e-13 * least_ratio);
      EXPECT_NEAR(normalized[1], 2, 1e-13);
      EXPECT_NEAR(least_normalized, 2, 1e-13);
    }
    EXPECT_GE(ratio.front(), -1e-13);
    EXPECT_GE(normalized.front(), -1e-13);
    EXPECT_LE(normalized.back(), 2 + 1e-13);
  }
}

TEST_P(EmbeddingProperty, BlockMethodAgreesWithLapackOnThePlainLaplacian) {
  const DenseMatrix points = gaussian_points(450, 3, GetParam());
  const SimilarityGraph graph(gram(Rbf{.gamma = 0.5}, points));
  for (const Laplacian kind : {Laplacian::unnormalized, Laplacian::normalized}) {
    const SpectralEmbedding found = spectral_embedding(graph, {.count = 4, .laplacian = kind});
    ASSERT_EQ(found.status, Status::solved);
    const DenseMatrix l = plain_laplacian(graph, kind);
    const std::vector<double> all = eigenvalues_symmetric(l.view());
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(found.eigenvalues[i], all[i], 1e-9 * all.back());
      sum += all[i];
      std::vector<double> image(450);
      gemv(Transpose::no, 1.0, l.view(), found.vectors.row(i), 0.0, image);
      axpy(-found.eigenvalues[i], found.vectors.row(i), image);
      EXPECT_LE(std::sqrt(dot(image, image)), 3e-9 * all.back());
    }
    EXPECT_LE(found.lower_bound, sum);
    EXPECT_GE(found.lower_bound, sum - 1e-7 * all.back());
  }
}

// A closed chain has eigenvalues 1 - cos(2 pi j / n), far nearer to each other than steps alone can
// tell: the factor (dense) and the polynomial (sparse) must.
TEST(SpectralEmbedding, ClosedChainsHaveTheirKnownEigenvalues) {
  const DenseMatrix s = closed_chain();
  const std::size_t n = s.rows();
  const SimilarityGraph dense(s);
  const SimilarityGraph sparse(to_sparse(s.view()));
  for (const Laplacian kind : {Laplacian::unnormalized, Laplacian::normalized}) {
    for (const SimilarityGraph* graph : {&dense, &sparse}) {
      const SpectralEmbedding found =
          spectral_embedding(*graph, {.count = 3, .laplacian = kind, .tolerance = 1e-11});
      ASSERT_EQ(found.status, Status::solved);
      const double known = 1 - std::cos(2 * std::acos(-1.0) / static_cast<double>(n));
      EXPECT_NEAR(found.eigenvalues[0], 0, 1e-10);
      EXPECT_NEAR(found.eigenvalues[1], known, 1e-10);
      EXPECT_NEAR(found.eigenvalues[2], known, 1e-10);
      EXPECT_LE(found.lower_bound, 2 * known);
      EXPECT_GE(found.lower_bound, 2 * known - 1e-9);
    }
  }
}

TEST(SpectralEmbedding, StopIsObeyedEvenAtTheStepThatJudgesTheRate) {
  const SimilarityGraph graph(closed_chain());
  for (const Continue answer : {Continue::stop, Continue::time_is_up}) {
    const SpectralEmbedding found = spectral_embedding(
        graph, {.count = 3, .context = {.on_progress = [&](const Progress& progress) {
                              return progress.iteration == 20 ? answer : Continue::yes;
                            }}});
    EXPECT_EQ(found.status, status_of(answer));
    EXPECT_EQ(found.iterations, 20u);
    EXPECT_EQ(found.lower_bound, 0);
  }
}

TEST(SpectralEmbedding, StopIsObeyedWithinTheFactor) {
  const SimilarityGraph graph(closed_chain());
  const SpectralEmbedding found = spectral_embedding(
      graph, {.count = 3, .context = {.on_progress = [](const Progress& progress) {
                            return progress.phase == "factor" ? Continue::time_is_up
                                                              : Continue::yes;
                          }}});
  EXPECT_EQ(found.status, Status::time_limit);
  EXPECT_EQ(found.vectors.rows(), 3u);
  EXPECT_EQ(found.lower_bound, 0);
}

/// Every point joined to `degree` others, give or take double edges: its Laplacian has hardly any
/// small eigenvalue, and the wanted ones lie at the edge of a dense bulk.
DenseMatrix random_regular(std::size_t n, std::size_t degree, std::uint64_t seed) {
  DenseMatrix s(n, n);
  Rng rng(seed, "regular graph");
  for (std::size_t half = 0; half < degree / 2; ++half) {
    const std::vector<std::size_t> round = rng.permutation(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t u = round[i];
      const std::size_t v = round[(i + 1) % n];
      s(u, v) = s(v, u) = s(u, v) + 1;
    }
  }
  return s;
}

// No wanted value may be lost to help that damps it.
TEST(SpectralEmbedding, ExpandersHaveTheEigenvaluesOfLapack) {
  for (const std::size_t degree : {10u, 30u}) {
    const DenseMatrix s = random_regular(600, degree, degree);
    const SimilarityGraph dense(s);
    const SimilarityGraph sparse(to_sparse(s.view()));
    const DenseMatrix l = plain_laplacian(dense, Laplacian::normalized);
    const std::vector<double> all = eigenvalues_symmetric(l.view());
    for (const SimilarityGraph* graph : {&dense, &sparse}) {
      const SpectralEmbedding found = spectral_embedding(*graph, {.count = 8});
      ASSERT_EQ(found.status, Status::solved);
      for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(found.eigenvalues[i], all[i], 1e-8);
    }
  }
}

TEST(SpectralEmbedding, ThreadsDoNotChangeABitOnAnyPath) {
  const DenseMatrix cloud = gram(Rbf{.gamma = 2}, gaussian_points(600, 2, 3));
  const DenseMatrix chain = closed_chain();
  const std::vector<SimilarityGraph> graphs = {SimilarityGraph(cloud),                     // steps
                                               SimilarityGraph(chain),                     // factor
                                               SimilarityGraph(to_sparse(chain.view()))};  // filter
  for (const SimilarityGraph& graph : graphs) {
    const SpectralEmbedding one =
        spectral_embedding(graph, {.count = 2, .tolerance = 1e-5, .context = {.threads = 1}});
    const SpectralEmbedding other =
        spectral_embedding(graph, {.count = 2, .tolerance = 1e-5, .context = {.threads = 4}});
    EXPECT_EQ(one.eigenvalues, other.eigenvalues);
    EXPECT_EQ(one.iterations, other.iterations);
    EXPECT_TRUE(std::ranges::equal(one.vectors.values(), other.vectors.values()));
  }
}

TEST(SpectralEmbedding, SimilaritiesNearTheSmallestNumbersDoNotOverflow) {
  DenseMatrix s(2, 2);
  s(0, 1) = s(1, 0) = 1e-315;
  const SpectralEmbedding found = spectral_embedding(SimilarityGraph(s), {.count = 2});
  EXPECT_NEAR(found.eigenvalues[0], 0, 1e-14);
  EXPECT_NEAR(found.eigenvalues[1], 2, 1e-14);
}

// seed-xu section 2.6 with [E16]: the hyperplane view of the normalised cut.
TEST_P(EmbeddingProperty, SecondEigenvectorIsTheHyperplaneOfLargestWeightedSpread) {
  const std::size_t n = 25;
  const DenseMatrix k = gram(Rbf{.gamma = 0.7}, gaussian_points(n, 2, GetParam()));
  std::vector<double> sums(n, 0.0);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (const double value : k.row(i)) sums[i] += value;
    total += sums[i];
  }
  DenseMatrix scaled = k;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) scaled(i, j) /= std::sqrt(sums[i] * sums[j]);
  }
  const EigenPairs pairs = eigen_symmetric(scaled.view());
  const double mean_norm = std::sqrt(total) / static_cast<double>(n);
  std::vector<double> best(n);
  for (std::size_t i = 0; i < n; ++i) best[i] = pairs.vectors(n - 2, i) / std::sqrt(sums[i]);
  const double largest = mean_norm * pairs.values[n - 2];
  EXPECT_NEAR(hyperplane_spread(k.view(), best), largest, 1e-12);

  Rng rng(GetParam());
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> c(n);
    double along = 0;
    for (std::size_t i = 0; i < n; ++i) {
      c[i] = rng.normal();
      along += c[i] * sums[i];
    }
    // w . m = c'Ke / n = 0: orthogonal to the mean.
    for (double& entry : c) entry -= along / total;
    EXPECT_LE(hyperplane_spread(k.view(), c), largest + 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, EmbeddingProperty, ::testing::Range<std::uint64_t>(1, 6));

TEST(SpectralEmbedding, ComponentsAndIsolatedPointsHaveEigenvalueZero) {
  DenseMatrix s(5, 5);
  s(0, 1) = s(1, 0) = 2;
  s(2, 3) = s(3, 2) = 0.5;
  const SimilarityGraph graph(s);
  const SpectralEmbedding found = spectral_embedding(graph, {.count = 5});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found.eigenvalues[i], 0, 1e-15);
  EXPECT_NEAR(found.eigenvalues[3], 2, 1e-14);
  EXPECT_NEAR(found.eigenvalues[4], 2, 1e-14);
}

TEST(SpectralEmbedding, CompleteGraphHasKnownEigenvalues) {
  DenseMatrix s(500, 500, 1.0);
  const SimilarityGraph graph(s);
  const SpectralEmbedding plain =
      spectral_embedding(graph, {.count = 3, .laplacian = Laplacian::unnormalized});
  const std::vector<double> known = {0, 500, 500};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(plain.eigenvalues[i], known[i], 1e-6);
  const SpectralEmbedding normalized = spectral_embedding(graph, {.count = 3});
  EXPECT_NEAR(normalized.eigenvalues[2], 500.0 / 499, 1e-9);
}

TEST(Eigengap, LiesBeforeTheLargestStep) {
  EXPECT_EQ(eigengap_clusters(std::vector<double>{0, 0.01, 0.02, 0.6, 0.7}), 3u);
  EXPECT_EQ(eigengap_clusters(std::vector<double>{0, 0.9, 0.91, 0.95}), 3u);
  EXPECT_EQ(eigengap_clusters(std::vector<double>{0, 0.9, 0.91, 0.95}, 1), 1u);
  EXPECT_EQ(eigengap_clusters(std::vector<double>{0, 0.5, 1, 1.5}), 2u);
  EXPECT_THROW((void)eigengap_clusters(std::vector<double>{0, 1}), InvalidArgument);
  EXPECT_THROW((void)eigengap_clusters(std::vector<double>{0, 1}, 0), InvalidArgument);
}

TEST(SpectralEmbedding, RejectsWrongOptions) {
  const SimilarityGraph graph(random_similarities(4, 1));
  EXPECT_THROW((void)spectral_embedding(graph, {.count = 5}), InvalidArgument);
  EXPECT_THROW((void)spectral_embedding(graph, {.count = 0}), InvalidArgument);
  EXPECT_THROW((void)spectral_embedding(graph, {.tolerance = 2}), InvalidArgument);
  EXPECT_THROW((void)spectral_embedding(graph, {.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW((void)spectral_embedding(graph, {.context = {.threads = 0}}), InvalidArgument);
  const DenseMatrix k(2, 2, 1.0);
  EXPECT_THROW((void)hyperplane_spread(k.view(), std::vector<double>{1}), InvalidArgument);
  EXPECT_THROW((void)hyperplane_spread(k.view(), std::vector<double>{1, -1}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
