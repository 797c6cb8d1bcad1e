// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "linalg_support.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {
namespace {

SymmetricOperator multiply_by(const DenseMatrix& a) {
  return [&a](std::span<const double> x, std::span<double> y) {
    gemv(Transpose::no, 1.0, a.view(), x, 0.0, y);
  };
}

SymmetricOperator diagonal(const std::vector<double>& d) {
  return [&d](std::span<const double> x, std::span<double> y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = d[i] * x[i];
  };
}

/// Checks order, orthonormality, the sign rule and the residual, from the operator alone; `norm` is
/// about the operator's.
void expect_sound(std::size_t n,
                  double norm,
                  const SymmetricOperator& apply,
                  const ExtremeEigen& result) {
  const EigenPairs& pairs = result.pairs;
  ASSERT_EQ(pairs.vectors.rows(), pairs.values.size());
  ASSERT_EQ(pairs.vectors.cols(), n);
  EXPECT_TRUE(std::is_sorted(pairs.values.begin(), pairs.values.end()));
  double largest = 0;
  std::vector<double> image(n);
  for (std::size_t k = 0; k < pairs.values.size(); ++k) {
    apply(pairs.vectors.row(k), image);
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      squares += std::pow(image[i] - pairs.values[k] * pairs.vectors(k, i), 2);
    }
    largest = std::max(largest, std::sqrt(squares));
    for (std::size_t j = 0; j <= k; ++j) {
      double inner = 0;
      for (std::size_t i = 0; i < n; ++i) inner += pairs.vectors(k, i) * pairs.vectors(j, i);
      EXPECT_NEAR(inner, j == k ? 1 : 0, 1e-12);
    }
    const auto row = pairs.vectors.row(k);
    EXPECT_GT(
        *std::max_element(
            row.begin(), row.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }),
        0);
  }
  EXPECT_NEAR(result.residual, largest, 1e-14 * norm * std::sqrt(static_cast<double>(n)));
}

TEST(ExtremeEigenpairs, AgreeWithTheDenseSolverOnRandomMatrices) {
  for (const std::size_t n : {1u, 2u, 3u, 20u, 33u, 45u, 80u, 150u}) {
    const DenseMatrix a = test::random_symmetric(n, n);
    const std::vector<double> all = eigenvalues_symmetric(a.view());
    for (const std::size_t count : {1u, 2u, 5u}) {
      if (count > n) continue;
      for (const SpectrumEnd end : {SpectrumEnd::smallest, SpectrumEnd::largest}) {
        SCOPED_TRACE(testing::Message() << "n " << n << " count " << count);
        const ExtremeEigen result =
            extreme_eigenpairs(n, multiply_by(a), {.count = count, .end = end});
        EXPECT_TRUE(result.converged);
        expect_sound(n, test::spectral_scale(a), multiply_by(a), result);
        ASSERT_EQ(result.pairs.values.size(), count);
        const std::size_t begin = end == SpectrumEnd::smallest ? 0 : n - count;
        EXPECT_LE(result.residual, 1e-10 * std::max(-all.front(), all.back()));
        for (std::size_t k = 0; k < count; ++k) {
          EXPECT_NEAR(result.pairs.values[k], all[begin + k], 1e-12 * test::spectral_scale(a));
        }
      }
    }
  }
}

TEST(ExtremeEigenpairs, AllPairsOfASmallMatrix) {
  const DenseMatrix a = test::random_symmetric(7, 2);
  const ExtremeEigen result = extreme_eigenpairs(7, multiply_by(a), {.count = 7});
  EXPECT_TRUE(result.converged);
  expect_sound(7, test::spectral_scale(a), multiply_by(a), result);
  const std::vector<double> all = eigenvalues_symmetric(a.view());
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(result.pairs.values[k], all[k], 1e-13);
}

TEST(ExtremeEigenpairs, PathLaplacianSmallestValuesIncludingZero) {
  // 2 - 2 cos(pi k / n): the value 0 has no relative accuracy, which trips a naive stopping rule.
  constexpr std::size_t n = 120;
  const DenseMatrix laplacian = test::path_laplacian(n);
  const ExtremeEigen result =
      extreme_eigenpairs(n, multiply_by(laplacian), {.count = 4, .end = SpectrumEnd::smallest});
  EXPECT_TRUE(result.converged);
  expect_sound(n, 4, multiply_by(laplacian), result);
  for (std::size_t k = 0; k < 4; ++k) {
    const double angle = std::numbers::pi * static_cast<double>(k) / n;
    EXPECT_NEAR(result.pairs.values[k], 2 - 2 * std::cos(angle), 1e-10);
  }
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(result.pairs.vectors(0, i), 1 / std::sqrt(n), 1e-5);
  }
}

