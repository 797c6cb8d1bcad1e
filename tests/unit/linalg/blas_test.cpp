// SPDX-License-Identifier: Apache-2.0
#include "linalg/blas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "linalg_support.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

using test::random_matrix;

constexpr Transpose both[] = {Transpose::no, Transpose::yes};

/// A matrix inside a wider one whose other entries are NaN: reading or writing beside it shows.
template <class T>
class Strided {
 public:
  Strided(const BasicDenseMatrix<T>& inner, std::size_t extra)
      : rows_(inner.rows()),
        cols_(inner.cols()),
        outer_(inner.rows(), inner.cols() + extra, std::numeric_limits<T>::quiet_NaN()) {
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < cols_; ++j) outer_(i, j) = inner(i, j);
    }
  }
  [[nodiscard]] BasicDenseView<T> view() { return {outer_.data(), rows_, cols_, outer_.cols()}; }
  [[nodiscard]] BasicDenseMatrix<T> inner() const {
    BasicDenseMatrix<T> result(rows_, cols_);
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < cols_; ++j) result(i, j) = outer_(i, j);
    }
    return result;
  }
  void expect_margin_untouched() const {
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = cols_; j < outer_.cols(); ++j) EXPECT_TRUE(std::isnan(outer_(i, j)));
    }
  }

 private:
  std::size_t rows_;
  std::size_t cols_;
  BasicDenseMatrix<T> outer_;
};

template <class T>
BasicDenseMatrix<T> apply(Transpose op, const BasicDenseMatrix<T>& a) {
  return op == Transpose::yes ? test::transposed(a) : a;
}

/// What alpha X + beta C should be, entry by entry; C is not read for beta = 0.
template <class T>
T combined(T alpha, T product, T beta, T before) {
  return alpha * product + (beta == 0 ? T{0} : beta * before);
}

/// A sum of k products of normal numbers errs by at most about k eps times the sum of magnitudes;
/// both sides err, and a few more operations come on top.
template <class T>
T rounding(std::size_t k, T scale) {
  return 4 * static_cast<T>(k + 2) * std::numeric_limits<T>::epsilon() * scale;
}

template <class T>
T magnitude(const BasicDenseMatrix<T>& a) {
  T largest = 1;
  for (const T value : a.values()) largest = std::max(largest, std::abs(value));
  return largest;
}

template <class T>
class Blas : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(Blas, Reals);

TYPED_TEST(Blas, GemmEqualsThreeLoopsForAllTransposesAndStrides) {
  using T = TypeParam;
  struct Size {
    std::size_t m, n, k;
  };
  for (const auto [m, n, k] : {Size{1, 1, 1}, {2, 3, 4}, {5, 1, 7}, {1, 6, 3}, {33, 17, 40}}) {
    for (const Transpose op_a : both) {
      for (const Transpose op_b : both) {
        for (const T beta : {T{0}, T{1}, T{-0.5}}) {
          const T alpha = T{1.5};
          const auto a = random_matrix<T>(m, k, 1);
          const auto b = random_matrix<T>(k, n, 2);
          auto c = random_matrix<T>(m, n, 3);
          const auto product = test::plain_product(a, b);
          Strided<T> stored_a(apply(op_a, a), 2);
          Strided<T> stored_b(apply(op_b, b), 0);
          if (beta == 0) c = BasicDenseMatrix<T>(m, n, std::numeric_limits<T>::quiet_NaN());
          Strided<T> stored_c(c, 3);
          gemm(op_a, op_b, alpha, stored_a.view(), stored_b.view(), beta, stored_c.view());
          const auto result = stored_c.inner();
          const T tolerance =
              rounding<T>(k, magnitude(a) * magnitude(b) * static_cast<T>(k) * alpha);
          for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
              ASSERT_NEAR(result(i, j), combined(alpha, product(i, j), beta, c(i, j)), tolerance);
            }
          }
          stored_c.expect_margin_untouched();
        }
      }
    }
  }
}

