// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/gram/mercer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel_cases.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace maxmargin {
namespace {

using testing::largest_error;
using testing::random_matrix;

double quadratic_form(const DenseMatrix& k, const std::vector<double>& c) {
  double sum = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (std::size_t j = 0; j < c.size(); ++j) sum += c[i] * k(i, j) * c[j];
  }
  return sum;
}

/// The symmetric Kullback-Leibler divergence, read off the kernel.
double divergence(const std::vector<double>& x, const std::vector<double>& y) {
  return -std::log(evaluate(Sentropic{}, Row(std::span(x)), Row(std::span(y))));
}

Examples points_with_shares(const std::vector<double>& shares) {
  DenseMatrix points(shares.size(), 2);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    points(i, 0) = 1 - shares[i];
    points(i, 1) = shares[i];
  }
  return points;
}

Examples sentropic_witness() { return points_with_shares({1e-6, 0.01, 0.1}); }

// seed-merat fact 16.
TEST(Mercer, DistanceKernelsArePsdWithUnitDiagonalAtEveryWidth) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Examples data(random_matrix(seed, 40, 3, -2, 2));
    for (const double sigma : {0.01, 0.3, 1.0, 5.0, 300.0}) {
      const double gamma = 1 / (2 * sigma * sigma);
      for (const Kernel& kernel :
           {Kernel(Rbf{gamma}), Kernel(Laplace{gamma}), Kernel(Absdiff{gamma})}) {
        const DenseMatrix k = gram(kernel, data);
        const MercerReport report = check_mercer(k.view());
        EXPECT_GE(report.least_eigenvalue, -1e-10 * 40) << kernel_name(kernel) << ' ' << sigma;
        EXPECT_TRUE(report.is_psd) << kernel_name(kernel) << ' ' << sigma;
        EXPECT_EQ(report.asymmetry, 0);
        for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(k(i, i), 1);
      }
    }
  }
}

// seed-merat fact 17, and every kernel that claims to be PSD.
TEST(Mercer, EveryKernelAndRuleThatClaimsItIsPsd) {
  for (const auto& c : testing::kernel_cases()) {
    if (!is_psd(c.kernel)) continue;
    for (const std::uint64_t seed : {4u, 5u}) {
      const DenseMatrix k = gram(c.kernel, Examples(testing::data_for(c, seed, 30, 4)));
      EXPECT_TRUE(check_mercer(k.view()).is_psd) << kernel_name(c.kernel);
    }
  }
}

// seed-merat fact 17: a difference need not be PSD.
TEST(Mercer, ADifferenceOfKernelsIsCaughtWithAWitness) {
  const Examples data(random_matrix(6, 10, 3, -1, 1));
  DenseMatrix k = gram(Rbf{}, data);
  const DenseMatrix linear = gram(Linear{}, data);
  for (std::size_t i = 0; i < k.values().size(); ++i) k.values()[i] -= 5 * linear.values()[i];
  const MercerReport report = check_mercer(k.view());
  EXPECT_FALSE(report.is_psd);
  EXPECT_LT(report.least_eigenvalue, -0.1);
  EXPECT_NEAR(quadratic_form(k, report.witness), report.least_eigenvalue, 1e-12);
  EXPECT_NEAR(report.witness_value, report.least_eigenvalue, 1e-12);
}

// seed-merat fact 18.
TEST(Mercer, SentropicWitnessHasTheEigenvalueOfTheDocuments) {
  const DenseMatrix k = gram(Sentropic{}, sentropic_witness());
  EXPECT_NEAR(k(0, 1), 0.9119276, 1e-7);
  EXPECT_NEAR(k(0, 2), 0.3129171, 1e-7);
  EXPECT_NEAR(k(1, 2), 0.8058879, 1e-7);
  const MercerReport report = check_mercer(k.view());
  EXPECT_FALSE(report.is_psd);
  EXPECT_NEAR(report.least_eigenvalue, -0.0724349, 1e-7);
  EXPECT_NEAR(report.largest_eigenvalue, 2.38262, 1e-5);
  EXPECT_NEAR(quadratic_form(k, {1, -2, 1}), -0.2454279, 1e-7);
}

// seed-merat fact 19.
TEST(Mercer, SentropicViolationNeedsASmallDivergence) {
  const auto least = [](double delta) {
    const Examples points = points_with_shares({delta, 2 * delta, 3 * delta});
    return check_mercer(gram(Sentropic{}, points).view()).least_eigenvalue;
  };
  EXPECT_NEAR(least(0.01), -8.2054e-5, 1e-8);
  EXPECT_NEAR(least(0.1), 0.00477, 1e-5);
}

