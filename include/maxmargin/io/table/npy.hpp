// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/export.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// NumPy's array files (.npy).
namespace maxmargin {

/// Reads an array of one dimension (n numbers become an n x 1 matrix) or two. Format versions 1 to
/// 3; elements of type float32, float64, bool and signed or unsigned integers of 1, 2, 4 or 8
/// bytes, of either byte order; C or Fortran order. Integers beyond 2^53 are rounded to the nearest
/// double. Memory is taken only for bytes that are there, whatever size the header claims. Throws
/// ParseError when the file breaks the format, holds another kind of array, is shorter or longer
/// than its header says, or when an element is NaN or infinite (naming its row and column, from 1).
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix read_npy(Input& input);

/// Writes float64 in C order, format version 1; the caller commits the file. Throws InvalidArgument
/// for a matrix with rows but no columns and for NaN or infinity, which read_npy would refuse.
MAXMARGIN_EXPORT void write_npy(DenseView matrix, OutputFile& output);

}  // namespace maxmargin