TYPED_TEST(Blas, SyrkWritesTheLowerTriangleOfTheProductAlone) {
  using T = TypeParam;
  for (const std::size_t n : {1u, 2u, 9u, 35u}) {
    for (const std::size_t k : {1u, 4u, 20u}) {
      for (const Transpose op : both) {
        for (const T beta : {T{0}, T{2}}) {
          const auto a = random_matrix<T>(n, k, 4);
          const auto product = test::plain_product(a, test::transposed(a));
          auto c = random_matrix<T>(n, n, 5);
          if (beta == 0) c = BasicDenseMatrix<T>(n, n, std::numeric_limits<T>::quiet_NaN());
          for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = i + 1; j < n; ++j) c(i, j) = 77;
          }
          Strided<T> stored_a(apply(op, a), 1);
          Strided<T> stored_c(c, 2);
          syrk_lower(op, T{0.5}, stored_a.view(), beta, stored_c.view());
          const auto result = stored_c.inner();
          const T tolerance = rounding<T>(k, magnitude(a) * magnitude(a) * static_cast<T>(k));
          for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
              ASSERT_NEAR(result(i, j), combined(T{0.5}, product(i, j), beta, c(i, j)), tolerance);
            }
            for (std::size_t j = i + 1; j < n; ++j) ASSERT_EQ(result(i, j), 77);
          }
          stored_c.expect_margin_untouched();
        }
      }
    }
  }
}

TYPED_TEST(Blas, GemvEqualsTwoLoops) {
  using T = TypeParam;
  for (const std::size_t m : {1u, 3u, 50u}) {
    for (const std::size_t n : {1u, 8u, 41u}) {
      for (const Transpose op : both) {
        for (const T beta : {T{0}, T{1}, T{-3}}) {
          const auto a = random_matrix<T>(m, n, 6);
          const auto x = random_matrix<T>(n, 1, 7);
          auto y = random_matrix<T>(m, 1, 8);
          const auto product = test::plain_product(a, x);
          if (beta == 0) y = BasicDenseMatrix<T>(m, 1, std::numeric_limits<T>::quiet_NaN());
          auto result = y;
          Strided<T> stored(apply(op, a), 3);
          gemv(op, T{2}, stored.view(), x.values(), beta, result.values());
          const T tolerance = rounding<T>(n, 2 * magnitude(a) * magnitude(x) * static_cast<T>(n));
          for (std::size_t i = 0; i < m; ++i) {
            ASSERT_NEAR(result(i, 0), combined(T{2}, product(i, 0), beta, y(i, 0)), tolerance);
          }
        }
      }
    }
  }
}

TYPED_TEST(Blas, AxpyAndDotEqualOneLoop) {
  using T = TypeParam;
  for (const std::size_t n : {0u, 1u, 2u, 15u, 16u, 33u, 1000u}) {
    const auto x = random_matrix<T>(1, n, 9);
    const auto y = random_matrix<T>(1, n, 10);
    auto result = y;
    axpy(T{-1.25}, x.values(), result.values());
    double sum = 0;
    double magnitudes = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const T expected = T{-1.25} * x.values()[i] + y.values()[i];
      EXPECT_NEAR(result.values()[i], expected, 8 * std::numeric_limits<T>::epsilon());
      const double product = static_cast<double>(x.values()[i]) * y.values()[i];
      sum += product;
      magnitudes += std::abs(product);
    }
    EXPECT_NEAR(dot(x.values(), y.values()), sum, rounding<T>(n, static_cast<T>(magnitudes)));
  }
}

TYPED_TEST(Blas, EmptySizesScaleTheResultOnly) {
  using T = TypeParam;
  const BasicDenseMatrix<T> tall(3, 0);
  const BasicDenseMatrix<T> wide(0, 2);
  BasicDenseMatrix<T> c(3, 2, T{4});
  gemm(Transpose::no, Transpose::no, T{1}, tall.view(), wide.view(), T{0.5}, c.view());
  for (const T value : c.values()) EXPECT_EQ(value, 2);
  c = BasicDenseMatrix<T>(3, 2, std::numeric_limits<T>::quiet_NaN());
  gemm(Transpose::no, Transpose::no, T{1}, tall.view(), wide.view(), T{0}, c.view());
  for (const T value : c.values()) EXPECT_EQ(value, 0);

  BasicDenseMatrix<T> square(3, 3, T{4});
  syrk_lower(Transpose::no, T{1}, tall.view(), T{0}, square.view());
  EXPECT_EQ(square(2, 0), 0);
  EXPECT_EQ(square(0, 2), 4);
  std::vector<T> y(3, T{6});
  gemv(Transpose::no, T{1}, tall.view(), std::span<const T>{}, T{2}, std::span(y));
  EXPECT_EQ(y, std::vector<T>(3, T{12}));

  BasicDenseMatrix<T> empty(0, 0);
  gemm(Transpose::no,
       Transpose::no,
       T{1},
       wide.view(),
       c.view().middle_rows(0, 2),
       T{0},
       BasicDenseMatrix<T>(0, 2).view());
  syrk_lower(Transpose::no, T{1}, wide.view(), T{0}, empty.view());
  gemv(Transpose::no, T{1}, wide.view(), std::span<const T>(y).first(2), T{0}, std::span<T>{});
  mirror_lower(empty.view());
}

