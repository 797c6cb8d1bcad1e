// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/iterated.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernel_cases.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/kernel/gram/mercer.hpp"

namespace maxmargin {
namespace {

using testing::largest_error;
using testing::random_matrix;

/// A random symmetric matrix, indefinite.
DenseMatrix random_symmetric(std::uint64_t seed, std::size_t n) {
  DenseMatrix k = random_matrix(seed, n, n, -1, 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) k(j, i) = k(i, j);
  }
  return k;
}

// seed-merat fact 30, FC-44, FC-45.
TEST(Iterated, EvenOrdersArePsdForAnySymmetricMatrix) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const DenseMatrix k = random_symmetric(seed, 20);
    ASSERT_FALSE(check_mercer(k.view()).is_psd);
    for (const int order : {2, 4, 6}) {
      const IteratedKernel iterated = IteratedKernel::fit(k.view(), order);
      EXPECT_TRUE(check_mercer(iterated.training_gram().view()).is_psd) << order;
    }
    EXPECT_FALSE(check_mercer(IteratedKernel::fit(k.view(), 3).training_gram().view()).is_psd);
  }
}

// seed-merat fact 31.
TEST(Iterated, SentropicWitnessSquaredHasTheValuesOfTheDocuments) {
  DenseMatrix points(3, 2);
  const double shares[] = {1e-6, 0.01, 0.1};
  for (std::size_t i = 0; i < 3; ++i) {
    points(i, 0) = 1 - shares[i];
    points(i, 1) = shares[i];
  }
  const DenseMatrix k = gram(Sentropic{}, Examples(points));
  const DenseMatrix squared = IteratedKernel::fit(k.view(), 2).training_gram();
  const double c[] = {1, -2, 1};
  double form = 0;
  double squared_length = 0;
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double image = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      form += c[i] * 3 * squared(i, j) * c[j];
      image += k(i, j) * c[j];
    }
    squared_length += image * image;
    sum += image;
  }
  EXPECT_NEAR(form, 0.4300024, 1e-7);
  EXPECT_NEAR(squared_length, form, 1e-14);
  // The factors that the documents print: not the form.
  EXPECT_NEAR(sum * sum, 1.1924232, 1e-7);
  // By 40 digits; those of the fact were taken from entries of k rounded to seven.
  EXPECT_NEAR(form, 0.43000233497138, 1e-13);
  EXPECT_NEAR(sum * sum, 1.19242311969414, 1e-13);
  std::vector<double> squares = eigenvalues_symmetric(k.view());
  for (double& value : squares) value = value * value / 3;
  std::ranges::sort(squares);
  const std::vector<double> values = eigenvalues_symmetric(squared.view());
  for (std::size_t t = 0; t < 3; ++t) EXPECT_NEAR(values[t], squares[t], 1e-14);
}

/// (1/n) sum_z k^(p-1)(x, z) k(z, y), by the definition.
double plain_iterated(
    const Kernel& kernel, const Examples& training, const Row& x, const Row& y, int order) {
  if (order == 1) return evaluate(kernel, x, y);
  double sum = 0;
  for (std::size_t l = 0; l < training.rows(); ++l) {
    sum += plain_iterated(kernel, training, x, training.row(l), order - 1) *
           evaluate(kernel, training.row(l), y);
  }
  return sum / static_cast<double>(training.rows());
}

TEST(Iterated, TrainingCrossAndDiagonalEqualTheDefinition) {
  const Examples training(random_matrix(4, 6, 2, -1, 1));
  const Examples fresh(random_matrix(5, 4, 2, -1, 1));
  const Kernel kernel = Sigmoid{.gamma = 1, .coef0 = 0.2};
  const DenseMatrix k = gram(kernel, training);
  const DenseMatrix k_new = cross_gram(kernel, fresh, training);
  for (const int order : {1, 2, 3, 4}) {
    const IteratedKernel iterated = IteratedKernel::fit(k.view(), order);
    const DenseMatrix cross = iterated.cross(k_new.view());
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        EXPECT_NEAR(iterated.training_gram()(i, j),
                    plain_iterated(kernel, training, training.row(i), training.row(j), order),
                    1e-14);
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        EXPECT_NEAR(cross(i, j),
                    plain_iterated(kernel, training, fresh.row(i), training.row(j), order),
                    1e-14);
      }
      if (order == 1) continue;
      EXPECT_NEAR(iterated.diagonal(k_new.view())[i],
                  plain_iterated(kernel, training, fresh.row(i), fresh.row(i), order),
                  1e-14);
    }
  }
}

TEST(Iterated, WrongCallsAndNoExamples) {
  const DenseMatrix k(2, 2, 1.0);
  EXPECT_THROW(static_cast<void>(IteratedKernel::fit(DenseMatrix(2, 3).view())), InvalidArgument);
  EXPECT_THROW(static_cast<void>(IteratedKernel::fit(k.view(), 0)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(IteratedKernel::fit(k.view(), 1).diagonal(k.view())),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(IteratedKernel::fit(k.view()).cross(DenseMatrix(1, 3).view())),
               InvalidArgument);
  const IteratedKernel none = IteratedKernel::fit(DenseMatrix(0, 0).view());
  EXPECT_EQ(none.training_gram().rows(), 0u);
  EXPECT_EQ(none.diagonal(DenseMatrix(2, 0).view()), std::vector<double>(2, 0.0));
}

}  // namespace
}  // namespace maxmargin
