// SPDX-License-Identifier: Apache-2.0
#include "linalg/eigen_symmetric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "linalg_support.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

using test::epsilon;
using test::largest_difference;
using test::plain_product;
using test::random_symmetric;
using test::spectral_scale;
using test::transposed;

/// |A V' - V' diag| and |V V' - I|, entry by entry, by plain loops.
void expect_eigenpairs(const DenseMatrix& a, const EigenPairs& pairs) {
  const std::size_t n = a.rows();
  const double tolerance =
      20 * static_cast<double>(n + 1) * epsilon * std::max(spectral_scale(a), 1e-300);
  ASSERT_EQ(pairs.values.size(), n);
  ASSERT_EQ(pairs.vectors.rows(), n);
  EXPECT_TRUE(std::is_sorted(pairs.values.begin(), pairs.values.end()));
  const DenseMatrix image = plain_product(pairs.vectors, a);  // row k is (A v_k)'
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_NEAR(image(k, j), pairs.values[k] * pairs.vectors(k, j), tolerance);
    }
  }
  const DenseMatrix gram = plain_product(pairs.vectors, transposed(pairs.vectors));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_NEAR(gram(i, j), i == j ? 1.0 : 0.0, 20 * static_cast<double>(n + 1) * epsilon);
    }
  }
}

TEST(EigenSymmetric, PairsSatisfyTheirEquationForManySizes) {
  for (const std::size_t n : {1u, 2u, 3u, 5u, 17u, 64u}) {
    SCOPED_TRACE(n);
    const DenseMatrix a = random_symmetric(n, n);
    expect_eigenpairs(a, eigen_symmetric(a.view()));
  }
}

TEST(EigenSymmetric, PathLaplacianHasItsClosedFormSpectrum) {
  // L of the path on n nodes: 2 - 2 cos(pi k / n), k = 0 .. n-1.
  constexpr std::size_t n = 30;
  const std::vector<double> values = eigenvalues_symmetric(test::path_laplacian(n).view());
  for (std::size_t k = 0; k < n; ++k) {
    const double expected =
        2 - 2 * std::cos(std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
    EXPECT_NEAR(values[k], expected, 100 * epsilon);
  }
}

TEST(EigenSymmetric, TwoByTwoByHand) {
  DenseMatrix a(2, 2);
  a(0, 0) = 2;
  a(1, 0) = -1;
  a(1, 1) = 2;  // (0, 1) stays 0: only the lower triangle counts
  const EigenPairs pairs = eigen_symmetric(a.view());
  EXPECT_NEAR(pairs.values[0], 1, 4 * epsilon);
  EXPECT_NEAR(pairs.values[1], 3, 4 * epsilon);
  EXPECT_NEAR(pairs.vectors(0, 0), std::sqrt(0.5), 4 * epsilon);
  EXPECT_NEAR(pairs.vectors(0, 1), std::sqrt(0.5), 4 * epsilon);
}

TEST(EigenSymmetric, EmptyAndSingleEntryMatrices) {
  EXPECT_TRUE(eigen_symmetric(DenseMatrix(0, 0).view()).values.empty());
  EXPECT_EQ(project_psd(DenseMatrix(0, 0).view()).rows(), 0u);
  const EigenPairs pairs = eigen_symmetric(DenseMatrix(1, 1, -3.0).view());
  EXPECT_EQ(pairs.values, std::vector<double>{-3.0});
  EXPECT_EQ(pairs.vectors(0, 0), 1.0);
}

TEST(EigenSymmetric, LargestEntryOfEachVectorIsPositive) {
  const EigenPairs pairs = eigen_symmetric(random_symmetric(25, 3).view());
  for (std::size_t k = 0; k < 25; ++k) {
    const auto row = pairs.vectors.row(k);
    const auto largest = std::max_element(
        row.begin(), row.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    EXPECT_GT(*largest, 0);
  }
}

TEST(EigenSymmetric, FixSignLooksAtTheFirstOfEqualEntries) {
  std::vector<double> vector = {-0.5, 0.5, 0.1};
  fix_sign(vector);
  EXPECT_EQ(vector, (std::vector<double>{0.5, -0.5, -0.1}));
  fix_sign(vector);
  EXPECT_EQ(vector, (std::vector<double>{0.5, -0.5, -0.1}));
}

TEST(EigenSymmetric, ReadsTheLowerTriangleOfAViewWithStride) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const DenseMatrix a = random_symmetric(6, 9);
  DenseMatrix wide(6, 11, nan);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) wide(i, j) = a(i, j);
  }
  EXPECT_EQ(eigenvalues_symmetric({wide.data(), 6, 6, 11}), eigenvalues_symmetric(a.view()));
  EXPECT_EQ(eigen_symmetric({wide.data(), 6, 6, 11}).values, eigen_symmetric(a.view()).values);
}