// seed-merat fact 19: sqrt S breaks the triangle inequality, except at delta = 1/4.
TEST(Mercer, RootOfTheDivergenceIsNoMetric) {
  const auto excess = [](double delta) {
    const std::vector<double> x = {1 - delta, delta};
    const std::vector<double> y = {1 - 2 * delta, 2 * delta};
    const std::vector<double> z = {1 - 3 * delta, 3 * delta};
    const double through = divergence(x, y) + divergence(y, z);
    EXPECT_NEAR(divergence(x, z), 2 * through, 1e-14);
    return std::sqrt(divergence(x, z)) - std::sqrt(divergence(x, y)) - std::sqrt(divergence(y, z));
  };
  EXPECT_NEAR(excess(0.1), 0.0026698, 1e-7);
  EXPECT_NEAR(excess(0.25), 0, 1e-14);
  EXPECT_GT(excess(0.01), 0);
}

// seed-merat fact 20.
TEST(Mercer, DivergenceScalesAndHalvesAtTheMidpoint) {
  Rng rng(7);
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::vector<double> x(3);
    std::vector<double> z(3);
    for (std::size_t j = 0; j < 3; ++j) {
      x[j] = rng.uniform(0.01, 1);
      z[j] = rng.uniform(0.01, 1);
    }
    const double factor = rng.uniform(0.1, 3);
    std::vector<double> y(3);
    std::vector<double> scaled_x = x;
    std::vector<double> scaled_z = z;
    for (std::size_t j = 0; j < 3; ++j) {
      y[j] = (x[j] + z[j]) / 2;
      scaled_x[j] *= factor;
      scaled_z[j] *= factor;
    }
    EXPECT_NEAR(divergence(scaled_x, scaled_z), factor * divergence(x, z), 1e-12);
    EXPECT_NEAR(divergence(x, y) + divergence(y, z), divergence(x, z) / 2, 1e-12);
    EXPECT_DOUBLE_EQ(divergence(x, z), divergence(z, x));
    EXPECT_GT(divergence(x, z), 0);
    EXPECT_EQ(divergence(x, x), 0);
  }
}

// seed-merat fact 21, FC-33: a metric whose exponential is no Mercer kernel.
TEST(Mercer, TheCompleteBipartiteGraphRefutesExponentialsOfAnyMetric) {
  DenseMatrix distance(5, 5);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      if (i != j) distance(i, j) = (i < 2) == (j < 2) ? 2 : 1;
    }
  }
  EXPECT_NEAR(quadratic_form(distance, {0.5, 0.5, -1.0 / 3, -1.0 / 3, -1.0 / 3}), 1.0 / 3, 1e-15);
  DenseMatrix k = distance;
  for (double& value : k.values()) value = std::exp(-0.25 * value);
  EXPECT_NEAR(check_mercer(k.view()).least_eigenvalue, -0.0218235, 1e-7);
}

// seed-merat fact 22, FC-57.
TEST(Mercer, SigmoidIsIndefiniteOnTwoPoints) {
  DenseMatrix points(2, 1);
  points(0, 0) = 1;
  points(1, 0) = 2;
  const DenseMatrix k = gram(Sigmoid{.gamma = 1}, Examples(points));
  EXPECT_NEAR(k(0, 0) * k(1, 1) - k(0, 1) * k(1, 0), -0.1682658, 1e-7);
  EXPECT_FALSE(check_mercer(k.view()).is_psd);
}

TEST(Mercer, NegativeEigenvalueIsFoundAmongFewAndManyRows) {
  for (const std::size_t n : {std::size_t{12}, std::size_t{1300}}) {
    const DenseMatrix points = random_matrix(3, n, 4, -1, 1);
    DenseMatrix k = gram(Rbf{.gamma = 1}, Examples(points));
    EXPECT_FALSE(negative_eigenvalue(k.view()).has_value()) << n;
    // Text of six digits is no reason to refuse.
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        k(i, j) = k(j, i) = std::round(k(i, j) * 1e6) / 1e6;
      }
    }
    EXPECT_FALSE(negative_eigenvalue(k.view()).has_value()) << n;
    // K - 2 b uu' has u'Ku - 2 b below 0 where 2 b is above the largest eigenvalue.
    const double below = 2 * static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) k(i, j) -= below / static_cast<double>(n);
    }
    const std::optional<double> found = negative_eigenvalue(k.view());
    ASSERT_TRUE(found.has_value()) << n;
    const std::vector<double> unit(n, 1 / std::sqrt(static_cast<double>(n)));
    EXPECT_LE(*found, 0.99 * quadratic_form(k, unit)) << n;
    EXPECT_EQ(negative_eigenvalue(k.view(), 3), found) << n;
  }
  EXPECT_THROW((void)negative_eigenvalue(DenseMatrix(2, 3).view()), InvalidArgument);
}

