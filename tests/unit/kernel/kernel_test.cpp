// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel_cases.hpp"

namespace maxmargin {
namespace {

using testing::as_sparse;
using testing::kernel_cases;

const std::vector<double> x_values = {1, 0.5, 2};
const std::vector<double> z_values = {0.25, 0.5, 1};

double at_example(const Kernel& kernel) {
  return evaluate(kernel, Row(std::span(x_values)), Row(std::span(z_values)));
}

TEST(Kernel, FormulasGiveHandComputedValues) {
  // x.z = 2.5, |x-z|_2^2 = 1.5625, |x-z|_1 = 1.75
  EXPECT_DOUBLE_EQ(at_example(Linear{}), 2.5);
  EXPECT_DOUBLE_EQ(at_example(Polynomial{}), 15.625);
  EXPECT_DOUBLE_EQ(at_example(Polynomial{.gamma = 2, .coef0 = 1, .degree = 2}), 36);
  EXPECT_DOUBLE_EQ(at_example(Rbf{.gamma = 2}), std::exp(-3.125));
  EXPECT_DOUBLE_EQ(at_example(Laplace{.gamma = 2}), std::exp(-3.5));
  EXPECT_DOUBLE_EQ(at_example(Absdiff{.gamma = 2}), std::exp(-2 * std::sqrt(1.75)));
  EXPECT_DOUBLE_EQ(at_example(Sentropic{.gamma = 1}),
                   std::exp(-(0.75 * std::log(4.0) + std::log(2.0))));
  EXPECT_DOUBLE_EQ(at_example(Sigmoid{.gamma = 0.1, .coef0 = 1}), std::tanh(1.25));
  EXPECT_DOUBLE_EQ(at_example(Cosine{}), 2.5 / std::sqrt(5.25 * 1.3125));
  EXPECT_DOUBLE_EQ(at_example(HistogramIntersection{}), 1.75);
  EXPECT_DOUBLE_EQ(at_example(ChiSquare{.gamma = 1}), std::exp(-(0.5625 / 1.25 + 1.0 / 3)));
}

TEST(Kernel, DefaultsAreThoseOfTheDesign) {
  const Polynomial poly;
  EXPECT_EQ(poly.gamma, 1);
  EXPECT_EQ(poly.coef0, 0);
  EXPECT_EQ(poly.degree, 3);
}

TEST(Kernel, SparseDenseAndMixedRowsGiveTheSameValue) {
  for (const auto& c : kernel_cases()) {
    const DenseMatrix dense = testing::data_for(c, 3, 6, 5, 0.4);
    const Examples a(dense);
    const Examples b = as_sparse(dense);
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        const double expected = evaluate(c.kernel, a.row(i), a.row(j));
        const double tolerance = 1e-13 * (1 + std::abs(expected));
        EXPECT_NEAR(evaluate(c.kernel, b.row(i), b.row(j)), expected, tolerance)
            << kernel_name(c.kernel);
        EXPECT_NEAR(evaluate(c.kernel, a.row(i), b.row(j)), expected, tolerance)
            << kernel_name(c.kernel);
        EXPECT_NEAR(evaluate(c.kernel, b.row(i), a.row(j)), expected, tolerance)
            << kernel_name(c.kernel);
      }
    }
  }
}

TEST(Kernel, IsSymmetric) {
  for (const auto& c : kernel_cases()) {
    const Examples data(testing::data_for(c, 5, 8, 5));
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double a = evaluate(c.kernel, data.row(i), data.row(j));
        EXPECT_NEAR(a, evaluate(c.kernel, data.row(j), data.row(i)), 1e-13 * (1 + std::abs(a)))
            << kernel_name(c.kernel);
      }
    }
  }
}

