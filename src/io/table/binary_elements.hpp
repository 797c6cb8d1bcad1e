// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// What the readers of binary arrays (NPY, IDX) share.
namespace maxmargin {

enum class ElementKind { boolean, signed_integer, unsigned_integer, floating };

/// How one element lies in a file. Integers have 1, 2, 4 or 8 bytes, floating point numbers 4 or 8,
/// a boolean 1.
struct ElementType {
  ElementKind kind = ElementKind::floating;
  std::size_t bytes = 8;
  bool big_endian = false;
};

/// Reads exactly `count` bytes of a header. Throws ParseError, naming `what`, when the input ends
/// before.
void read_exactly(Input& input, char* into, std::size_t count, std::string_view what);

/// Reads rows x cols elements, which must be all that is left of the input, in the order of the
/// file. A size that the input cannot hold is refused before memory is taken when the length of the
/// input is known; otherwise memory grows with what has been read. Throws ParseError when there are
/// fewer or more bytes.
[[nodiscard]] Buffer<double> read_elements(Input& input,
                                           ElementType type,
                                           std::size_t rows,
                                           std::size_t cols);

/// Throws ParseError naming the first element (row and column from 1) that is NaN or infinite.
void check_finite(const Input& input, DenseView matrix);

/// Throws ParseError when the shape cannot be that of a data matrix: rows without columns, or more
/// than 2^31 - 1 columns.
void check_shape(const Input& input, std::size_t rows, std::size_t cols);

/// Throws InvalidArgument when `matrix` could not be read back: see check_finite and check_shape.
void require_writable(DenseView matrix, std::string_view function);

}  // namespace maxmargin