TYPED_TEST(Blas, MirrorCopiesTheLowerTriangle) {
  using T = TypeParam;
  for (const std::size_t n : {1u, 2u, 63u, 64u, 65u, 130u}) {
    const auto before = random_matrix<T>(n, n, 11);
    auto after = before;
    mirror_lower(after.view());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        ASSERT_EQ(after(i, j), before(std::max(i, j), std::min(i, j)));
      }
    }
  }
}

TYPED_TEST(Blas, BitsDoNotDependOnWhereInMemoryTheNumbersLie) {
  // Where malloc puts a block differs from run to run, in steps of 16 bytes; the answers must not.
  using T = TypeParam;
  constexpr std::size_t step = 16 / sizeof(T);
  constexpr std::size_t m = 37;
  constexpr std::size_t k = 53;
  const auto a = random_matrix<T>(m, k, 12);
  const auto x = random_matrix<T>(1, k, 13);
  std::vector<T> first;
  for (std::size_t shift = 0; shift < 8 * step; shift += step) {
    std::vector<T> memory_a(m * k + shift);
    std::vector<T> memory_x(k + shift);
    std::copy(a.values().begin(), a.values().end(), memory_a.data() + shift);
    std::copy(x.values().begin(), x.values().end(), memory_x.data() + shift);
    const BasicDenseView<const T> view{memory_a.data() + shift, m, k, k};
    const std::span<const T> vector(memory_x.data() + shift, k);
    std::vector<T> results(m + k + m * m + 1);
    const std::span<T> span(results);
    gemv(Transpose::no, T{1}, view, vector, T{0}, span.first(m));
    gemv(
        Transpose::yes, T{1}, view, std::span<const T>(results).first(m), T{0}, span.subspan(m, k));
    gemm(Transpose::no,
         Transpose::yes,
         T{1},
         view,
         view,
         T{0},
         BasicDenseView<T>{results.data() + m + k, m, m, m});
    results.back() = dot(vector, vector);
    if (shift == 0) first = results;
    ASSERT_EQ(results, first) << "shift " << shift;
  }
}

TYPED_TEST(Blas, SizesThatDoNotFitAreRefused) {
  using T = TypeParam;
  const BasicDenseMatrix<T> a(2, 3);
  const BasicDenseMatrix<T> b(3, 4);
  BasicDenseMatrix<T> c(2, 4);
  BasicDenseMatrix<T> square(2, 2);
  std::vector<T> two(2);
  std::vector<T> three(3);
  const auto product = [&](Transpose op_a, Transpose op_b, BasicDenseView<T> result) {
    gemm(op_a, op_b, T{1}, a.view(), b.view(), T{0}, result);
  };
  EXPECT_NO_THROW(product(Transpose::no, Transpose::no, c.view()));
  EXPECT_THROW(product(Transpose::yes, Transpose::no, c.view()), InvalidArgument);
  EXPECT_THROW(product(Transpose::no, Transpose::yes, c.view()), InvalidArgument);
  EXPECT_THROW(product(Transpose::no, Transpose::no, square.view()), InvalidArgument);
  EXPECT_THROW(product(Transpose::no, Transpose::no, {c.data(), 2, 4, 3}), InvalidArgument);
  EXPECT_THROW(syrk_lower(Transpose::yes, T{1}, a.view(), T{0}, square.view()), InvalidArgument);
  EXPECT_THROW(syrk_lower(Transpose::no, T{1}, a.view(), T{0}, c.view()), InvalidArgument);
  EXPECT_THROW(
      gemv(Transpose::no, T{1}, a.view(), std::span<const T>(two), T{0}, std::span<T>(two)),
      InvalidArgument);
  EXPECT_THROW(
      gemv(Transpose::yes, T{1}, a.view(), std::span<const T>(three), T{0}, std::span<T>(two)),
      InvalidArgument);
  EXPECT_THROW(axpy(T{1}, std::span<const T>(two), std::span<T>(three)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(dot(std::span<const T>(two), std::span<const T>(three))),
               InvalidArgument);
  EXPECT_THROW(mirror_lower(c.view()), InvalidArgument);
}

TEST(Blas, SizesBeyondWhatItCountsAreTheCallersError) {
  double value = 0;  // never looked at
  const std::size_t huge = std::size_t{1} << 32;
  const DenseView column{&value, huge, 1, 1};
  const DenseView one{&value, 1, 1, 1};
  EXPECT_THROW(gemm(Transpose::no,
                    Transpose::no,
                    1.0,
                    column,
                    one,
                    0.0,
                    MutableDenseView{&value, huge, 1, 1}),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
