// SPDX-License-Identifier: Apache-2.0
#include "linalg/stoppable_eigenvalues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

DenseMatrix random_symmetric(std::size_t n, double scale) {
  Rng rng(7, "stoppable eigenvalues", n);
  DenseMatrix matrix(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) matrix(i, j) = matrix(j, i) = scale * rng.normal();
  }
  return matrix;
}

TEST(StoppableEigenvalues, AreThoseOfLapack) {
  // Around the ends of panels; at scales whose squares overflow or vanish.
  for (const std::size_t n : {1u, 2u, 5u, 63u, 64u, 65u, 96u, 97u, 200u}) {
    for (const double scale : {1.0, 1e200, 1e-200}) {
      const DenseMatrix matrix = random_symmetric(n, scale);
      const auto found = eigenvalues_unless_stopped(matrix.view(), {});
      ASSERT_TRUE(found.has_value());
      const std::vector<double> expected = eigenvalues_symmetric(matrix.view());
      ASSERT_EQ(found->size(), n);
      const double norm = std::max(std::abs(expected.front()), std::abs(expected.back()));
      for (std::size_t k = 0; k < n; ++k) {
        EXPECT_NEAR((*found)[k] / norm, expected[k] / norm, 1e-14 * static_cast<double>(n + 8));
      }
    }
  }
}

TEST(StoppableEigenvalues, AreNotThereAfterAStop) {
  const DenseMatrix matrix = random_symmetric(200, 1);
  for (const int patience : {0, 1, 3}) {
    int asked = 0;
    const auto found = eigenvalues_unless_stopped(matrix.view(), [&](const Progress&) {
      return ++asked > patience ? Continue::stop : Continue::yes;
    });
    EXPECT_FALSE(found.has_value());
    EXPECT_EQ(asked, patience + 1);
  }
}

}  // namespace
}  // namespace maxmargin
