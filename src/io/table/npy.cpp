// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/quote.hpp"
#include "io/stream/byte_order.hpp"
#include "io/table/binary_elements.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {

namespace {

/// What the dictionary at the front of an NPY file says.
struct NpyHeader {
  ElementType type = {};
  bool fortran_order = false;
  std::vector<std::size_t> shape = {};  ///< one or two dimensions
};

class HeaderParser {
 public:
  HeaderParser(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!skip('}')) {
      read_entry();
      if (skip(',')) continue;
      expect('}');
      break;
    }
    skip_spaces();
    if (at_ < text_.size()) fail("expected nothing after the dictionary");
    if (!has_descr_ || !has_order_ || !has_shape_) {
      fail("the header must have the keys descr, fortran_order and shape");
    }
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw ParseError(
        file_, {}, "NPY header, character " + std::to_string(at_ + 1) + ": " + problem);
  }
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool skip(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!skip(c)) fail(std::string("expected '") + c + "'");
  }
  /// Takes `word` if it comes next.
  bool skip_word(std::string_view word) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string_view read_string() {
    skip_spaces();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("expected a string in quotes");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a string without its closing quote");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }

  void read_entry() {
    const std::string_view key = read_string();
    expect(':');
    if (key == "descr" && !has_descr_) {
      has_descr_ = true;
      read_descr();
    } else if (key == "fortran_order" && !has_order_) {
      has_order_ = true;
      header_.fortran_order = skip_word("True");
      if (!header_.fortran_order && !skip_word("False")) fail("expected True or False");
    } else if (key == "shape" && !has_shape_) {
      has_shape_ = true;
      read_shape();
    } else {
      fail("the key " + quote(key, "\"\"") + " is unknown or occurs twice");
    }
  }

  /// A type such as <f8: byte order, kind, size.
  void read_descr() {
    skip_spaces();
    if (at_ < text_.size() && text_[at_] == '[') fail("structured arrays are not data matrices");
    const std::string_view descr = read_string();
    if (descr.find('O') != std::string_view::npos) {
      fail("arrays of Python objects (" + quote(descr, "\"\"") + ") cannot be read");
    }
    if (!set_type(descr)) {
      fail("element type " + quote(descr, "\"\"") +
           ", expected b1, f4, f8, or i or u with 1, 2, 4 or 8, after <, >, | or =");
    }
  }

  bool set_type(std::string_view descr) {
    if (descr.size() != 3) return false;
    const char order = descr[0];
    const char kind = descr[1];
    const auto bytes = static_cast<std::size_t>(descr[2] - '0');
    const bool power = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    if (order == '<' || order == '>') {
      header_.type.big_endian = order == '>';
    } else if (order == '=') {
      header_.type.big_endian = std::endian::native == std::endian::big;
    } else if (order != '|' || bytes != 1) {
      return false;
    }
    header_.type.bytes = bytes;
    if (kind == 'f') {
      header_.type.kind = ElementKind::floating;
      return bytes == 4 || bytes == 8;
    }
    if (kind == 'i' || kind == 'u') {
      header_.type.kind = kind == 'i' ? ElementKind::signed_integer : ElementKind::unsigned_integer;
      return power;
    }
    header_.type.kind = ElementKind::boolean;
    return kind == 'b' && bytes == 1;
  }

  void read_shape() {
    expect('(');
    while (!skip(')')) {
      skip_spaces();
      std::size_t length = 0;
      const char* first = text_.data() + at_;
      const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), length);
      if (error != std::errc{}) fail("expected a length that fits 64 bits");
      at_ += static_cast<std::size_t>(end - first);
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote some lengths as 5L
      header_.shape.push_back(length);
      if (skip(',')) continue;
      // (5) is a number in Python, not a tuple.
      if (header_.shape.size() == 1) fail("expected ',' after the only length of a shape");
      expect(')');
      break;
    }
    if (header_.shape.empty() || header_.shape.size() > 2) {
      fail("an array of " + std::to_string(header_.shape.size()) + " dimensions, expected 1 or 2");
    }
  }

  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  NpyHeader header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

/// Reads the dictionary, a Python literal: exactly the keys descr, fortran_order and shape, in any
/// order. Throws ParseError, with the column within the header, when it is anything else, and for
/// element types and numbers of dimensions that a data matrix cannot have.
NpyHeader parse_npy_header(const std::string& file, std::string_view text) {
  return HeaderParser(file, text).parse();
}

constexpr std::string_view magic = "\x93NUMPY";
/// Headers have about a hundred characters; one of a megabyte is not a header of ours.
constexpr std::size_t longest_header = std::size_t{1} << 20;
/// NumPy pads headers so that the data begins at a multiple of this.
constexpr std::size_t alignment = 64;

/// The dictionary at the front of the file, as text.
std::string read_header_text(Input& input) {
  std::array<char, 8> start = {};
  read_exactly(input, start.data(), start.size(), "the first eight bytes of an NPY file");
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
  read_exactly(input, length_bytes.data(), length_size, "the length of the NPY header");
  // The bytes that were not read are zero, so both sizes read as four bytes.
  const std::size_t length = load_little<std::uint32_t>(length_bytes.data());
  if (length > longest_header) {
    throw ParseError(input.name(),
                     {},
                     "an NPY header of " + std::to_string(length) + " bytes, at most " +
                         std::to_string(longest_header) + " make sense");
  }
  std::string text(length, '\0');
  read_exactly(input, text.data(), length, "the NPY header");
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
  const NpyHeader header = parse_npy_header(input.name(), text);
  const std::size_t rows = header.shape[0];
  const std::size_t cols = header.shape.size() == 2 ? header.shape[1] : 1;
  check_shape(input, rows, cols);
  Buffer<double> values = read_elements(input, header.type, rows, cols);
  const bool transposed = header.fortran_order && rows > 1 && cols > 1;
  DenseMatrix matrix = transposed ? transpose({values.data(), cols, rows, rows})
                                  : DenseMatrix(rows, cols, std::move(values));
  if (header.type.kind == ElementKind::floating) {
    check_finite(input, matrix.view());
  }
  return matrix;
}

void write_npy(DenseView matrix, OutputFile& output) {
  require_writable(matrix, "write_npy");
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" +
                       std::to_string(matrix.rows) + ", " + std::to_string(matrix.cols) + "), }";
  const std::size_t before = magic.size() + 4;  // the version and the length
  while ((before + header.size() + 1) % alignment != 0) header.push_back(' ');
  header.push_back('\n');
  std::string buffer(magic);
  buffer += std::string_view("\x01\x00", 2);
  append_little(buffer, static_cast<std::uint16_t>(header.size()));
  output.write(buffer + header);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    buffer.clear();
    for (const double value : matrix.row(i)) {
      append_little(buffer, std::bit_cast<std::uint64_t>(value));
    }
    output.write(buffer);
  }
}

}  // namespace maxmargin
