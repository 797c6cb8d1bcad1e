// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/gram/gram.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernel_cases.hpp"
#include "maxmargin/data/iris.hpp"

namespace maxmargin {
namespace {

using testing::as_sparse;
using testing::data_for;
using testing::kernel_cases;
using testing::largest_error;
using testing::plain_gram;
using testing::random_matrix;

/// Rounding of d products and of the functions after them, values of order 1.
constexpr double double_bound = 1e-12;
constexpr double float_bound = 2e-5;

class EveryKernel : public ::testing::TestWithParam<std::size_t> {
 protected:
  testing::KernelCase c = kernel_cases()[GetParam()];
};

TEST_P(EveryKernel, DenseGramEqualsThePlainTwin) {
  const Examples data(data_for(c, 11, 37, 5));
  const DenseMatrix plain = plain_gram(c.kernel, data, data);
  EXPECT_LT(largest_error(gram(c.kernel, data), plain), double_bound);
  EXPECT_LT(largest_error(gram_float(c.kernel, data), plain), float_bound);
}

TEST_P(EveryKernel, SparseGramEqualsThePlainTwin) {
  // 5 columns of 60 used: the sparse path; every third row is empty.
  DenseMatrix wide(41, 60);
  const DenseMatrix narrow_data = data_for(c, 12, 41, 5, 0.3);
  for (std::size_t i = 0; i < 41; ++i) {
    if (i % 3 == 0) continue;
    for (std::size_t j = 0; j < 5; ++j) wide(i, (7 * i + 11 * j) % 60) = narrow_data(i, j);
  }
  if (!c.zeros) wide = data_for(c, 12, 41, 5);
  const Examples data = as_sparse(wide);
  const DenseMatrix plain = plain_gram(c.kernel, data, data);
  EXPECT_LT(largest_error(gram(c.kernel, data), plain), double_bound);
  EXPECT_LT(largest_error(gram_float(c.kernel, data), plain), float_bound);
  EXPECT_LT(largest_error(gram(c.kernel, Examples(wide)), plain), double_bound);
}

TEST_P(EveryKernel, CrossGramEqualsThePlainTwinForMixedStorage) {
  const DenseMatrix a = data_for(c, 13, 19, 6, 0.5);
  const DenseMatrix b = data_for(c, 14, 33, 6, 0.5);
  const DenseMatrix plain = plain_gram(c.kernel, Examples(a), Examples(b));
  for (const bool sparse_a : {false, true}) {
    for (const bool sparse_b : {false, true}) {
      const Examples rows = sparse_a ? as_sparse(a) : Examples(a);
      const Examples cols = sparse_b ? as_sparse(b) : Examples(b);
      EXPECT_LT(largest_error(cross_gram(c.kernel, rows, cols), plain), double_bound);
      EXPECT_LT(largest_error(cross_gram_float(c.kernel, rows, cols), plain), float_bound);
    }
  }
}

TEST_P(EveryKernel, IsTheSameForAnyThreadCountAndExactlySymmetric) {
  // More than one tile.
  const Examples data(data_for(c, 15, 300, 3));
  const DenseMatrix one = gram(c.kernel, data, {.context = {.threads = 1}});
  const FloatMatrix one_float = gram_float(c.kernel, data, {.context = {.threads = 1}});
  const std::vector<double> diagonal = kernel_diagonal(c.kernel, data);
  for (const std::size_t threads : {2u, 4u}) {
    const DenseMatrix many = gram(c.kernel, data, {.context = {.threads = threads}});
    const FloatMatrix many_float = gram_float(c.kernel, data, {.context = {.threads = threads}});
    EXPECT_TRUE(std::ranges::equal(one.values(), many.values()));
    EXPECT_TRUE(std::ranges::equal(one_float.values(), many_float.values()));
  }
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(one(i, i), diagonal[i]);
    EXPECT_EQ(one_float(i, i), static_cast<float>(diagonal[i]));
    for (std::size_t j = 0; j < i; ++j) {
      ASSERT_EQ(one(i, j), one(j, i));
      ASSERT_EQ(one_float(i, j), one_float(j, i));
    }
  }
}

TEST_P(EveryKernel, TakesNoExamplesAndOne) {
  const Examples none(DenseMatrix(0, 3));
  EXPECT_EQ(gram(c.kernel, none).rows(), 0u);
  EXPECT_TRUE(kernel_diagonal(c.kernel, none).empty());
  const Examples one(data_for(c, 16, 1, 3));
  const DenseMatrix k = gram(c.kernel, one);
  EXPECT_NEAR(k(0, 0), evaluate(c.kernel, one.row(0), one.row(0)), 1e-15 * (1 + k(0, 0)));
  EXPECT_EQ(cross_gram(c.kernel, one, none).cols(), 0u);
  EXPECT_EQ(cross_gram(c.kernel, none, one).rows(), 0u);
  // Sparse examples without entries or columns.
  if (c.zeros) {
    const Examples empty = SparseMatrix(0, Buffer<std::int64_t>(3, 0), {}, {});
    const DenseMatrix z = gram(c.kernel, empty);
    EXPECT_LT(largest_error(z, plain_gram(c.kernel, empty, empty)), 1e-15);
  }
}

TEST_P(EveryKernel, PermutingExamplesPermutesTheMatrix) {
  const Examples data(data_for(c, 17, 40, 4));
  const std::vector<std::size_t> order = Rng(1).permutation(40);
  const DenseMatrix a = gram(c.kernel, data);
  const DenseMatrix b = gram(c.kernel, data.select(order));
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < 40; ++j) {
      ASSERT_NEAR(b(i, j), a(order[i], order[j]), 1e-12 * (1 + std::abs(b(i, j))));
    }
  }
}