TEST(Kernel, NamesLeadBackToTheKernel) {
  for (const std::string_view name : kernel_names()) {
    const auto kernel = kernel_by_name(name);
    ASSERT_TRUE(kernel.has_value());
    EXPECT_EQ(kernel_name(*kernel), name);
  }
  EXPECT_FALSE(kernel_by_name("gauss").has_value());
  EXPECT_EQ(kernel_name(sum_of(Rbf{}, scaled(Linear{}, 2))), "rbf(gamma=1) + 2*linear");
}

TEST(Kernel, GammaCanBeReadAndReplacedWhereThereIsOne) {
  EXPECT_EQ(gamma_of(Rbf{.gamma = 3}), 3);
  EXPECT_EQ(gamma_of(Linear{}), std::nullopt);
  EXPECT_EQ(gamma_of(with_gamma(ChiSquare{}, 7)), 7);
  EXPECT_THROW(static_cast<void>(with_gamma(Cosine{}, 1)), InvalidArgument);
}

TEST(Kernel, RejectsParametersOutsideTheirRange) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(validate(Rbf{.gamma = 0}), InvalidArgument);
  EXPECT_THROW(validate(Rbf{.gamma = inf}), InvalidArgument);
  EXPECT_THROW(validate(Laplace{.gamma = -1}), InvalidArgument);
  EXPECT_THROW(validate(Polynomial{.degree = 0}), InvalidArgument);
  EXPECT_THROW(validate(Polynomial{.coef0 = inf}), InvalidArgument);
  EXPECT_THROW(validate(Sigmoid{.gamma = std::nan("")}), InvalidArgument);
  EXPECT_THROW(validate(Precomputed{}), InvalidArgument);
  EXPECT_THROW(validate(sum_of(Linear{}, Rbf{.gamma = -1})), InvalidArgument);
  try {
    validate(Absdiff{.gamma = -2});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "kernel absdiff: gamma = -2, must be finite and > 0");
  }
}

TEST(Kernel, KnowsWhichKernelsAreMercerKernels) {
  for (const auto& kernel : {Kernel(Linear{}),
                             Kernel(Polynomial{}),
                             Kernel(Rbf{}),
                             Kernel(Laplace{}),
                             Kernel(Absdiff{}),
                             Kernel(Cosine{}),
                             Kernel(HistogramIntersection{}),
                             Kernel(ChiSquare{})}) {
    EXPECT_TRUE(is_psd(kernel)) << kernel_name(kernel);
  }
  EXPECT_EQ(definiteness(Sentropic{}), Definiteness::indefinite);
  EXPECT_EQ(definiteness(Sigmoid{}), Definiteness::indefinite);
  EXPECT_EQ(definiteness(Polynomial{.coef0 = -1}), Definiteness::indefinite);
  EXPECT_EQ(definiteness(Precomputed{}), Definiteness::unknown);
  EXPECT_TRUE(is_psd(exp_of(product_of(Linear{}, normalised(Rbf{})))));
  EXPECT_EQ(definiteness(sum_of(Linear{}, Sigmoid{})), Definiteness::unknown);
  EXPECT_EQ(definiteness(scaled(Sentropic{}, 2)), Definiteness::indefinite);
}