// A random symmetric matrix has a dense spectrum down to its least eigenvalue, about -2 sqrt n.
TEST(Mercer, NegativeEigenvalueIsFoundInADenseSpectrum) {
  constexpr std::size_t n = 1100;
  DenseMatrix k = random_matrix(5, n, n, -1, 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) k(j, i) = k(i, j);
  }
  const std::optional<double> found = negative_eigenvalue(k.view());
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(*found, -2 * std::sqrt(n / 3.0), 2.0);
}

// seed-merat fact 23: (x.z)^2 = phi(x).phi(z), phi = (x1^2, sqrt2 x1 x2, x2^2).
TEST(Mercer, QuadraticKernelIsItsExplicitMap) {
  const DenseMatrix data = random_matrix(8, 15, 2, -2, 2);
  DenseMatrix mapped(15, 3);
  for (std::size_t i = 0; i < 15; ++i) {
    mapped(i, 0) = data(i, 0) * data(i, 0);
    mapped(i, 1) = std::sqrt(2) * data(i, 0) * data(i, 1);
    mapped(i, 2) = data(i, 1) * data(i, 1);
  }
  EXPECT_LT(largest_error(gram(Polynomial{.degree = 2}, Examples(data)),
                          gram(Linear{}, Examples(mapped))),
            1e-14);
}

// seed-merat fact 23: polynomial kernels are PSD; Gram = Phi Phi'.
TEST(Mercer, EigenMapReproducesTheGramMatrix) {
  const Examples data(random_matrix(9, 20, 2, -1, 1));
  for (const Kernel& kernel :
       {Kernel(Polynomial{.degree = 2}), Kernel(Polynomial{.coef0 = 1}), Kernel(Rbf{})}) {
    const DenseMatrix k = gram(kernel, data);
    EXPECT_TRUE(check_mercer(k.view()).is_psd);
    const EigenMap map = eigen_map(k.view());
    EXPECT_LT(largest_error(gram(Linear{}, Examples(map.features)), k), 1e-11);
    EXPECT_TRUE(std::ranges::is_sorted(map.eigenvalues, std::greater<>()));
    // A training example seen as a new one gets its own features.
    // K v_t is off by at most about n eps |K|, and is then divided by sqrt(lambda_t).
    const DenseMatrix again = map.map(k.view());
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    for (std::size_t t = 0; t < map.eigenvalues.size(); ++t) {
      const double tolerance =
          20 * epsilon * map.eigenvalues.front() / std::sqrt(map.eigenvalues[t]);
      for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_NEAR(again(i, t), map.features(i, t), tolerance) << kernel_name(kernel) << ' ' << t;
      }
    }
  }
  // (x.z)^2 in two dimensions has rank 3.
  EXPECT_EQ(eigen_map(gram(Polynomial{.degree = 2}, data).view()).eigenvalues.size(), 3u);
}

TEST(Mercer, ClipFlipAndShiftRepairTheSpectrum) {
  const DenseMatrix k = gram(Sentropic{}, sentropic_witness());
  const std::vector<double> before = eigenvalues_symmetric(k.view());
  const RepairedGram clip = repair_spectrum(k.view(), SpectrumRepair::clip);
  const RepairedGram flip = repair_spectrum(k.view(), SpectrumRepair::flip);
  const RepairedGram shift = repair_spectrum(k.view(), SpectrumRepair::shift);
  const auto clip_values = eigenvalues_symmetric(clip.gram.view());
  const auto flip_values = eigenvalues_symmetric(flip.gram.view());
  const auto shift_values = eigenvalues_symmetric(shift.gram.view());
  EXPECT_NEAR(clip_values[0], 0, 1e-14);
  EXPECT_NEAR(flip_values[0], -before[0], 1e-14);
  for (std::size_t t = 0; t < 3; ++t) {
    EXPECT_NEAR(shift_values[t], before[t] - before[0], 1e-14);
    if (t > 0) {
      EXPECT_NEAR(clip_values[t], before[t], 1e-14);
      EXPECT_NEAR(flip_values[t], before[t], 1e-14);
    }
  }
  EXPECT_LT(largest_error(clip.gram, project_psd(k.view())), 1e-14);
  // The rule for new examples, fed with the training examples themselves.
  EXPECT_LT(largest_error(clip.transform(k.view()), clip.gram), 1e-14);
  EXPECT_LT(largest_error(flip.transform(k.view()), flip.gram), 1e-14);
  EXPECT_LT(largest_error(shift.transform(k.view()), k), 1e-15);
}

