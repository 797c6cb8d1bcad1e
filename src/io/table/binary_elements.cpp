// SPDX-License-Identifier: Apache-2.0
#include "io/table/binary_elements.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "io/stream/byte_order.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// Bytes read and converted at a time: memory beyond the result, and how far a false size leads.
constexpr std::size_t step_bytes = std::size_t{1} << 20;
constexpr auto max_columns = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());

using Convert = void (*)(const char* from, std::size_t count, double* to);

/// Turns elements of type Number, whose bytes are those of Bits, into doubles.
template <class Number, class Bits, bool big_endian>
void convert(const char* from, std::size_t count, double* to) {
  static_assert(sizeof(Number) == sizeof(Bits));
  for (std::size_t i = 0; i < count; ++i, from += sizeof(Bits)) {
    const Bits bits = big_endian ? load_big<Bits>(from) : load_little<Bits>(from);
    to[i] = static_cast<double>(std::bit_cast<Number>(bits));
  }
}

template <class Number, class Bits>
Convert in_order(bool big_endian) {
  return big_endian ? &convert<Number, Bits, true> : &convert<Number, Bits, false>;
}

Convert converter(ElementType type) {
  const bool big = type.big_endian;
  const bool sign = type.kind == ElementKind::signed_integer;
  if (type.kind == ElementKind::floating) {
    return type.bytes == 4 ? in_order<float, std::uint32_t>(big)
                           : in_order<double, std::uint64_t>(big);
  }
  switch (type.bytes) {
    case 1:
      return sign ? in_order<std::int8_t, std::uint8_t>(big)
                  : in_order<std::uint8_t, std::uint8_t>(big);
    case 2:
      return sign ? in_order<std::int16_t, std::uint16_t>(big)
                  : in_order<std::uint16_t, std::uint16_t>(big);
    case 4:
      return sign ? in_order<std::int32_t, std::uint32_t>(big)
                  : in_order<std::uint32_t, std::uint32_t>(big);
    default:
      return sign ? in_order<std::int64_t, std::uint64_t>(big)
                  : in_order<std::uint64_t, std::uint64_t>(big);
  }
}

std::string size_text(std::size_t rows, std::size_t cols, std::size_t bytes) {
  return std::to_string(rows) + " x " + std::to_string(cols) + " elements of " +
         std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// After a read that fell short.
std::string ends_at(const Input& input) {
  return "the file ends at byte " + std::to_string(input.position()) + ", within ";
}

}  // namespace

void read_exactly(Input& input, char* into, std::size_t count, std::string_view what) {
  if (input.read({into, count}) == count) return;
  throw ParseError(input.name(), {}, ends_at(input) + std::string(what));
}

Buffer<double> read_elements(Input& input, ElementType type, std::size_t rows, std::size_t cols) {
  std::size_t count = 0;
  std::size_t bytes = 0;
  const std::string size = size_text(rows, cols, type.bytes);
  const auto left = input.remaining();
  const auto too_large = [&] {
    return ParseError(
        input.name(), {}, "the header claims " + size + ", more than memory can hold");
  };
  if (__builtin_mul_overflow(rows, cols, &count) ||
      __builtin_mul_overflow(count, std::max(type.bytes, sizeof(double)), &bytes) ||
      (!left && bytes > machine_memory())) {
    throw too_large();
  }
  bytes = count * type.bytes;
  Buffer<double> values;
  if (left) {
    if (*left != bytes) {
      throw ParseError(input.name(),
                       {},
                       "the header claims " + size + ", but " + std::to_string(*left) +
                           " bytes follow it (from byte " + std::to_string(input.position()) + ")");
    }
    if (count > machine_memory() / sizeof(double)) throw too_large();
    values.reserve(count);
  }
  const Convert convert_step = converter(type);
  std::vector<char> step(std::min(bytes, step_bytes));
  while (values.size() < count) {
    const std::size_t begin = values.size();
    const std::size_t wanted = std::min(count - begin, step_bytes / type.bytes);
    if (input.read({step.data(), wanted * type.bytes}) < wanted * type.bytes) {
      throw ParseError(input.name(), {}, ends_at(input) + "its " + size);
    }
    values.resize(begin + wanted);
    convert_step(step.data(), wanted, values.data() + begin);
  }
  if (!input.peek(1).empty()) {
    throw ParseError(input.name(),
                     {},
                     "at byte " + std::to_string(input.position()) + " more bytes follow the " +
                         size + " that the header claims");
  }
  values.shrink_to_fit();
  if (type.kind == ElementKind::boolean) {
    for (double& value : values) value = value != 0 ? 1 : 0;
  }
  return values;
}

void check_finite(const Input& input, DenseView matrix) {
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = 0; j < matrix.cols; ++j) {
      if (std::isfinite(matrix(i, j))) continue;
      throw ParseError(input.name(),
                       {},
                       "row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) +
                           " is " + format_number(matrix(i, j)) + ", must be finite");
    }
  }
}

void check_shape(const Input& input, std::size_t rows, std::size_t cols) {
  if (rows > 0 && cols == 0) {
    throw ParseError(
        input.name(), {}, "an array of " + std::to_string(rows) + " rows without columns");
  }
  if (cols > max_columns) {
    throw ParseError(
        input.name(), {}, "an array of " + std::to_string(cols) + " columns, at most 2^31 - 1 fit");
  }
}

void require_writable(DenseView matrix, std::string_view function) {
  const std::string name(function);
  require(matrix.rows == 0 || matrix.cols > 0, name + ": a matrix with rows needs columns");
  require(matrix.cols <= max_columns, name + ": at most 2^31 - 1 columns");
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (const double value : matrix.row(i)) {
      if (std::isfinite(value)) continue;
      throw InvalidArgument(name + ": row " + std::to_string(i + 1) + " holds " +
                            format_number(value) + ", must be finite");
    }
  }
}

}  // namespace maxmargin
