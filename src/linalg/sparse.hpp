// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "linalg/blas.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Products of a sparse matrix with dense ones, in O(entries) and O(entries * columns of B). Each
/// call runs on the calling thread and adds in the order of the rows, so its result is the same
/// everywhere. All throw InvalidArgument when sizes do not fit; with beta = 0 the result need not
/// be initialised; results must not overlap operands.
namespace maxmargin {

/// y = alpha op(A) x + beta y.
void spmv(Transpose op_a,
          double alpha,
          const SparseView& a,
          std::span<const double> x,
          double beta,
          std::span<double> y);

/// C = alpha op(A) B + beta C.
void spmm(Transpose op_a,
          double alpha,
          const SparseView& a,
          DenseView b,
          double beta,
          MutableDenseView c);

}  // namespace maxmargin