TEST(Mercer, EveryRepairReadsTheLowerTriangleAlone) {
  const DenseMatrix k = gram(Sentropic{}, sentropic_witness());
  DenseMatrix spoilt = k;
  for (std::size_t i = 0; i < k.rows(); ++i) {
    for (std::size_t j = i + 1; j < k.cols(); ++j) spoilt(i, j) = 1e3;
  }
  for (const auto repair : {SpectrumRepair::clip, SpectrumRepair::flip, SpectrumRepair::shift}) {
    EXPECT_EQ(largest_error(repair_spectrum(spoilt.view(), repair).gram,
                            repair_spectrum(k.view(), repair).gram),
              0);
  }
}

TEST(Mercer, RepairLeavesAPsdMatrixAlone) {
  const DenseMatrix k = gram(Rbf{}, Examples(random_matrix(10, 8, 3, -1, 1)));
  for (const auto repair : {SpectrumRepair::clip, SpectrumRepair::flip, SpectrumRepair::shift}) {
    EXPECT_LT(largest_error(repair_spectrum(k.view(), repair).gram, k), 1e-14);
  }
}

TEST(Mercer, AsymmetryIsReportedAndFails) {
  DenseMatrix k(2, 2, 0.0);
  k(0, 0) = k(1, 1) = 1;
  k(0, 1) = 0.5;
  const MercerReport report = check_mercer(k.view());
  EXPECT_EQ(report.asymmetry, 0.5);
  EXPECT_FALSE(report.is_psd);
  EXPECT_NEAR(report.least_eigenvalue, 0.75, 1e-15);
}

TEST(Mercer, EmptyAndWrongMatrices) {
  EXPECT_TRUE(check_mercer(DenseMatrix(0, 0).view()).is_psd);
  EXPECT_EQ(eigen_map(DenseMatrix(0, 0).view()).eigenvalues.size(), 0u);
  EXPECT_EQ(eigen_map(DenseMatrix(3, 3).view()).features.cols(), 0u);
  EXPECT_EQ(repair_spectrum(DenseMatrix(0, 0).view(), SpectrumRepair::clip).gram.rows(), 0u);
  EXPECT_THROW(static_cast<void>(check_mercer(DenseMatrix(2, 3).view())), InvalidArgument);
  EXPECT_THROW(static_cast<void>(check_mercer(DenseMatrix(2, 2).view(), -1)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(check_mercer(DenseMatrix(2, 2, std::nan("")).view())),
               InvalidArgument);
}

// Eigenvalues 3, 1, -2 and 0 in a rotated basis.
TEST(Mercer, CountsAndWeighsNegativeEigenvalues) {
  const double values[] = {3, 1, -2, 0};
  const EigenPairs basis =
      eigen_symmetric(gram(Rbf{1}, Examples(random_matrix(9, 4, 2, -1, 1))).view());
  DenseMatrix k(4, 4);
  for (std::size_t t = 0; t < 4; ++t) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        k(i, j) += values[t] * basis.vectors(t, i) * basis.vectors(t, j);
      }
    }
  }
  const MercerReport report = check_mercer(k.view());
  EXPECT_FALSE(report.is_psd);
  EXPECT_EQ(report.negative_eigenvalues, 1u);
  EXPECT_NEAR(report.negative_mass, 2, 1e-12);
  EXPECT_NEAR(report.total_mass, 6, 1e-12);
  const MercerReport sound =
      check_mercer(gram(Rbf{1}, Examples(random_matrix(9, 4, 2, -1, 1))).view());
  EXPECT_EQ(sound.negative_eigenvalues, 0u);
  EXPECT_EQ(sound.negative_mass, 0);
  EXPECT_NEAR(sound.total_mass, 4, 1e-12);
}

}  // namespace
}  // namespace maxmargin
