// SPDX-License-Identifier: Apache-2.0
#include "kernel/near_origin.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maxmargin/kernel/combine.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

constexpr std::size_t rows = 20;
constexpr std::size_t cols = 3;

DenseMatrix moved_by(double t) {
  DenseMatrix x = gaussian_points(rows, cols, 5);
  for (double& value : x.values()) value += t;
  return x;
}

SparseMatrix sparse_copy(const DenseMatrix& x) {
  Buffer<std::int64_t> offsets(1, 0);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t j = 0; j < x.cols(); ++j) {
      if (x(i, j) == 0) continue;
      columns.push_back(static_cast<std::int32_t>(j));
      values.push_back(x(i, j));
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return SparseMatrix(x.cols(), std::move(offsets), std::move(columns), std::move(values));
}

/// |x_i - x_j|^2 of the kernel's feature space.
double squared_distance(const DenseMatrix& k, std::size_t i, std::size_t j) {
  return k(i, i) + k(j, j) - 2 * k(i, j);
}

TEST(NearOrigin, DistancesOfFarDataKeepTheirDigits) {
  const double t = 1e8;
  const DenseMatrix x = moved_by(t);
  const Kernel kernel = near_origin(Linear{}, Examples(x));
  ASSERT_TRUE(std::holds_alternative<Combined>(kernel));
  for (const Examples& examples : {Examples(x), Examples(sparse_copy(x))}) {
    const DenseMatrix k = gram(kernel, examples);
    const DenseMatrix plain = gram(Linear{}, examples);
    double worst = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        double exact = 0;
        for (std::size_t c = 0; c < cols; ++c) {
          exact += (x(i, c) - x(j, c)) * (x(i, c) - x(j, c));
        }
        EXPECT_NEAR(squared_distance(k, i, j), exact, 1e-13);
        EXPECT_NEAR(evaluate(kernel, examples.row(i), examples.row(j)), k(i, j), 1e-13);
        worst = std::max(worst, std::abs(squared_distance(plain, i, j) - exact));
      }
    }
    EXPECT_GT(worst, 0.1);  // what the plain matrix says
  }
}

TEST(NearOrigin, DataNearTheOriginAndOtherKernelsStayAsTheyAre) {
  const Examples near(moved_by(2));
  EXPECT_TRUE(std::holds_alternative<Linear>(near_origin(Linear{}, near)));
  const Examples far(moved_by(1e6));
  EXPECT_TRUE(std::holds_alternative<Rbf>(near_origin(Rbf{.gamma = 1}, far)));
  EXPECT_TRUE(std::holds_alternative<Polynomial>(near_origin(Polynomial{}, far)));
  const Kernel product = product_of(Linear{}, Linear{});
  EXPECT_EQ(kernel_expression(near_origin(product, far)), "linear*linear");
}

TEST(NearOrigin, MovesTheLinearPartsOfSumsOnce) {
  const Examples far(moved_by(1e6));
  const Kernel sum = near_origin(sum_of(scaled(Linear{}, 0.5), Rbf{.gamma = 1}), far);
  EXPECT_EQ(kernel_expression(sum), "0.5*moved-inputs(linear) + rbf(gamma=1)");
  EXPECT_EQ(kernel_expression(near_origin(sum, far)), kernel_expression(sum));
  EXPECT_EQ(kernel_expression(near_origin(fitted(centred(Linear{}), far), far)),
            "center(moved-inputs(linear))");
  EXPECT_TRUE(is_psd(sum));
}

TEST(NearOrigin, ChangesAKernelByWhatAFreeOffsetTakesUp) {
  // K(x, z) - K'(x, z) = g(x) + g(z): double differences vanish.
  const DenseMatrix x = moved_by(64);
  const DenseMatrix a = gram(Linear{}, Examples(x));
  const DenseMatrix b = gram(near_origin(Linear{}, Examples(x)), Examples(x));
  for (std::size_t i = 1; i < rows; ++i) {
    for (std::size_t j = 1; j < rows; ++j) {
      const double before = a(i, j) - a(0, j) - a(i, 0) + a(0, 0);
      const double after = b(i, j) - b(0, j) - b(i, 0) + b(0, 0);
      EXPECT_NEAR(before, after, 1e-10);
    }
  }
}

TEST(AtOrigin, GivesBackWhatNearOriginWasGiven) {
  const Examples far(moved_by(1e6));
  const std::vector<Kernel> asked = {
      Linear{},
      scaled(Linear{}, 0.5),
      sum_of(scaled(Linear{}, 0.5), Rbf{.gamma = 1}),
      sum_of(Linear{}, scaled(sum_of(Linear{}, Laplace{.gamma = 2}), 3)),
  };
  for (const Kernel& kernel : asked) {
    SCOPED_TRACE(kernel_expression(kernel));
    const Kernel moved = near_origin(kernel, far);
    EXPECT_NE(kernel_expression(moved), kernel_expression(kernel));
    EXPECT_EQ(kernel_expression(at_origin(moved)), kernel_expression(kernel));
  }
  // But for the means of what is centred, which are those of the moved part.
  const Kernel centring = fitted(centred(Linear{}), far);
  EXPECT_EQ(kernel_expression(at_origin(near_origin(centring, far))), kernel_expression(centring));
}

TEST(AtOrigin, LeavesAloneWhatNobodyMoved) {
  const std::vector<Kernel> asked = {
      Linear{},
      Rbf{.gamma = 1},
      sum_of(Linear{}, Rbf{.gamma = 1}),
      with_scaled_inputs(Linear{}, {1, 2, 1}, {3, 4, 5}),  // weights that are not 1
      with_scaled_inputs(Linear{}, {1, 1, 1}),             // no origin
  };
  for (const Kernel& kernel : asked) {
    SCOPED_TRACE(kernel_expression(kernel));
    EXPECT_EQ(kernel_expression(at_origin(kernel)), kernel_expression(kernel));
  }
}

TEST(NearOrigin, AnOriginMustBeFiniteAndFitTheWeights) {
  EXPECT_THROW(static_cast<void>(with_origin(Linear{}, {std::nan("")})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(with_scaled_inputs(Linear{}, {1, 1}, {1})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