TEST(EigenSymmetric, KeepsItsRelativeAccuracyAtExtremeScales) {
  for (const double scale : {1e-200, 1e-5, 1e200}) {
    SCOPED_TRACE(scale);
    const DenseMatrix a = random_symmetric(12, 4);
    DenseMatrix scaled = a;
    for (double& value : scaled.values()) value *= scale;
    const std::vector<double> base = eigenvalues_symmetric(a.view());
    const std::vector<double> values = eigenvalues_symmetric(scaled.view());
    for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(values[k] / scale, base[k], 1e-12);
  }
}

TEST(EigenSymmetric, MultipleEigenvaluesHaveOrthonormalVectors) {
  // 4 I + e e' over 6: eigenvalue 4 five times, 10 once.
  DenseMatrix a(6, 6, 1.0);
  for (std::size_t i = 0; i < 6; ++i) a(i, i) += 4;
  const EigenPairs pairs = eigen_symmetric(a.view());
  expect_eigenpairs(a, pairs);
  EXPECT_NEAR(pairs.values[4], 4, 100 * epsilon);
  EXPECT_NEAR(pairs.values[5], 10, 100 * epsilon);
}

TEST(EigenSymmetric, RefusesWhatIsNotASymmetricFiniteMatrix) {
  EXPECT_THROW(static_cast<void>(eigen_symmetric(DenseMatrix(2, 3).view())), InvalidArgument);
  DenseMatrix a(3, 3);
  a(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(eigen_symmetric(a.view())), InvalidArgument);
  a(2, 1) = -std::numeric_limits<double>::infinity();
  EXPECT_THROW(static_cast<void>(eigenvalues_symmetric(a.view())), InvalidArgument);
  EXPECT_THROW(static_cast<void>(project_psd(a.view())), InvalidArgument);
  EXPECT_THROW(static_cast<void>(eigenvalues_symmetric({a.data(), 40000, 40000, 40000})),
               InvalidArgument);
}

TEST(ProjectPsd, KeepsThePositivePartOfTheSpectrum) {
  for (const std::size_t n : {1u, 2u, 9u, 30u}) {
    SCOPED_TRACE(n);
    const DenseMatrix a = random_symmetric(n, 100 + n);
    const DenseMatrix projection = project_psd(a.view());
    const std::vector<double> before = eigenvalues_symmetric(a.view());
    const std::vector<double> after = eigenvalues_symmetric(projection.view());
    const double tolerance = 50 * static_cast<double>(n) * epsilon * spectral_scale(a);
    for (std::size_t k = 0; k < n; ++k) {
      EXPECT_NEAR(after[k], std::max(before[k], 0.0), tolerance);
      for (std::size_t j = 0; j < n; ++j) EXPECT_EQ(projection(k, j), projection(j, k));
    }
  }
}

TEST(ProjectPsd, SplitsIntoOrthogonalPositiveAndNegativeParts) {
  // Moreau: P(A) - P(-A) = A and <P(A), P(-A)> = 0, which makes P(A) the nearest point.
  const DenseMatrix a = random_symmetric(20, 5);
  DenseMatrix minus = a;
  for (double& value : minus.values()) value = -value;
  const DenseMatrix positive = project_psd(a.view());
  const DenseMatrix negative = project_psd(minus.view());
  const double tolerance = 50 * 20 * epsilon * spectral_scale(a);
  double inner = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    EXPECT_NEAR(positive.values()[i] - negative.values()[i], a.values()[i], tolerance);
    inner += positive.values()[i] * negative.values()[i];
  }
  EXPECT_NEAR(inner, 0, 20 * tolerance * spectral_scale(a));
}

TEST(ProjectPsd, LeavesPositiveDefiniteMatricesAloneAndMapsNegativeOnesToZero) {
  DenseMatrix a = test::random_positive_definite(15, 6);
  EXPECT_EQ(largest_difference(project_psd(a.view()), a), 0);
  for (double& value : a.values()) value = -value;
  EXPECT_EQ(largest_difference(project_psd(a.view()), DenseMatrix(15, 15)), 0);
}

}  // namespace
}  // namespace maxmargin
