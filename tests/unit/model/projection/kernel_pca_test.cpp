// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/projection/kernel_pca.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/model/projection/pca.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

/// The centred Gram matrix H K H from its definition.
DenseMatrix centred_gram_of(const Kernel& kernel, const Examples& examples) {
  const DenseMatrix k = gram(kernel, examples);
  const std::size_t n = k.rows();
  DenseMatrix h(n, n, -1.0 / static_cast<double>(n));
  for (std::size_t i = 0; i < n; ++i) h(i, i) += 1;
  DenseMatrix hk(n, n);
  DenseMatrix result(n, n);
  gemm(Transpose::no, Transpose::no, 1.0, h.view(), k.view(), 0.0, hk.view());
  gemm(Transpose::no, Transpose::no, 1.0, hk.view(), h.view(), 0.0, result.view());
  return result;
}

// seed-merat fact 27.
TEST(KernelPca, LinearKernelIsPlainPca) {
  const Dataset data = iris();
  const PcaModel plain = train_pca(data.examples);
  const KernelPcaModel model = train_kernel_pca(data, {.kernel = Linear{}}).model;
  ASSERT_EQ(model.eigenvalues.size(), 4u);  // all further mu are 0
  const std::vector<double> variances = model.variances();
  EXPECT_NEAR(model.total_variance, plain.total_variance, 1e-10);
  const DenseMatrix theirs = plain.transform(data.examples);
  const DenseMatrix ours = model.transform(data.examples);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(variances[k], plain.variances[k], 1e-10);
    const double sign = ours(0, k) * theirs(0, k) > 0 ? 1 : -1;
    for (std::size_t i = 0; i < 150; ++i) EXPECT_NEAR(ours(i, k), sign * theirs(i, k), 1e-8);
  }
}

TEST(KernelPca, FarPointsHaveTheComponentsOfNearOnes) {
  // Moved by a power of two and back, so that both are the same points.
  const double far = 0x1p27;
  DenseMatrix moved = gaussian_points(30, 3, 4);
  for (double& value : moved.values()) value += far;
  DenseMatrix near = moved;
  for (double& value : near.values()) value -= far;
  const KernelPcaModel there = train_kernel_pca(Examples(moved), {.kernel = Linear{}}).model;
  const KernelPcaModel here = train_kernel_pca(Examples(near), {.kernel = Linear{}}).model;
  ASSERT_EQ(here.eigenvalues.size(), 3u);
  ASSERT_EQ(there.eigenvalues.size(), 3u);
  const DenseMatrix scores = there.transform(Examples(moved));
  const DenseMatrix wanted = here.transform(Examples(near));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(there.eigenvalues[k], here.eigenvalues[k], 1e-12 * here.eigenvalues[0]);
    for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(scores(i, k), wanted(i, k), 1e-10);
  }
}

class KernelPcaProperty : public ::testing::TestWithParam<std::uint64_t> {};

// seed-merat facts 28 and 29, FC-7, FC-9, FC-11.
TEST_P(KernelPcaProperty, ScoresAreUncorrelatedWithTheStatedVariance) {
  const std::size_t n = 40;
  const DenseMatrix points = gaussian_points(n, 3, GetParam());
  const KernelPcaModel model =
      train_kernel_pca(Examples(points), {.kernel = Rbf{.gamma = 0.4}}).model;
  EXPECT_LE(model.eigenvalues.size(), n - 1);
  EXPECT_TRUE(std::ranges::is_sorted(model.eigenvalues, std::greater<>()));
  const std::vector<double> known =
      eigenvalues_symmetric(centred_gram_of(Rbf{.gamma = 0.4}, Examples(points)).view());
  const DenseMatrix scores = model.training_scores();
  const DenseMatrix projected = model.transform(Examples(points));
  const std::vector<double> variances = model.variances();
  for (std::size_t k = 0; k < model.eigenvalues.size(); ++k) {
    EXPECT_NEAR(model.eigenvalues[k], known[n - 1 - k], 1e-12);
    const std::span<const double> a = model.coefficients.row(k);
    EXPECT_NEAR(model.eigenvalues[k] * dot(a, a), 1, 1e-12);  // fact 29
    EXPECT_NEAR(variances[k], model.eigenvalues[k] / static_cast<double>(n - 1), 1e-15);
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) {
      mean += scores(i, k);
      // A training point seen as a new one has its own score.
      EXPECT_NEAR(scores(i, k), projected(i, k), 1e-11 / std::sqrt(model.eigenvalues[k]));
    }
    EXPECT_NEAR(mean, 0, 1e-10);
    for (std::size_t l = 0; l <= k; ++l) {
      double product = 0;
      for (std::size_t i = 0; i < n; ++i) product += scores(i, k) * scores(i, l);
      EXPECT_NEAR(product / static_cast<double>(n - 1), k == l ? variances[k] : 0, 1e-11);
    }
  }
  const std::vector<double> shares = model.explained_shares();
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-10);
}

