// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "io/stream/byte_order.hpp"
#include "io/table/binary_elements.hpp"
#include "io/table/npy_header.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
/// Headers have about a hundred characters; one of a megabyte is not a header of ours.
constexpr std::size_t longest_header = std::size_t{1} << 20;
/// NumPy pads headers so that the data begins at a multiple of this.
constexpr std::size_t alignment = 64;

/// The dictionary at the front of the file, as text.
std::string read_header_text(Input& input) {
  std::array<char, 8> start = {};
  detail::read_exactly(input, start.data(), start.size(), "the first eight bytes of an NPY file");
  if (!std::string_view(start.data(), start.size()).starts_with(magic)) {
    throw ParseError(input.name(), {}, "not an NPY file, expected \\x93NUMPY at the start");
  }
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) {
    throw ParseError(
        input.name(), {}, "NPY format version " + std::to_string(version) + ", expected 1, 2 or 3");
  }
  std::array<char, 4> length_bytes = {};
  const std::size_t length_size = version == 1 ? 2 : 4;
  detail::read_exactly(input, length_bytes.data(), length_size, "the length of the NPY header");
  // The bytes that were not read are zero, so both sizes read as four bytes.
  const std::size_t length = detail::load_little<std::uint32_t>(length_bytes.data());
  if (length > longest_header) {
    throw ParseError(input.name(),
                     {},
                     "an NPY header of " + std::to_string(length) + " bytes, at most " +
                         std::to_string(longest_header) + " make sense");
  }
  std::string text(length, '\0');
  detail::read_exactly(input, text.data(), length, "the NPY header");
  return text;
}

/// The transpose, in square blocks so that both sides stay within the cache.
DenseMatrix transpose(DenseView matrix) {
  constexpr std::size_t block = 32;
  DenseMatrix result = DenseMatrix::uninitialized(matrix.cols, matrix.rows);
  for (std::size_t i0 = 0; i0 < matrix.rows; i0 += block) {
    for (std::size_t j0 = 0; j0 < matrix.cols; j0 += block) {
      for (std::size_t j = j0; j < std::min(j0 + block, matrix.cols); ++j) {
        for (std::size_t i = i0; i < std::min(i0 + block, matrix.rows); ++i) {
          result(j, i) = matrix(i, j);
        }
      }
    }
  }
  return result;
}

}  // namespace

DenseMatrix read_npy(Input& input) {
  const std::string text = read_header_text(input);
  const detail::NpyHeader header = detail::parse_npy_header(input.name(), text);
  const std::size_t rows = header.shape[0];
  const std::size_t cols = header.shape.size() == 2 ? header.shape[1] : 1;
  detail::check_shape(input, rows, cols);
  Buffer<double> values = detail::read_elements(input, header.type, rows, cols);
  const bool transposed = header.fortran_order && rows > 1 && cols > 1;
  DenseMatrix matrix = transposed ? transpose({values.data(), cols, rows, rows})
                                  : DenseMatrix(rows, cols, std::move(values));
  if (header.type.kind == detail::ElementKind::floating) {
    detail::check_finite(input, matrix.view());
  }
  return matrix;
}

void write_npy(DenseView matrix, OutputFile& output) {
  detail::require_writable(matrix, "write_npy");
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" +
                       std::to_string(matrix.rows) + ", " + std::to_string(matrix.cols) + "), }";
  const std::size_t before = magic.size() + 4;  // the version and the length
  while ((before + header.size() + 1) % alignment != 0) header.push_back(' ');
  header.push_back('\n');
  std::string buffer(magic);
  buffer += std::string_view("\x01\x00", 2);
  detail::append_little(buffer, static_cast<std::uint16_t>(header.size()));
  output.write(buffer + header);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    buffer.clear();
    for (const double value : matrix.row(i)) {
      detail::append_little(buffer, std::bit_cast<std::uint64_t>(value));
    }
    output.write(buffer);
  }
}

}  // namespace maxmargin
