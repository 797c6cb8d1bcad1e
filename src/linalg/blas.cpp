// SPDX-License-Identifier: Apache-2.0
#include "linalg/blas.hpp"

#include <cblas.h>

#include <algorithm>
#include <limits>
#include <string>

#include "linalg/single_threaded_blas.hpp"

namespace maxmargin {

namespace {

constexpr auto largest_size = static_cast<std::size_t>(std::numeric_limits<blasint>::max());

blasint size_of(std::size_t n) {
  if (n <= largest_size) return static_cast<blasint>(n);
  throw InvalidArgument("BLAS: rows, columns or stride = " + std::to_string(n) +
                        ", must be at most " + std::to_string(largest_size));
}

/// Calls piece(begin, count) for pieces of 0..n-1 that BLAS can count, in order.
template <class Piece>
void in_pieces(std::size_t n, const Piece& piece) {
  for (std::size_t begin = 0; begin < n; begin += largest_size) {
    const std::size_t count = std::min(largest_size, n - begin);
    piece(begin, static_cast<blasint>(count));
  }
}

/// BLAS wants a leading dimension of at least 1.
blasint leading(std::size_t stride) { return size_of(stride == 0 ? 1 : stride); }

CBLAS_TRANSPOSE cblas(Transpose op) { return op == Transpose::yes ? CblasTrans : CblasNoTrans; }

template <class T>
std::size_t op_rows(Transpose op, BasicDenseView<T> a) {
  return op == Transpose::yes ? a.cols : a.rows;
}
template <class T>
std::size_t op_cols(Transpose op, BasicDenseView<T> a) {
  return op == Transpose::yes ? a.rows : a.cols;
}

/// BLAS would print a complaint of its own about such a view.
template <class T>
void require_stride(const char* function, BasicDenseView<T> a) {
  if (a.stride >= a.cols || a.rows == 0) return;
  throw InvalidArgument(std::string(function) + ": stride = " + std::to_string(a.stride) +
                        ", must be at least cols = " + std::to_string(a.cols));
}

template <class T>
void scale(T beta, BasicDenseView<T> c) {
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (T& value : c.row(i)) value = beta == T{0} ? T{0} : beta * value;
  }
}

template <class T, class Call>
void checked_gemm(Transpose op_a,
                  Transpose op_b,
                  BasicDenseView<const T> a,
                  BasicDenseView<const T> b,
                  T beta,
                  BasicDenseView<T> c,
                  Call call) {
  require_stride("gemm", a);
  require_stride("gemm", b);
  require_stride("gemm", c);
  const std::size_t inner = op_cols(op_a, a);
  require(op_rows(op_a, a) == c.rows && op_cols(op_b, b) == c.cols && op_rows(op_b, b) == inner,
          "gemm: the matrices' sizes do not fit");
  if (c.rows == 0 || c.cols == 0) return;
  if (inner == 0) {
    scale(beta, c);
    return;
  }
  use_single_threaded_blas();
  call(cblas(op_a),
       cblas(op_b),
       size_of(c.rows),
       size_of(c.cols),
       size_of(inner),
       leading(a.stride),
       leading(b.stride),
       leading(c.stride));
}

template <class T, class Call>
void checked_syrk(
    Transpose op_a, BasicDenseView<const T> a, T beta, BasicDenseView<T> c, Call call) {
  require_stride("syrk_lower", a);
  require_stride("syrk_lower", c);
  const std::size_t inner = op_cols(op_a, a);
  require(op_rows(op_a, a) == c.rows && c.rows == c.cols,
          "syrk_lower: the matrices' sizes do not fit");
  if (c.rows == 0) return;
  if (inner == 0) {
    for (std::size_t i = 0; i < c.rows; ++i) {
      for (std::size_t j = 0; j <= i; ++j) c(i, j) = beta == T{0} ? T{0} : beta * c(i, j);
    }
    return;
  }
  use_single_threaded_blas();
  call(cblas(op_a), size_of(c.rows), size_of(inner), leading(a.stride), leading(c.stride));
}

template <class T, class Call>
void checked_gemv(Transpose op_a,
                  BasicDenseView<const T> a,
                  std::span<const T> x,
                  T beta,
                  std::span<T> y,
                  Call call) {
  require_stride("gemv", a);
  require(op_cols(op_a, a) == x.size() && op_rows(op_a, a) == y.size(),
          "gemv: the sizes of matrix and vectors do not fit");
  if (y.empty()) return;
  if (x.empty()) {
    scale(beta, BasicDenseView<T>{y.data(), 1, y.size(), y.size()});
    return;
  }
  use_single_threaded_blas();
  call(cblas(op_a), size_of(a.rows), size_of(a.cols), leading(a.stride));
}

template <class T>
void mirror(BasicDenseView<T> matrix) {
  require_stride("mirror_lower", matrix);
  require(matrix.rows == matrix.cols, "mirror_lower: the matrix must be square");
  // In tiles, so that both triangles are walked in cache lines.
  constexpr std::size_t tile = 64;
  for (std::size_t i0 = 0; i0 < matrix.rows; i0 += tile) {
    for (std::size_t j0 = 0; j0 <= i0; j0 += tile) {
      for (std::size_t i = i0; i < std::min(i0 + tile, matrix.rows); ++i) {
        for (std::size_t j = j0; j < std::min(j0 + tile, i); ++j) matrix(j, i) = matrix(i, j);
      }
    }
  }
}

}  // namespace

