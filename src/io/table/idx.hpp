// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// IDX files, the format of MNIST and its relatives.
namespace maxmargin {

/// An array of any number of dimensions, laid out with the last one moving fastest.
struct IdxArray {
  /// For images: how many, their height, their width.
  std::vector<std::size_t> shape = {};
  /// One row for each element of the first dimension, holding the product of the others (1 when
  /// there are none).
  DenseMatrix values = {};
};

/// Reads an array of bytes (signed or not), 16- or 32-bit integers, floats or doubles. Memory is
/// taken only for bytes that are there, whatever size the header claims. Throws ParseError when the
/// file breaks the format, is shorter or longer than its header says, or when an element is NaN or
/// infinite.
[[nodiscard]] IdxArray read_idx(Input& input);

/// Writes unsigned bytes when every value is a whole number from 0 to 255, else doubles; the caller
/// commits the file. Throws InvalidArgument when shape and values disagree, for more than 255
/// dimensions or one of 2^32 or more, for rows of length 0, and for NaN or infinity.
void write_idx(const IdxArray& array, OutputFile& output);

}  // namespace maxmargin