TEST(ExtremeEigenpairs, EveryCopyOfAMultipleValueIsFound) {
  // Laplacian of 6 separate paths: the value 0 six times (spectral clustering lives on this).
  constexpr std::size_t parts = 6;
  constexpr std::size_t length = 30;
  constexpr std::size_t n = parts * length;
  DenseMatrix laplacian(n, n);
  const DenseMatrix path = test::path_laplacian(length);
  for (std::size_t p = 0; p < parts; ++p) {
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t j = 0; j < length; ++j) {
        laplacian(p * length + i, p * length + j) = path(i, j);
      }
    }
  }
  for (const std::size_t count : {1u, 3u, 6u, 8u}) {
    SCOPED_TRACE(count);
    const ExtremeEigen result = extreme_eigenpairs(
        n, multiply_by(laplacian), {.count = count, .end = SpectrumEnd::smallest});
    EXPECT_TRUE(result.converged);
    expect_sound(n, 4, multiply_by(laplacian), result);
    const double second = 2 - 2 * std::cos(std::numbers::pi / length);
    for (std::size_t k = 0; k < count; ++k) {
      EXPECT_NEAR(result.pairs.values[k], k < parts ? 0 : second, 1e-9);
    }
  }
}

TEST(ExtremeEigenpairs, MultiplicityBeyondTheKrylovSpaceIsFound) {
  // Two values only: in exact arithmetic a Krylov space has dimension 2.
  std::vector<double> d(100, 1.0);
  for (const std::size_t i : {3u, 17u, 44u, 81u}) d[i] = 5.0;
  const ExtremeEigen result = extreme_eigenpairs(100, diagonal(d), {.count = 6});
  EXPECT_TRUE(result.converged);
  expect_sound(100, 5, diagonal(d), result);
  const std::vector<double> expected = {1, 1, 5, 5, 5, 5};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(result.pairs.values[k], expected[k], 1e-10);
}

TEST(ExtremeEigenpairs, ClustersOfCloseValues) {
  std::vector<double> d(200);
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = static_cast<double>(i) / 200;
  d[5] = 10;
  d[6] = 10 + 1e-6;
  d[7] = 10 + 2e-6;
  d[90] = -4;
  d[91] = -4 - 1e-7;
  const ExtremeEigen top = extreme_eigenpairs(200, diagonal(d), {.count = 3});
  EXPECT_TRUE(top.converged);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(top.pairs.values[k], 10 + 1e-6 * static_cast<double>(k), 2e-9);
  }
  const ExtremeEigen bottom =
      extreme_eigenpairs(200, diagonal(d), {.count = 2, .end = SpectrumEnd::smallest});
  EXPECT_TRUE(bottom.converged);
  EXPECT_NEAR(bottom.pairs.values[0], -4 - 1e-7, 2e-9);
  EXPECT_NEAR(bottom.pairs.values[1], -4, 2e-9);
}

TEST(ExtremeEigenpairs, ZeroAndIdentityOperators) {
  for (const std::size_t n : {1u, 2u, 3u, 40u, 100u}) {
    for (const double value : {0.0, 1.0, -2.5}) {
      for (const SpectrumEnd end : {SpectrumEnd::smallest, SpectrumEnd::largest}) {
        SCOPED_TRACE(testing::Message() << "n " << n << " value " << value);
        const std::vector<double> d(n, value);
        const std::size_t count = std::min<std::size_t>(n, 3);
        const ExtremeEigen result =
            extreme_eigenpairs(n, diagonal(d), {.count = count, .end = end});
        EXPECT_TRUE(result.converged);
        expect_sound(n, 3, diagonal(d), result);
        ASSERT_EQ(result.pairs.values.size(), count);
        for (const double found : result.pairs.values) EXPECT_NEAR(found, value, 1e-13);
      }
    }
  }
}

TEST(ExtremeEigenpairs, OperatorsWithFewValuesDoNotBreakDownForAnySeed) {
  // Their Krylov spaces are exhausted at once. Without the shrinking of step 2, one seed in a
  // hundred made Spectra divide by 0.
  constexpr std::size_t n = 64;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (const std::size_t distinct : {1u, 2u, 4u}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " distinct " << distinct);
      std::vector<double> d(n);
      for (std::size_t i = 0; i < n; ++i) d[i] = 1 + static_cast<double>(i % distinct);
      const ExtremeEigen result = extreme_eigenpairs(
          n, diagonal(d), {.count = 2, .end = SpectrumEnd::smallest, .context = {.seed = seed}});
      EXPECT_TRUE(result.converged);
      for (const double value : result.pairs.values) EXPECT_NEAR(value, 1, 1e-12);
    }
  }
}

TEST(ExtremeEigenpairs, TightestToleranceIsReached) {
  const DenseMatrix a = test::random_symmetric(200, 14);
  const ExtremeEigen result =
      extreme_eigenpairs(200, multiply_by(a), {.count = 3, .tolerance = 1e-13});
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.residual, 1e-13 * test::spectral_scale(a));
}

