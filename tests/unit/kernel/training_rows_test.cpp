// SPDX-License-Identifier: Apache-2.0
// Kernels that hold their training examples: centred and iterated.
#include <gtest/gtest.h>

#include <cmath>

#include "kernel_cases.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/kernel/gram/mercer.hpp"

namespace maxmargin {
namespace {

using testing::largest_error;
using testing::random_matrix;

DenseMatrix multiplied(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix product(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.cols(); ++k) {
      for (std::size_t j = 0; j < b.cols(); ++j) product(i, j) += a(i, k) * b(k, j);
    }
  }
  return product;
}

/// I - 1/n.
DenseMatrix centring_matrix(std::size_t n) {
  DenseMatrix h(n, n, -1.0 / static_cast<double>(n));
  for (std::size_t i = 0; i < n; ++i) h(i, i) += 1;
  return h;
}

std::vector<Kernel> some_kernels() {
  return {Linear{},
          Rbf{0.4},
          Polynomial{.gamma = 1, .coef0 = 1, .degree = 2},
          sum_of(Rbf{1}, scaled(Linear{}, 2)),
          Sigmoid{.gamma = 0.5}};
}

TEST(CentredKernel, TrainingGramIsHKH) {
  const DenseMatrix points = random_matrix(1, 70, 4, -1, 2, 0.3);
  const DenseMatrix h = centring_matrix(70);
  for (const Examples& rows : {Examples(points), testing::as_sparse(points)}) {
    for (const Kernel& inner : some_kernels()) {
      const Kernel kernel = fitted(centred(inner), rows);
      const DenseMatrix expected = multiplied(multiplied(h, gram(inner, rows)), h);
      EXPECT_LT(largest_error(gram(kernel, rows), expected), 1e-12) << kernel_name(inner);
      EXPECT_LT(largest_error(gram_float(kernel, rows), expected), 1e-4) << kernel_name(inner);
      EXPECT_LT(largest_error(testing::plain_gram(kernel, rows, rows), expected), 1e-12);
      const std::vector<double> diagonal = kernel_diagonal(kernel, rows);
      for (std::size_t i = 0; i < 70; ++i) EXPECT_NEAR(diagonal[i], expected(i, i), 1e-11);
    }
  }
}

TEST(CentredKernel, LinearIsAShiftForNewRowsToo) {
  const DenseMatrix training = random_matrix(2, 30, 3, 1, 4);
  DenseMatrix fresh = random_matrix(3, 9, 3, -2, 2);
  const Kernel kernel = fitted(centred(Linear{}), Examples(training));
  const DenseMatrix across = cross_gram(kernel, Examples(fresh), Examples(training));
  const DenseMatrix among = gram(kernel, Examples(fresh));
  DenseMatrix shifted = training;
  for (std::size_t j = 0; j < 3; ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < 30; ++i) mean += training(i, j) / 30;
    for (std::size_t i = 0; i < 30; ++i) shifted(i, j) -= mean;
    for (std::size_t i = 0; i < 9; ++i) fresh(i, j) -= mean;
  }
  EXPECT_LT(largest_error(across, cross_gram(Linear{}, Examples(fresh), Examples(shifted))), 1e-12);
  EXPECT_LT(largest_error(among, gram(Linear{}, Examples(fresh))), 1e-12);
}

TEST(CentredKernel, MeansAreFoundByEntriesInDenseAndSparseRows) {
  const DenseMatrix points = random_matrix(4, 25, 4, -1, 1, 0.5);
  const KernelMeans means(Rbf{1}, std::make_shared<const Examples>(points));
  const Examples sparse = testing::as_sparse(points);
  for (std::size_t i = 0; i < 25; ++i) {
    EXPECT_EQ(means.known_mean(Row(points.row(i))), means.row_means()[i]);
    EXPECT_EQ(means.known_mean(sparse.row(i)), means.row_means()[i]);
  }
  const std::vector<double> other = {9, 9, 9, 9};
  EXPECT_FALSE(means.known_mean(Row(std::span(other))).has_value());
}

TEST(CentredKernel, IsTheSameForAnyNumberOfThreads) {
  const Examples rows(random_matrix(5, 300, 6, -1, 1));
  const DenseMatrix one =
      gram(fitted(centred(Rbf{0.3}), rows, 1), rows, {.context = {.threads = 1}});
  const DenseMatrix four =
      gram(fitted(centred(Rbf{0.3}), rows, 4), rows, {.context = {.threads = 4}});
  EXPECT_TRUE(std::ranges::equal(one.values(), four.values()));
}

