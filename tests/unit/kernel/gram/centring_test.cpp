// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/gram/centring.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "kernel_cases.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace maxmargin {
namespace {

using testing::largest_error;
using testing::random_matrix;

// seed-merat fact 28.
TEST(Centring, RowSumsOfTheCentredGramAreZero) {
  DenseMatrix k = gram(Rbf{}, Examples(random_matrix(1, 25, 3, -1, 1)));
  FeatureCentring::fit(k.view()).apply_to_training(k.view());
  for (std::size_t i = 0; i < 25; ++i) {
    const auto row = k.row(i);
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 0, 25 * 1e-15);
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(k(i, j), k(j, i));
  }
}

/// The data minus the training mean.
Examples shifted(const DenseMatrix& data, const DenseMatrix& training) {
  DenseMatrix result = data;
  for (std::size_t j = 0; j < data.cols(); ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < training.rows(); ++i) mean += training(i, j);
    mean /= static_cast<double>(training.rows());
    for (std::size_t i = 0; i < data.rows(); ++i) result(i, j) -= mean;
  }
  return result;
}

// seed-merat FC-9: with the linear kernel centring in feature space is centring of the data.
TEST(Centring, LinearKernelCentredIsTheKernelOfCentredData) {
  const DenseMatrix training = random_matrix(2, 20, 4, 1, 3);
  const DenseMatrix fresh = random_matrix(3, 7, 4, 1, 3);
  DenseMatrix k = gram(Linear{}, Examples(training));
  const FeatureCentring centring = FeatureCentring::fit(k.view());
  centring.apply_to_training(k.view());
  EXPECT_LT(largest_error(k, gram(Linear{}, shifted(training, training))), 1e-13);

  DenseMatrix cross = cross_gram(Linear{}, Examples(fresh), Examples(training));
  std::vector<double> diagonal = kernel_diagonal(Linear{}, Examples(fresh));
  centring.apply_to_diagonal(diagonal, cross.view());
  centring.apply_to_new(cross.view());
  const Examples shifted_fresh = shifted(fresh, training);
  EXPECT_LT(largest_error(cross, cross_gram(Linear{}, shifted_fresh, shifted(training, training))),
            1e-13);
  const std::vector<double> expected = kernel_diagonal(Linear{}, shifted_fresh);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(diagonal[i], expected[i], 1e-12);
}

// seed-merat fact 28: a training example as a new one.
TEST(Centring, ANewExampleEqualToATrainingExampleGetsItsRow) {
  const Examples data(random_matrix(4, 15, 3, -1, 1));
  const DenseMatrix k = gram(Laplace{}, data);
  const FeatureCentring centring = FeatureCentring::fit(k.view());
  DenseMatrix as_training = k;
  DenseMatrix as_new = k;
  std::vector<double> diagonal = kernel_diagonal(Laplace{}, data);
  centring.apply_to_training(as_training.view());
  centring.apply_to_new(as_new.view());
  centring.apply_to_diagonal(diagonal, k.view());
  EXPECT_LT(largest_error(as_new, as_training), 1e-15);
  for (std::size_t i = 0; i < 15; ++i) EXPECT_NEAR(diagonal[i], as_training(i, i), 1e-14);
}

TEST(Centring, CentringTwiceChangesNothing) {
  DenseMatrix k = gram(Rbf{}, Examples(random_matrix(5, 12, 2, -1, 1)));
  FeatureCentring::fit(k.view()).apply_to_training(k.view());
  DenseMatrix twice = k;
  FeatureCentring::fit(twice.view()).apply_to_training(twice.view());
  EXPECT_LT(largest_error(twice, k), 1e-15);
}

TEST(Centring, WrongSizesAndNoExamples) {
  EXPECT_THROW(static_cast<void>(FeatureCentring::fit(DenseMatrix(2, 3).view())), InvalidArgument);
  const FeatureCentring none = FeatureCentring::fit(DenseMatrix(0, 0).view());
  EXPECT_EQ(none.grand_mean, 0);
  DenseMatrix k(3, 3, 1.0);
  EXPECT_THROW(none.apply_to_training(k.view()), InvalidArgument);
  EXPECT_THROW(none.apply_to_new(k.view()), InvalidArgument);
  std::vector<double> two(2);
  EXPECT_THROW(FeatureCentring::fit(k.view()).apply_to_diagonal(two, k.view()), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