TEST(ExtremeEigenpairs, ScaleChangesNothingButTheScale) {
  const DenseMatrix a = test::random_symmetric(60, 11);
  const ExtremeEigen base = extreme_eigenpairs(60, multiply_by(a), {.count = 2});
  for (const double scale : {1e-250, 1e-20, 1e9, 1e250}) {
    SCOPED_TRACE(scale);
    DenseMatrix scaled = a;
    for (double& value : scaled.values()) value *= scale;
    const ExtremeEigen result = extreme_eigenpairs(60, multiply_by(scaled), {.count = 2});
    EXPECT_TRUE(result.converged);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(result.pairs.values[k] / scale, base.pairs.values[k], 1e-9);
    }
  }
}

TEST(ExtremeEigenpairs, SmallestOfMinusAIsLargestOfA) {
  const DenseMatrix a = test::random_symmetric(70, 12);
  DenseMatrix minus = a;
  for (double& value : minus.values()) value = -value;
  const ExtremeEigen large = extreme_eigenpairs(70, multiply_by(a), {.count = 3});
  const ExtremeEigen small =
      extreme_eigenpairs(70, multiply_by(minus), {.count = 3, .end = SpectrumEnd::smallest});
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(large.pairs.values[k], -small.pairs.values[2 - k], 1e-11);
  }
}

TEST(ExtremeEigenpairs, SameSeedSameBitsAnotherSeedSameAnswer) {
  const DenseMatrix a = test::random_symmetric(90, 13);
  const auto run = [&](std::uint64_t seed) {
    return extreme_eigenpairs(90, multiply_by(a), {.count = 2, .context = {.seed = seed}});
  };
  const ExtremeEigen first = run(1);
  const ExtremeEigen again = run(1);
  EXPECT_EQ(first.pairs.values, again.pairs.values);
  EXPECT_EQ(test::largest_difference(first.pairs.vectors, again.pairs.vectors), 0);
  const ExtremeEigen other = run(2);
  EXPECT_LE(test::largest_difference(first.pairs.vectors, other.pairs.vectors), 1e-8);
}

TEST(ExtremeEigenpairs, RunningOutOfIterationsIsReported) {
  // The smallest gaps of a long path cannot be resolved in a single restart.
  constexpr std::size_t n = 800;
  const SymmetricOperator path = [](std::span<const double> x, std::span<double> y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] = (i > 0 ? x[i] - x[i - 1] : 0) + (i + 1 < x.size() ? x[i] - x[i + 1] : 0);
    }
  };
  const ExtremeEigen result =
      extreme_eigenpairs(n, path, {.count = 3, .end = SpectrumEnd::smallest, .max_iterations = 1});
  EXPECT_FALSE(result.converged);
  EXPECT_LT(result.pairs.values.size(), 3u);
  expect_sound(n, 4, path, result);
}

TEST(ExtremeEigenpairs, ExceptionsOfTheOperatorPassThrough) {
  struct Stop {};
  std::size_t calls = 0;
  std::size_t allowed = 0;
  const SymmetricOperator stops = [&](std::span<const double> x, std::span<double> y) {
    if (++calls > allowed) throw Stop{};
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<double>(i) * x[i];
  };
  for (allowed = 0; allowed < 30; allowed += 3) {
    calls = 0;
    EXPECT_THROW(static_cast<void>(extreme_eigenpairs(200, stops)), Stop);
  }
  const SymmetricOperator fails = [&](std::span<const double> x, std::span<double> y) {
    if (++calls > 15) throw std::runtime_error("from the caller");
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<double>(i) * x[i];
  };
  calls = 0;
  EXPECT_THROW(static_cast<void>(extreme_eigenpairs(200, fails)), std::runtime_error);
}

TEST(ExtremeEigenpairs, WrongArgumentsThrow) {
  const std::vector<double> d(50, 1.0);
  const auto run = [&](std::size_t n, const ExtremeEigenOptions& options) {
    static_cast<void>(extreme_eigenpairs(n, diagonal(d), options));
  };
  EXPECT_THROW(run(0, {}), InvalidArgument);
  EXPECT_THROW(run(2, {.count = 3}), InvalidArgument);
  EXPECT_THROW(run(5, {.count = 0}), InvalidArgument);
  EXPECT_THROW(run(5, {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW(run(5, {.tolerance = std::numeric_limits<double>::quiet_NaN()}), InvalidArgument);
  EXPECT_THROW(run(5, {.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW(static_cast<void>(extreme_eigenpairs(5, nullptr)), InvalidArgument);
  EXPECT_NO_THROW(validate(ExtremeEigenOptions{}));
  try {
    validate(ExtremeEigenOptions{.tolerance = 2});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "--tolerance 2: must be a number from 1e-13 to below 1");
  }
}

TEST(ExtremeEigenpairs, OperatorThatGivesNanIsRefused) {
  for (const std::size_t n : {5u, 50u}) {
    std::vector<double> d(n, 1.0);
    d[3] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(static_cast<void>(extreme_eigenpairs(n, diagonal(d))), InvalidArgument);
  }
}

}  // namespace
}  // namespace maxmargin