TEST_P(KernelPcaProperty, FewComponentsOfManyPointsAreThoseOfLapack) {
  const DenseMatrix points = gaussian_points(500, 4, GetParam());
  const KernelPcaOptions few{.components = 3, .kernel = Rbf{.gamma = 0.1}};
  const KernelPca quick = train_kernel_pca(Examples(points), few);
  ASSERT_EQ(quick.report.status, Status::solved);
  EXPECT_GT(quick.report.iterations, 0u);
  const KernelPcaModel whole =
      train_kernel_pca(Examples(points), {.kernel = Rbf{.gamma = 0.1}}).model;
  EXPECT_EQ(quick.model.total_variance, whole.total_variance);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(quick.model.eigenvalues[k], whole.eigenvalues[k], 1e-8 * whole.eigenvalues[0]);
    EXPECT_NEAR(std::abs(dot(quick.model.coefficients.row(k), whole.coefficients.row(k))) *
                    whole.eigenvalues[k],
                1,
                1e-7);
  }
  for (const std::size_t threads : {1u, 4u}) {
    KernelPcaOptions same = few;
    same.context.threads = threads;
    const KernelPcaModel other = train_kernel_pca(Examples(points), same).model;
    EXPECT_EQ(other.eigenvalues, quick.model.eigenvalues);
    EXPECT_TRUE(std::ranges::equal(other.coefficients.values(), quick.model.coefficients.values()));
  }
}

TEST_P(KernelPcaProperty, ReconstructionErrorIsWhatTheComponentsMiss) {
  const std::size_t n = 30;
  const DenseMatrix points = gaussian_points(n, 2, GetParam());
  const KernelPcaModel some =
      train_kernel_pca(Examples(points), {.components = 5, .kernel = Rbf{.gamma = 0.3}}).model;
  const std::vector<double> errors = some.reconstruction_errors(Examples(points));
  // Summed over the training points: the trace less the eigenvalues kept.
  const double kept = std::accumulate(some.eigenvalues.begin(), some.eigenvalues.end(), 0.0);
  EXPECT_NEAR(std::accumulate(errors.begin(), errors.end(), 0.0),
              some.total_variance * static_cast<double>(n - 1) - kept,
              1e-11);
  const KernelPcaModel all =
      train_kernel_pca(Examples(points), {.kernel = Rbf{.gamma = 0.3}}).model;
  for (const double error : all.reconstruction_errors(Examples(points)))
    EXPECT_NEAR(error, 0, 1e-9);
}

TEST_P(KernelPcaProperty, PreimagesOfExactScoresAreTheTrainingPoints) {
  const DenseMatrix points = gaussian_points(25, 2, GetParam());
  const KernelPcaModel model =
      train_kernel_pca(Examples(points), {.kernel = Rbf{.gamma = 0.5}}).model;
  const DenseMatrix scores = model.training_scores();
  const Preimages found = model.preimages(scores.view());
  for (std::size_t i = 0; i < 25; ++i) {
    EXPECT_NEAR(found.squared_distances[i], 0, 1e-9);
    EXPECT_NEAR(squared_distance(found.points.row(i), points.row(i)), 0, 1e-8);
  }
}

