// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/combine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel_cases.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace maxmargin {
namespace {

const std::vector<double> x_values = {1, 2};
const std::vector<double> z_values = {3, -0.5};

double at_example(const Kernel& kernel) {
  return evaluate(kernel, Row(std::span(x_values)), Row(std::span(z_values)));
}

// x.z = 2, |x|^2 = 5, |z|^2 = 9.25
TEST(Combine, RulesGiveHandComputedValues) {
  EXPECT_DOUBLE_EQ(at_example(sum_of(Linear{}, Polynomial{.degree = 2})), 6);
  EXPECT_DOUBLE_EQ(at_example(product_of(Linear{}, Polynomial{.degree = 2})), 8);
  EXPECT_DOUBLE_EQ(at_example(scaled(Linear{}, 3)), 6);
  EXPECT_DOUBLE_EQ(at_example(power_of(Linear{}, 4)), 16);
  EXPECT_DOUBLE_EQ(at_example(polynomial_of(Linear{}, {5, 4, 3})), 25);
  EXPECT_DOUBLE_EQ(at_example(exp_of(Linear{})), std::exp(2.0));
  EXPECT_DOUBLE_EQ(at_example(rank_one("norm", [](const Row& x) { return x.squared_norm(); })),
                   5 * 9.25);
  EXPECT_DOUBLE_EQ(at_example(with_scaled_inputs(Linear{}, {4, 2})), 12 - 2);
  EXPECT_DOUBLE_EQ(at_example(normalised(Linear{})), 2 / std::sqrt(5 * 9.25));
}

TEST(Combine, NormalisedLinearIsCosine) {
  const Examples data(testing::random_matrix(1, 10, 4, -1, 1));
  const DenseMatrix cosine = gram(Cosine{}, data);
  EXPECT_LT(testing::largest_error(gram(normalised(Linear{}), data), cosine), 1e-14);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(cosine(i, i), 1);
}

TEST(Combine, NormalisingGivesZeroForVectorsOfLengthZero) {
  const Examples data(DenseMatrix(2, 3));
  EXPECT_EQ(gram(normalised(Linear{}), data)(0, 1), 0);
  EXPECT_EQ(gram(Cosine{}, data)(1, 1), 0);
}

// seed-merat FC-46: for dot-product kernels K(x, Dz) is the same; for others it is not symmetric.
TEST(Combine, InputScalingIsTheKernelOfScaledInputs) {
  DenseMatrix data = testing::random_matrix(2, 12, 3, -1, 1);
  const std::vector<double> weights = {0.25, 4, 9};
  const DenseMatrix through = gram(with_scaled_inputs(Laplace{}, weights), Examples(data));
  for (std::size_t i = 0; i < data.rows(); ++i) {
    for (std::size_t j = 0; j < 3; ++j) data(i, j) *= std::sqrt(weights[j]);
  }
  EXPECT_LT(testing::largest_error(gram(Laplace{}, Examples(data)), through), 1e-14);
}

TEST(Combine, InputScalingIgnoresFeaturesBeyondItsWeights) {
  const std::vector<double> a = {1, 2, 100};
  const std::vector<double> b = {3, 4, -7};
  EXPECT_DOUBLE_EQ(
      evaluate(with_scaled_inputs(Linear{}, {1, 1}), Row(std::span(a)), Row(std::span(b))), 11);
}

TEST(Combine, NestsToAnyDepth) {
  Kernel kernel = Linear{};
  for (int depth = 0; depth < 50; ++depth) kernel = sum_of(kernel, scaled(Rbf{}, 1.0));
  const Examples data(testing::random_matrix(3, 5, 2, -1, 1));
  const DenseMatrix k = gram(kernel, data);
  const DenseMatrix rbf = gram(Rbf{}, data);
  const DenseMatrix linear = gram(Linear{}, data);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_NEAR(k(i, j), linear(i, j) + 50 * rbf(i, j), 1e-12);
    }
  }
}

TEST(Combine, RejectsWhatWouldNotKeepAKernelPositive) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(static_cast<void>(scaled(Linear{}, 0)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(scaled(Linear{}, -1)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(scaled(Linear{}, inf)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(power_of(Linear{}, 0)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(polynomial_of(Linear{}, {})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(polynomial_of(Linear{}, {1, -1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(with_scaled_inputs(Linear{}, {-1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(rank_one("nothing", {})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
