// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "maxmargin/linalg/matrix.hpp"

/// Dense products on BLAS, sizes checked. Each call runs on the calling thread alone: parallelism
/// is ours (core/parallel.hpp). Nobody above linalg calls BLAS. All throw InvalidArgument when
/// sizes do not fit; results must not overlap operands.
namespace maxmargin {

/// Whether an operand is used as it is or transposed.
enum class Transpose { no, yes };

/// C = alpha op(A) op(B) + beta C. With beta = 0, C need not be initialised.
void gemm(Transpose op_a,
          Transpose op_b,
          double alpha,
          DenseView a,
          DenseView b,
          double beta,
          MutableDenseView c);
void gemm(Transpose op_a,
          Transpose op_b,
          float alpha,
          FloatView a,
          FloatView b,
          float beta,
          MutableFloatView c);

/// Lower triangle of C = alpha op(A) op(A)' + beta C; the upper triangle is not touched. With beta
/// = 0, C need not be initialised.
void syrk_lower(Transpose op_a, double alpha, DenseView a, double beta, MutableDenseView c);
void syrk_lower(Transpose op_a, float alpha, FloatView a, float beta, MutableFloatView c);

/// y = alpha op(A) x + beta y. With beta = 0, y need not be initialised.
void gemv(Transpose op_a,
          double alpha,
          DenseView a,
          std::span<const double> x,
          double beta,
          std::span<double> y);
void gemv(Transpose op_a,
          float alpha,
          FloatView a,
          std::span<const float> x,
          float beta,
          std::span<float> y);

/// y += alpha x.
void axpy(double alpha, std::span<const double> x, std::span<double> y);
void axpy(float alpha, std::span<const float> x, std::span<float> y);

/// Sum of x_i y_i.
[[nodiscard]] double dot(std::span<const double> x, std::span<const double> y);
[[nodiscard]] float dot(std::span<const float> x, std::span<const float> y);

/// Copies the lower triangle of a square matrix onto the upper one.
void mirror_lower(MutableDenseView matrix);
void mirror_lower(MutableFloatView matrix);

}  // namespace maxmargin