void gemm(Transpose op_a,
          Transpose op_b,
          double alpha,
          DenseView a,
          DenseView b,
          double beta,
          MutableDenseView c) {
  checked_gemm(
      op_a,
      op_b,
      a,
      b,
      beta,
      c,
      [&](auto ta, auto tb, auto m, auto n, auto k, auto lda, auto ldb, auto ldc) {
        cblas_dgemm(
            CblasRowMajor, ta, tb, m, n, k, alpha, a.data, lda, b.data, ldb, beta, c.data, ldc);
      });
}

void gemm(Transpose op_a,
          Transpose op_b,
          float alpha,
          FloatView a,
          FloatView b,
          float beta,
          MutableFloatView c) {
  checked_gemm(
      op_a,
      op_b,
      a,
      b,
      beta,
      c,
      [&](auto ta, auto tb, auto m, auto n, auto k, auto lda, auto ldb, auto ldc) {
        cblas_sgemm(
            CblasRowMajor, ta, tb, m, n, k, alpha, a.data, lda, b.data, ldb, beta, c.data, ldc);
      });
}

void syrk_lower(Transpose op_a, double alpha, DenseView a, double beta, MutableDenseView c) {
  checked_syrk(op_a, a, beta, c, [&](auto ta, auto n, auto k, auto lda, auto ldc) {
    cblas_dsyrk(CblasRowMajor, CblasLower, ta, n, k, alpha, a.data, lda, beta, c.data, ldc);
  });
}

void syrk_lower(Transpose op_a, float alpha, FloatView a, float beta, MutableFloatView c) {
  checked_syrk(op_a, a, beta, c, [&](auto ta, auto n, auto k, auto lda, auto ldc) {
    cblas_ssyrk(CblasRowMajor, CblasLower, ta, n, k, alpha, a.data, lda, beta, c.data, ldc);
  });
}

void gemv(Transpose op_a,
          double alpha,
          DenseView a,
          std::span<const double> x,
          double beta,
          std::span<double> y) {
  checked_gemv(op_a, a, x, beta, y, [&](auto ta, auto m, auto n, auto lda) {
    cblas_dgemv(CblasRowMajor, ta, m, n, alpha, a.data, lda, x.data(), 1, beta, y.data(), 1);
  });
}

void gemv(Transpose op_a,
          float alpha,
          FloatView a,
          std::span<const float> x,
          float beta,
          std::span<float> y) {
  checked_gemv(op_a, a, x, beta, y, [&](auto ta, auto m, auto n, auto lda) {
    cblas_sgemv(CblasRowMajor, ta, m, n, alpha, a.data, lda, x.data(), 1, beta, y.data(), 1);
  });
}

void axpy(double alpha, std::span<const double> x, std::span<double> y) {
  require(x.size() == y.size(), "axpy: the vectors must have equal length");
  use_single_threaded_blas();
  in_pieces(x.size(), [&](std::size_t begin, blasint count) {
    cblas_daxpy(count, alpha, x.data() + begin, 1, y.data() + begin, 1);
  });
}

void axpy(float alpha, std::span<const float> x, std::span<float> y) {
  require(x.size() == y.size(), "axpy: the vectors must have equal length");
  use_single_threaded_blas();
  in_pieces(x.size(), [&](std::size_t begin, blasint count) {
    cblas_saxpy(count, alpha, x.data() + begin, 1, y.data() + begin, 1);
  });
}

double dot(std::span<const double> x, std::span<const double> y) {
  require(x.size() == y.size(), "dot: the vectors must have equal length");
  use_single_threaded_blas();
  double sum = 0;
  in_pieces(x.size(), [&](std::size_t begin, blasint count) {
    sum += cblas_ddot(count, x.data() + begin, 1, y.data() + begin, 1);
  });
  return sum;
}

float dot(std::span<const float> x, std::span<const float> y) {
  require(x.size() == y.size(), "dot: the vectors must have equal length");
  use_single_threaded_blas();
  float sum = 0;
  in_pieces(x.size(), [&](std::size_t begin, blasint count) {
    sum += cblas_sdot(count, x.data() + begin, 1, y.data() + begin, 1);
  });
  return sum;
}

void mirror_lower(MutableDenseView matrix) { mirror(matrix); }
void mirror_lower(MutableFloatView matrix) { mirror(matrix); }

}  // namespace maxmargin