TEST(CentredKernel, NeedsTrainingExamples) {
  const Examples rows(random_matrix(6, 5, 2, -1, 1));
  EXPECT_THROW(validate(centred(Linear{})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(gram(sum_of(Rbf{}, iterated(Linear{})), rows)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(fitted(centred(Linear{}), Examples(DenseMatrix(0, 2)))),
               InvalidArgument);
}

// seed-merat fact 30, FC-44, FC-45: K^p / n^(p-1) for p = 2 and 4.
TEST(IteratedKernel, TrainingGramIsAPowerOfTheMatrixAndPsd) {
  const Examples rows(random_matrix(7, 40, 3, 0.05, 1));
  for (const Kernel& inner : {Kernel(Sentropic{5}), Kernel(Sigmoid{2, -1}), Kernel(Rbf{1})}) {
    const DenseMatrix k = gram(inner, rows);
    DenseMatrix second = multiplied(k, k);
    for (double& value : second.values()) value /= 40;
    DenseMatrix fourth = multiplied(second, second);
    for (double& value : fourth.values()) value /= 40;
    const Kernel once = fitted(iterated(inner), rows);
    const Kernel twice = fitted(iterated(iterated(inner)), rows);
    EXPECT_LT(largest_error(gram(once, rows), second), 1e-13);
    EXPECT_LT(largest_error(gram(twice, rows), fourth), 1e-13);
    EXPECT_LT(largest_error(testing::plain_gram(once, rows, rows), second), 1e-13);
    EXPECT_TRUE(check_mercer(gram(once, rows).view()).is_psd) << kernel_name(inner);
    EXPECT_TRUE(is_psd(once));
  }
}

// seed-merat fact 31.
TEST(IteratedKernel, SentropicWitnessHasTheValueOfTheDocuments) {
  DenseMatrix points(3, 2);
  const double shares[] = {1e-6, 0.01, 0.1};
  for (std::size_t i = 0; i < 3; ++i) {
    points(i, 0) = 1 - shares[i];
    points(i, 1) = shares[i];
  }
  const Examples rows(points);
  const DenseMatrix squared = gram(fitted(iterated(Sentropic{}), rows), rows);
  const double c[] = {1, -2, 1};
  double form = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) form += c[i] * 3 * squared(i, j) * c[j];
  }
  EXPECT_NEAR(form, 0.4300024, 1e-7);
}

TEST(IteratedKernel, NewRowsFollowTheDefinition) {
  const Examples training(random_matrix(8, 30, 3, -1, 1));
  const Examples fresh(random_matrix(9, 6, 3, -1, 1));
  const Kernel kernel = fitted(iterated(Laplace{0.5}), training);
  const DenseMatrix across = cross_gram(kernel, fresh, training);
  const DenseMatrix expected =
      multiplied(cross_gram(Laplace{0.5}, fresh, training), gram(Laplace{0.5}, training));
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 30; ++j) EXPECT_NEAR(across(i, j), expected(i, j) / 30, 1e-13);
  }
}

TEST(FittedKernels, NestInEachOtherAndInScaledInputs) {
  const Examples rows(random_matrix(10, 20, 3, -1, 1));
  const std::vector<double> weights = {4, 0.25, 1};
  const std::vector<Kernel> kernels = {
      normalised(centred(Rbf{1})),
      centred(iterated(centred(Linear{}))),
      with_scaled_inputs(centred(Rbf{0.5}), weights),
      sum_of(centred(Linear{}), product_of(iterated(Rbf{1}), Linear{}))};
  for (const Kernel& kernel : kernels) {
    const Kernel whole = fitted(kernel, rows);
    EXPECT_LT(largest_error(gram(whole, rows), testing::plain_gram(whole, rows, rows)), 1e-12)
        << kernel_name(kernel);
  }
  // The rows are copied once.
  const Kernel both = fitted(sum_of(centred(Linear{}), iterated(Linear{})), rows);
  const auto& sum = std::get<SumRule>(std::get<Combined>(both).node().rule);
  EXPECT_EQ(std::get<CentredRule>(std::get<Combined>(sum.a).node().rule).means->rows(),
            std::get<IteratedRule>(std::get<Combined>(sum.b).node().rule).rows);
}

TEST(IteratedKernels, AreRefusedWhereTheirValuesExceedTheMemoryLimit) {
  const Examples rows(DenseMatrix(100, 2, 1.0));
  const KernelChoice choice = KernelChoice::parse("iterate(rbf(gamma=1))");
  const auto resolve = [&](std::size_t limit) {
    (void)choice.resolved(rows, {.context = {.memory_limit = limit}});
  };
  EXPECT_NO_THROW(resolve(80000));
  try {
    resolve(79999);
    ADD_FAILURE() << "100 x 100 numbers of 8 bytes fit into less";
  } catch (const InvalidArgument& refusal) {
    EXPECT_EQ(std::string(refusal.what()),
              "--kernel iterate(rbf(gamma=1)) over 100 rows needs 79 KiB, more than the memory "
              "limit of 78 KiB: take fewer rows, or a kernel without iterate");
  }
}

}  // namespace
}  // namespace maxmargin