void expect_rejected(const Kernel& kernel, const Examples& data, const std::string& text) {
  try {
    check_domain(kernel, data);
    FAIL() << kernel_name(kernel);
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

// seed-merat fact 20: inputs <= 0 are rejected.
TEST(Kernel, NamesRowAndColumnOfAValueOutsideTheDomain) {
  DenseMatrix data(3, 2, 1.0);
  EXPECT_NO_THROW(check_domain(Sentropic{}, Examples(data)));
  data(2, 1) = 0;
  expect_rejected(Sentropic{}, Examples(data), "row 2, column 1 (from 0) is 0, must be > 0");
  expect_rejected(Sentropic{}, as_sparse(data), "row 2, column 1 (from 0) is 0, must be > 0");
  EXPECT_NO_THROW(check_domain(ChiSquare{}, Examples(data)));
  data(1, 0) = -0.5;
  expect_rejected(ChiSquare{}, Examples(data), "row 1, column 0 (from 0) is -0.5, must be >= 0");
  expect_rejected(HistogramIntersection{}, as_sparse(data), "row 1, column 0");
  expect_rejected(sum_of(Linear{}, Sentropic{}), Examples(data), "row 1, column 0");
  EXPECT_NO_THROW(check_domain(Rbf{}, Examples(data)));
}

TEST(Kernel, APrecomputedKernelLooksUpRowNumbers) {
  auto matrix = std::make_shared<DenseMatrix>(2, 3);
  for (std::size_t k = 0; k < 6; ++k) matrix->values()[k] = static_cast<double>(k);
  const Kernel kernel = Precomputed{matrix};
  const Examples indices = index_examples(3);
  EXPECT_EQ(evaluate(kernel, indices.row(1), indices.row(2)), 5);
  EXPECT_THROW(static_cast<void>(evaluate(kernel, indices.row(2), indices.row(0))),
               InvalidArgument);
  expect_rejected(kernel, Examples(DenseMatrix(1, 1, 0.5)), "row number");
  expect_rejected(kernel, Examples(DenseMatrix(1, 1, 3.0)), "row number");
  (*matrix)(1, 1) = std::nan("");
  EXPECT_THROW(validate(kernel), InvalidArgument);
}

TEST(Kernel, DenseRowsOfDifferentLengthAreAnError) {
  const std::vector<double> shorter = {1, 2};
  for (const auto& c : kernel_cases()) {
    const auto* combined = std::get_if<Combined>(&c.kernel);
    if (combined && std::holds_alternative<RankOneRule>(combined->node().rule)) continue;
    EXPECT_THROW(
        static_cast<void>(evaluate(c.kernel, Row(std::span(x_values)), Row(std::span(shorter)))),
        InvalidArgument)
        << kernel_name(c.kernel);
  }
}

TEST(Kernel, CosineSurvivesHugeAndTinyVectors) {
  const std::vector<double> huge = {1e200, 1e200};
  const std::vector<double> tiny = {1e-200, 0};
  const std::vector<double> zero = {0, 0};
  EXPECT_NEAR(
      evaluate(Cosine{}, Row(std::span(huge)), Row(std::span(tiny))), std::sqrt(0.5), 1e-15);
  EXPECT_EQ(evaluate(Cosine{}, Row(std::span(huge)), Row(std::span(zero))), 0);
}

// seed-merat fact 24.
TEST(Kernel, GaussianGoesToOneAndToTheIdentityWithItsWidth) {
  const Examples data(testing::random_matrix(1, 6, 3, -1, 1));
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(evaluate(Rbf{.gamma = 1e-9}, data.row(i), data.row(j)), 1, 1e-7);
      EXPECT_NEAR(evaluate(Rbf{.gamma = 1e6}, data.row(i), data.row(j)), i == j ? 1 : 0, 1e-12);
    }
    EXPECT_EQ(evaluate(Rbf{.gamma = 3}, data.row(i), data.row(i)), 1);
  }
}

// seed-merat fact 24: Absdiff >= Laplace exactly where |x-z|_1 >= 1.
TEST(Kernel, AbsdiffIsAboveLaplaceExactlyBeyondDistanceOne) {
  const std::vector<double> origin = {0, 0};
  for (const double step : {0.1, 0.4, 0.499, 0.5, 0.501, 0.7, 3.0}) {
    const std::vector<double> z = {step, -step};
    const double absdiff =
        evaluate(Absdiff{.gamma = 0.8}, Row(std::span(origin)), Row(std::span(z)));
    const double laplace =
        evaluate(Laplace{.gamma = 0.8}, Row(std::span(origin)), Row(std::span(z)));
    EXPECT_EQ(absdiff >= laplace, 2 * step >= 1) << step;
  }
}

}  // namespace
}  // namespace maxmargin
