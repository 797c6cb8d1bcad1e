// SPDX-License-Identifier: Apache-2.0
#include "kernel/gram/nystroem.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace maxmargin {
namespace {

DenseMatrix normal_matrix(std::size_t n, std::size_t d, std::uint64_t seed) {
  Rng rng(seed, "nystroem");
  DenseMatrix x(n, d);
  for (double& value : x.values()) value = rng.normal();
  return x;
}

/// K - Z Z'.
DenseMatrix left(const DenseMatrix& gram, const DenseMatrix& z) {
  DenseMatrix e = gram;
  for (std::size_t i = 0; i < e.rows(); ++i) {
    for (std::size_t j = 0; j < e.cols(); ++j) {
      for (std::size_t k = 0; k < z.cols(); ++k) e(i, j) -= z(i, k) * z(j, k);
    }
  }
  return e;
}

TEST(Nystroem, WhatIsMissedIsSemidefiniteWithTheReportedDiagonal) {
  const Examples x(normal_matrix(40, 2, 1));
  const Rbf kernel{.gamma = 0.7};
  for (const std::size_t m : {1U, 5U, 15U}) {
    const NystroemFit fit = fit_nystroem(kernel, x, {.landmarks = m});
    EXPECT_EQ(fit.map.features(), m);
    const DenseMatrix e = left(gram(kernel, x), fit.features);
    EXPECT_GE(eigenvalues_symmetric(e.view()).front(), -1e-12);
    for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(e(i, i), fit.missed[i], 1e-12);
    for (const std::size_t row : fit.map.rows) EXPECT_EQ(fit.missed[row], 0);
  }
}

TEST(Nystroem, FeaturesOfNewPointsAreThoseOfTheTrainingPoints) {
  const Examples x(normal_matrix(30, 3, 2));
  const NystroemFit fit = fit_nystroem(Rbf{.gamma = 0.2}, x, {.landmarks = 12});
  const DenseMatrix again = fit.map.transform(x);
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(again(i, j), fit.features(i, j), 1e-10);
  }
}

TEST(Nystroem, LinearFunctionsOfTheFeaturesAreKernelSums) {
  const Examples x(normal_matrix(20, 2, 3));
  const NystroemFit fit = fit_nystroem(Rbf{.gamma = 1}, x, {.landmarks = 6});
  const DenseMatrix w = normal_matrix(2, 6, 4);
  const DenseMatrix c = fit.map.landmark_coefficients(w.view());
  const DenseMatrix k = cross_gram(Rbf{.gamma = 1}, x, fit.map.landmarks);
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t r = 0; r < 2; ++r) {
      double by_features = 0;
      for (std::size_t j = 0; j < 6; ++j) by_features += w(r, j) * fit.features(i, j);
      double by_kernel = 0;
      for (std::size_t l = 0; l < 6; ++l) by_kernel += c(l, r) * k(i, l);
      EXPECT_NEAR(by_features, by_kernel, 1e-9);
    }
  }
}

TEST(Nystroem, StopsWhenTheKernelIsSpanned) {
  // A linear kernel in three dimensions has rank three.
  const Examples x(normal_matrix(25, 3, 5));
  const NystroemFit fit = fit_nystroem(Linear{}, x, {.landmarks = 25});
  EXPECT_EQ(fit.map.features(), 3U);
  for (const double missed : fit.missed) EXPECT_LE(missed, 1e-12 * 10);
  // Two equal points span one direction.
  DenseMatrix twice(2, 1, 3.0);
  EXPECT_EQ(fit_nystroem(Rbf{}, Examples(twice), {.landmarks = 2}).map.features(), 1U);
}

TEST(Nystroem, SameForAnyNumberOfThreadsAndForSparsePoints) {
  const DenseMatrix dense = normal_matrix(5000, 2, 6);
  const NystroemFit one =
      fit_nystroem(Rbf{}, Examples(dense), {.landmarks = 7, .context = {.threads = 1}});
  const NystroemFit two =
      fit_nystroem(Rbf{}, Examples(dense), {.landmarks = 7, .context = {.threads = 3}});
  EXPECT_EQ(one.map.rows, two.map.rows);
  EXPECT_TRUE(std::ranges::equal(one.features.values(), two.features.values()));
  const NystroemFit sparse =
      fit_nystroem(Rbf{}, Examples(to_sparse(dense.view())), {.landmarks = 7});
  EXPECT_EQ(one.map.rows, sparse.map.rows);
}

TEST(Nystroem, RefusesWhatItCannotSpan) {
  EXPECT_THROW((void)fit_nystroem(Linear{}, Examples(DenseMatrix(0, 2))), InvalidArgument);
  EXPECT_THROW((void)fit_nystroem(Linear{}, Examples(DenseMatrix(3, 2))), InvalidArgument);
  EXPECT_THROW((void)fit_nystroem(Sigmoid{}, Examples(normal_matrix(3, 2, 1))), InvalidArgument);
  EXPECT_THROW((void)fit_nystroem(Linear{}, Examples(normal_matrix(3, 2, 1)), {.landmarks = 0}),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