std::string case_name(const ::testing::TestParamInfo<std::size_t>& info) {
  std::string name = std::to_string(info.param) + "_";
  for (const char letter : kernel_name(kernel_cases()[info.param].kernel)) {
    if (std::isalnum(static_cast<unsigned char>(letter))) name += letter;
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(Gram,
                         EveryKernel,
                         ::testing::Range<std::size_t>(0, kernel_cases().size()),
                         case_name);

TEST(Gram, DuplicatesHaveExactlyTheDiagonalsValue) {
  DenseMatrix data = random_matrix(21, 30, 7, 3, 4);
  for (std::size_t j = 0; j < 7; ++j) data(29, j) = data(4, j);
  for (const Kernel& kernel : {Kernel(Rbf{.gamma = 1e6}),
                               Kernel(Laplace{.gamma = 1e6}),
                               Kernel(Absdiff{.gamma = 1e6}),
                               Kernel(ChiSquare{.gamma = 1e6})}) {
    for (const Examples& examples : {Examples(data), as_sparse(data)}) {
      EXPECT_EQ(gram(kernel, examples)(29, 4), 1) << kernel_name(kernel);
      EXPECT_EQ(gram_float(kernel, examples)(29, 4), 1) << kernel_name(kernel);
    }
  }
}

/// Data of spread 1 at a distance of 1e6 from the origin.
DenseMatrix far_away(std::uint64_t seed, std::size_t n, std::size_t d, double offset) {
  DenseMatrix data = random_matrix(seed, n, d, -1, 1);
  for (double& value : data.values()) value += offset;
  return data;
}

TEST(Gram, ACommonOffsetCostsNoDigits) {
  const DenseMatrix data = far_away(22, 60, 10, 1e6);
  for (const Kernel& kernel :
       {Kernel(Rbf{.gamma = 0.1}), Kernel(Laplace{.gamma = 0.1}), Kernel(Absdiff{.gamma = 0.3})}) {
    const DenseMatrix plain = plain_gram(kernel, Examples(data), Examples(data));
    EXPECT_LT(largest_error(gram(kernel, Examples(data)), plain), 1e-9) << kernel_name(kernel);
    EXPECT_LT(largest_error(gram_float(kernel, Examples(data)), plain), 5e-6)
        << kernel_name(kernel);
    EXPECT_LT(largest_error(gram(kernel, as_sparse(data)), plain), 1e-9) << kernel_name(kernel);
  }
}

TEST(Gram, TwoFarClustersKeepTheirInnerDistances) {
  // Centring cannot help here: half of the data sits at -1e6, half at 1e6.
  DenseMatrix data = random_matrix(23, 40, 5, -1, 1);
  for (std::size_t i = 0; i < 40; ++i) {
    for (double& value : data.row(i)) value += i % 2 == 0 ? 1e6 : -1e6;
  }
  const Kernel kernel = Rbf{.gamma = 0.2};
  const DenseMatrix plain = plain_gram(kernel, Examples(data), Examples(data));
  EXPECT_LT(largest_error(gram(kernel, Examples(data)), plain), 1e-9);
  EXPECT_LT(largest_error(gram_float(kernel, Examples(data)), plain), 1e-6);
}

TEST(Gram, SparseDataWithOneHugeColumnKeepsItsDistances) {
  DenseMatrix data(30, 40);
  Rng rng(24);
  for (std::size_t i = 0; i < 30; ++i) {
    data(i, 0) = 1e7 + rng.uniform();
    data(i, 1 + rng.index(39)) = rng.uniform();
  }
  for (const Kernel& kernel : {Kernel(Rbf{}), Kernel(Absdiff{}), Kernel(ChiSquare{})}) {
    const DenseMatrix plain = plain_gram(kernel, Examples(data), Examples(data));
    EXPECT_LT(largest_error(gram(kernel, as_sparse(data)), plain), 1e-9) << kernel_name(kernel);
    EXPECT_LT(largest_error(gram_float(kernel, as_sparse(data)), plain), 1e-6)
        << kernel_name(kernel);
  }
}

TEST(Gram, HugeAndTinyValuesGiveNoNaN) {
  for (const double size : {1e30, 1e160, 1e-30, 1e-160}) {
    const DenseMatrix data = random_matrix(25, 12, 3, 0.5 * size, size);
    for (const Kernel& kernel : {Kernel(Rbf{}),
                                 Kernel(Rbf{.gamma = 1e-40}),
                                 Kernel(Rbf{.gamma = 1e50}),
                                 Kernel(Laplace{}),
                                 Kernel(Absdiff{}),
                                 Kernel(ChiSquare{}),
                                 Kernel(Cosine{}),
                                 Kernel(Sentropic{})}) {
      const DenseMatrix plain = plain_gram(kernel, Examples(data), Examples(data));
      EXPECT_LT(largest_error(gram(kernel, Examples(data)), plain), 1e-9)
          << kernel_name(kernel) << ' ' << size;
      EXPECT_LT(largest_error(gram_float(kernel, Examples(data)), plain), 2e-6)
          << kernel_name(kernel) << ' ' << size;
    }
  }
}

TEST(Gram, FloatErrorOfTheRbfKernelStaysSmallAtEveryWidth) {
  const Examples data(random_matrix(26, 80, 50, -1, 1));
  for (const double gamma : {1e-3, 0.03, 1.0, 30.0, 1e3}) {
    const DenseMatrix plain = plain_gram(Rbf{gamma}, data, data);
    // Relative error of a squared distance at most (d + 4) 2^-24 2^10, times max t exp(-t) = 1/e.
    EXPECT_LT(largest_error(gram_float(Rbf{gamma}, data), plain), 54 * 0x1p-14 / std::exp(1));
  }
}

TEST(Gram, WiderSparseTestDataMeetsNarrowerTrainingData) {
  const DenseMatrix wide = random_matrix(27, 6, 9, 0, 1, 0.8);
  const DenseMatrix narrow_data = random_matrix(28, 7, 5, 0, 1, 0.8);
  for (const Kernel& kernel : {Kernel(Linear{}),
                               Kernel(Rbf{}),
                               Kernel(Laplace{}),
                               Kernel(ChiSquare{}),
                               Kernel(HistogramIntersection{})}) {
    const Examples a = as_sparse(wide);
    const Examples b = as_sparse(narrow_data);
    EXPECT_LT(largest_error(cross_gram(kernel, a, b), plain_gram(kernel, a, b)), 1e-13);
    EXPECT_LT(largest_error(cross_gram(kernel, b, a), plain_gram(kernel, b, a)), 1e-13);
  }
}

TEST(Gram, WrongCallsAreNamed) {
  const Examples three(DenseMatrix(2, 3, 1.0));
  const Examples four(DenseMatrix(2, 4, 1.0));
  EXPECT_THROW(static_cast<void>(cross_gram(Linear{}, three, four)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(cross_gram(Sentropic{}, as_sparse(DenseMatrix(2, 3, 1.0)), four)),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(gram(Rbf{.gamma = -1}, three)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(gram(Sentropic{}, Examples(DenseMatrix(2, 2)))), InvalidArgument);
  EXPECT_THROW(static_cast<void>(gram(Linear{}, three, {.context = {.threads = 0}})),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(gram(normalised(Sigmoid{.gamma = -1}), three)), InvalidArgument);
}

TEST(Gram, ASentropicPartOfACombinationNeedsEqualWidths) {
  const Examples three = as_sparse(DenseMatrix(2, 3, 1.0));
  const Examples two = as_sparse(DenseMatrix(2, 2, 2.0));
  for (const Kernel& kernel : {sum_of(Sentropic{}, Linear{}),
                               product_of(Linear{}, exp_of(Sentropic{})),
                               normalised(scaled(Sentropic{}, 2)),
                               with_scaled_inputs(power_of(Sentropic{}, 2), {1, 2, 3})}) {
    EXPECT_THROW(static_cast<void>(cross_gram(kernel, three, two)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(cross_gram(kernel, two, three)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(cross_gram_float(kernel, two, three)), InvalidArgument);
    EXPECT_NO_THROW(static_cast<void>(cross_gram(kernel, three, three)));
  }
  // The others read what is missing as 0.
  EXPECT_EQ(cross_gram(sum_of(Linear{}, Linear{}), three, two)(0, 0), 8);
}

TEST(Gram, RejectsValuesThatAreNotFinite) {
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    for (const auto& c : kernel_cases()) {
      DenseMatrix points = data_for(c, 3, 4, 3);
      points(2, 1) = bad;
      const auto* combined = std::get_if<Combined>(&c.kernel);
      if (combined && std::holds_alternative<RankOneRule>(combined->node().rule)) continue;
      EXPECT_THROW(static_cast<void>(gram(c.kernel, Examples(points))), InvalidArgument)
          << kernel_name(c.kernel);
      EXPECT_THROW(static_cast<void>(gram(c.kernel, as_sparse(points))), InvalidArgument)
          << kernel_name(c.kernel);
    }
  }
}

TEST(Gram, APrecomputedMatrixComesBackAndMustBeSymmetric) {
  const Examples data(random_matrix(29, 20, 4, -1, 1));
  auto matrix = std::make_shared<DenseMatrix>(gram(Rbf{}, data));
  const Examples indices = index_examples(20);
  EXPECT_EQ(largest_error(gram(Precomputed{matrix}, indices), *matrix), 0);
  const std::vector<std::size_t> some = {3, 17, 3};
  const DenseMatrix part = gram(Precomputed{matrix}, indices.select(some));
  EXPECT_EQ(part(0, 1), (*matrix)(3, 17));
  EXPECT_EQ(part(0, 2), 1);
  // Prediction: an m x n matrix.
  auto wide = std::make_shared<DenseMatrix>(cross_gram(Rbf{}, data.select(some), data));
  EXPECT_EQ(largest_error(cross_gram(Precomputed{wide}, index_examples(3), indices), *wide), 0);
  EXPECT_THROW(static_cast<void>(cross_gram(Precomputed{wide}, indices, indices)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(gram(Precomputed{wide}, index_examples(3))), InvalidArgument);
  (*matrix)(2, 5) += 1;
  EXPECT_THROW(static_cast<void>(gram(Precomputed{matrix}, indices)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(gram(scaled(Precomputed{matrix}, 2), indices)), InvalidArgument);
}

TEST(Gram, IrisGaussianMatchesTheSpectralSumsOfTheDocuments) {
  // seed-merat fact 38: kernel SSE of one cluster, tr K - 1'K1/n, Gaussian sigma = 2 and Absdiff.
  const Dataset data = iris();
  const auto one_cluster = [&](const Kernel& kernel) {
    const DenseMatrix k = gram(kernel, data.examples);
    double trace = 0;
    double sum = 0;
    for (std::size_t i = 0; i < k.rows(); ++i) trace += k(i, i);
    for (const double value : k.values()) sum += value;
    return trace - sum / static_cast<double>(k.rows());
  };
  EXPECT_NEAR(one_cluster(Rbf{.gamma = 1.0 / 8}), 73.13669876, 1e-7);
  EXPECT_NEAR(one_cluster(Absdiff{.gamma = 1.0 / 8}), 31.71057027, 1e-7);
}

}  // namespace
}  // namespace maxmargin