TEST_P(KernelPcaProperty, PreimageDistanceIsThatOfTheDefinition) {
  const std::size_t n = 20;
  const DenseMatrix points = gaussian_points(n, 2, GetParam());
  const Rbf kernel{.gamma = 0.5};
  const KernelPcaModel model =
      train_kernel_pca(Examples(points), {.components = 3, .kernel = kernel}).model;
  const DenseMatrix scores = matrix(3, {0.2, -0.1, 0.05, 0.4, 0.3, 0});
  const Preimages found = model.preimages(scores.view(), {.context = {.threads = 1}});
  const DenseMatrix k = gram(kernel, Examples(points));
  for (std::size_t row = 0; row < 2; ++row) {
    std::vector<double> weights(n, 1.0 / static_cast<double>(n));
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < n; ++i) weights[i] += scores(row, c) * model.coefficients(c, i);
    }
    std::vector<double> image(n);
    gemv(Transpose::no, 1.0, k.view(), weights, 0.0, image);
    double height = 0;
    for (std::size_t i = 0; i < n; ++i) {
      height += weights[i] * evaluate(kernel, Row(found.points.row(row)), Row(points.row(i)));
    }
    EXPECT_NEAR(found.squared_distances[row], 1 - 2 * height + dot(weights, image), 1e-11);
    // No training point comes nearer.
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_LE(found.squared_distances[row], 1 - 2 * image[i] + dot(weights, image) + 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, KernelPcaProperty, ::testing::Range<std::uint64_t>(1, 5));

TEST(KernelPca, ProjectionOnFewComponentsTakesNoiseOffARing) {
  const Dataset noisy = generate_circles({.n = 120, .inner = 1.999, .outer = 2, .noise = 0.15});
  const KernelPcaModel model =
      train_kernel_pca(noisy, {.components = 4, .kernel = Rbf{.gamma = 0.3}}).model;
  const Preimages found = model.preimages(model.training_scores().view());
  const auto spread_of_radii = [](DenseView points) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < points.rows; ++i) {
      const double radius = std::hypot(points(i, 0), points(i, 1));
      sum += radius;
      squares += radius * radius;
    }
    const auto n = static_cast<double>(points.rows);
    return std::sqrt(squares / n - sum * sum / n / n);
  };
  EXPECT_LT(spread_of_radii(found.points.view()), 0.6 * spread_of_radii(noisy.examples.dense()));
}

TEST(KernelPca, SparseExamplesGiveTheSameScores) {
  const DenseMatrix points = gaussian_points(30, 3, 2);
  const Examples sparse = to_sparse(points.view());
  const KernelPcaOptions options{.components = 2, .kernel = Rbf{.gamma = 0.3}};
  const DenseMatrix a =
      train_kernel_pca(Examples(points), options).model.transform(Examples(points));
  const KernelPcaModel model = train_kernel_pca(sparse, options).model;
  const DenseMatrix b = model.transform(sparse);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(a.values()[i], b.values()[i], 1e-10);
  EXPECT_EQ(model.preimages(b.view()).points.cols(), 3u);
}

