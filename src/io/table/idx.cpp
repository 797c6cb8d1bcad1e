// SPDX-License-Identifier: Apache-2.0
#include "io/table/idx.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "io/stream/byte_order.hpp"
#include "io/table/binary_elements.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr unsigned char code_unsigned_byte = 0x08;
constexpr unsigned char code_double = 0x0e;

/// The element type behind the third byte of a file; IDX is big-endian throughout.
std::optional<ElementType> element_type(unsigned char code) {
  switch (code) {
    case code_unsigned_byte:
      return ElementType{ElementKind::unsigned_integer, 1, true};
    case 0x09:
      return ElementType{ElementKind::signed_integer, 1, true};
    case 0x0b:
      return ElementType{ElementKind::signed_integer, 2, true};
    case 0x0c:
      return ElementType{ElementKind::signed_integer, 4, true};
    case 0x0d:
      return ElementType{ElementKind::floating, 4, true};
    case code_double:
      return ElementType{ElementKind::floating, 8, true};
    default:
      return std::nullopt;
  }
}

/// The product of all dimensions but the first; empty when it does not fit.
std::optional<std::size_t> row_length(std::span<const std::size_t> shape) {
  std::size_t product = 1;
  for (const std::size_t length : shape.subspan(1)) {
    if (__builtin_mul_overflow(product, length, &product)) return std::nullopt;
  }
  return product;
}

bool fits_byte(double value) {
  return value >= 0 && value <= 255 && value == std::floor(value) && !std::signbit(value);
}

}  // namespace

IdxArray read_idx(Input& input) {
  std::array<char, 4> magic = {};
  read_exactly(input, magic.data(), magic.size(), "the first four bytes of an IDX file");
  const auto code = static_cast<unsigned char>(magic[2]);
  const std::optional<ElementType> type = element_type(code);
  if (magic[0] != 0 || magic[1] != 0 || !type) {
    throw ParseError(input.name(),
                     {},
                     "not an IDX file, expected two zero bytes and an element type (8, 9, 11, 12, "
                     "13 or 14)");
  }
  IdxArray array;
  array.shape.resize(static_cast<unsigned char>(magic[3]));
  if (array.shape.empty()) throw ParseError(input.name(), {}, "an IDX array without dimensions");
  for (std::size_t& length : array.shape) {
    std::array<char, 4> bytes = {};
    read_exactly(input, bytes.data(), bytes.size(), "the dimensions of an IDX file");
    length = load_big<std::uint32_t>(bytes.data());
  }
  const std::size_t rows = array.shape[0];
  const std::optional<std::size_t> cols = row_length(array.shape);
  if (!cols) throw ParseError(input.name(), {}, "the header claims more than memory can hold");
  check_shape(input, rows, *cols);
  array.values = DenseMatrix(rows, *cols, read_elements(input, *type, rows, *cols));
  if (type->kind == ElementKind::floating) {
    check_finite(input, array.values.view());
  }
  return array;
}

void write_idx(const IdxArray& array, OutputFile& output) {
  const DenseMatrix& values = array.values;
  require(!array.shape.empty() && array.shape.size() <= 255, "an array has 1 to 255 dimensions");
  for (const std::size_t length : array.shape) {
    require_field(length <= std::numeric_limits<std::uint32_t>::max(),
                  "a length of the array",
                  static_cast<double>(length),
                  "below 2^32");
  }
  const std::optional<std::size_t> cols = row_length(array.shape);
  require(array.shape[0] == values.rows() && cols && *cols == values.cols(),
          "shape and values must agree");
  require_writable(values.view(), "write_idx");
  bool bytes_suffice = true;
  for (const double value : values.values()) bytes_suffice = bytes_suffice && fits_byte(value);
  std::string buffer(2, '\0');
  buffer.push_back(static_cast<char>(bytes_suffice ? code_unsigned_byte : code_double));
  buffer.push_back(static_cast<char>(array.shape.size()));
  for (const std::size_t length : array.shape) {
    append_big(buffer, static_cast<std::uint32_t>(length));
  }
  output.write(buffer);
  for (std::size_t i = 0; i < values.rows(); ++i) {
    buffer.clear();
    for (const double value : values.row(i)) {
      if (bytes_suffice) {
        buffer.push_back(static_cast<char>(static_cast<unsigned char>(value)));
      } else {
        append_big(buffer, std::bit_cast<std::uint64_t>(value));
      }
    }
    output.write(buffer);
  }
}

}  // namespace maxmargin