TEST(KernelPca, IndefiniteKernelsAreRefusedOrReported) {
  const DenseMatrix points = gaussian_points(30, 2, 3);
  const KernelPcaOptions sigmoid{.kernel = Sigmoid{.gamma = 1, .coef0 = -1}};
  EXPECT_THROW((void)train_kernel_pca(Examples(points), sigmoid), InvalidArgument);
  KernelPcaOptions allowed = sigmoid;
  allowed.allow_indefinite = true;
  const KernelPca found = train_kernel_pca(Examples(points), allowed);
  EXPECT_EQ(found.report.warnings.size(), 1u);
  for (const double mu : found.model.eigenvalues) EXPECT_GT(mu, 0);
  // A matrix from outside is judged by its eigenvalues.
  auto square = std::make_shared<DenseMatrix>(gram(sigmoid.kernel.kernel(), Examples(points)));
  EXPECT_THROW((void)train_kernel_pca(index_examples(30), {.kernel = Precomputed{square}}),
               InvalidArgument);
  const DenseMatrix many = gaussian_points(450, 2, 3);
  auto large = std::make_shared<DenseMatrix>(gram(sigmoid.kernel.kernel(), Examples(many)));
  EXPECT_THROW(
      (void)train_kernel_pca(index_examples(450), {.components = 2, .kernel = Precomputed{large}}),
      InvalidArgument);
}

// Smooth kernels have eigenvalues down to rounding; the block method knows them to its residual.
TEST(KernelPca, ComponentsAreKeptDownToWhatIsKnownOfThem) {
  const KernelPca found =
      train_kernel_pca(Examples(gaussian_points(500, 1, 2)),
                       {.components = 20, .kernel = Rbf{.gamma = 2}, .tolerance = 1e-4});
  ASSERT_EQ(found.report.status, Status::solved);
  ASSERT_GT(found.report.iterations, 0u);
  ASSERT_LT(found.model.eigenvalues.size(), 20u);
  ASSERT_GT(found.model.eigenvalues.size(), 3u);
  EXPECT_GT(found.model.eigenvalues.back(), std::sqrt(20.0) * *found.report.primal_residual);
}

TEST(KernelPca, DegenerateInputHasNoComponents) {
  const KernelPca one = train_kernel_pca(Examples(matrix(2, {1, 2})), {});
  EXPECT_TRUE(one.model.eigenvalues.empty());
  EXPECT_EQ(one.model.transform(Examples(matrix(2, {1, 2}))).rows(), 1u);
  const KernelPca equal = train_kernel_pca(Examples(matrix(1, {3, 3, 3})), {});
  EXPECT_TRUE(equal.model.eigenvalues.empty());
  EXPECT_EQ(equal.model.total_variance, 0);
  const KernelPca two = train_kernel_pca(Examples(matrix(1, {0, 2})), {.kernel = Linear{}});
  EXPECT_EQ(two.model.eigenvalues.size(), 1u);
  EXPECT_NEAR(two.model.eigenvalues[0], 2, 1e-14);
}

TEST(KernelPca, RejectsWhatItCannotDo) {
  const Dataset data = iris();
  EXPECT_THROW((void)train_kernel_pca(Examples(), {}), InvalidArgument);
  EXPECT_THROW((void)train_kernel_pca(data, {.components = 0}), InvalidArgument);
  EXPECT_THROW((void)train_kernel_pca(data, {.tolerance = 1}), InvalidArgument);
  EXPECT_THROW((void)train_kernel_pca(data, {.context = {.threads = 0}}), InvalidArgument);
  EXPECT_THROW((void)train_kernel_pca(data, {.kernel = Rbf{.gamma = 0}}), InvalidArgument);
  Dataset weighted = data;
  weighted.weights.assign(150, 1.0);
  EXPECT_THROW((void)train_kernel_pca(weighted, {}), InvalidArgument);
  const KernelPcaModel linear = train_kernel_pca(data, {.kernel = Linear{}}).model;
  EXPECT_THROW((void)linear.preimages(DenseMatrix(1, 4).view()), InvalidArgument);
  const KernelPcaModel model = train_kernel_pca(data, {.components = 2}).model;
  EXPECT_THROW((void)model.preimages(DenseMatrix(1, 3).view()), InvalidArgument);
  EXPECT_THROW((void)model.preimages(DenseMatrix(1, 2).view(), {.starts = 0}), InvalidArgument);
  EXPECT_THROW((void)model.preimages(DenseMatrix(1, 2, NAN).view()), InvalidArgument);
  EXPECT_THROW((void)model.transform(Examples(DenseMatrix(2, 3))), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
