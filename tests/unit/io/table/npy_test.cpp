// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/npy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

/// The bytes of a number in the order of the machine or the other one.
template <class T>
std::string bytes_of(T value, bool big_endian) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  if (big_endian != (std::endian::native == std::endian::big)) {
    std::reverse(bytes.begin(), bytes.end());
  }
  return bytes;
}

std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string file = "\x93NUMPY";
  file.push_back(static_cast<char>(version));
  file.push_back('\0');
  const auto length = static_cast<std::uint32_t>(header.size());
  file += bytes_of(length, false).substr(0, version == 1 ? 2 : 4);
  return file + header + data;
}

std::string header_of(const std::string& descr,
                      const std::string& order,
                      const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

DenseMatrix read_bytes(const std::string& bytes) {
  Input input = Input::from_memory("a.npy", bytes);
  return read_npy(input);
}

std::string problem_in(const std::string& bytes) {
  return problem_of<ParseError>([&] { return read_bytes(bytes); });
}

std::string doubles(std::initializer_list<double> values) {
  std::string bytes;
  for (const double value : values) bytes += bytes_of(value, false);
  return bytes;
}

template <class T>
void expect_reads(const std::string& type, std::initializer_list<T> values) {
  for (const bool big_endian : {false, true}) {
    std::string data;
    for (const T value : values) data += bytes_of(value, big_endian);
    const std::string descr = (big_endian ? ">" : "<") + type;
    const std::string shape = "(" + std::to_string(values.size()) + ",)";
    const DenseMatrix matrix = read_bytes(npy(header_of(descr, "False", shape), data));
    ASSERT_EQ(matrix.rows(), values.size());
    ASSERT_EQ(matrix.cols(), 1u);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(matrix(i, 0), static_cast<double>(values.begin()[i])) << descr;
    }
  }
}

TEST(Npy, ReadsEveryElementTypeInBothByteOrders) {
  expect_reads<double>("f8", {0.1, -0.0, 5e-324, -1.7976931348623157e308});
  expect_reads<float>("f4", {0.1f, -3.5f, 1e-45f, 3e38f});
  expect_reads<std::int8_t>("i1", {-128, -1, 0, 127});
  expect_reads<std::uint8_t>("u1", {0, 127, 128, 255});
  expect_reads<std::int16_t>("i2", {-32768, -1, 258, 32767});
  expect_reads<std::uint16_t>("u2", {0, 258, 65535});
  expect_reads<std::int32_t>("i4", {std::numeric_limits<std::int32_t>::min(), -1, 16909060});
  expect_reads<std::uint32_t>("u4", {0, 16909060, 4294967295u});
  expect_reads<std::int64_t>("i8",
                             {std::numeric_limits<std::int64_t>::min(), -1, 72623859790382856});
  expect_reads<std::uint64_t>("u8", {0, 18446744073709551615u});
  const DenseMatrix flags =
      read_bytes(npy(header_of("|b1", "False", "(3,)"), std::string("\0\1\2", 3)));
  EXPECT_EQ(flags(0, 0), 0);
  EXPECT_EQ(flags(1, 0), 1);
  EXPECT_EQ(flags(2, 0), 1);
}

TEST(Npy, ReadsALiteralFileByteForByte) {
  // [[1, 2, 3], [4, 5, 6]] as '<i2' in Fortran order, laid out by hand from the format's
  // description: the header is padded with spaces so that the data begins at a multiple of 64.
  const std::string header =
      "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }"
      "                                                           \n";
  EXPECT_EQ((10 + header.size()) % 64, 0u);
  const std::string file = std::string("\x93NUMPY\x01\x00v\x00", 10) + header +
                           std::string("\1\0\4\0\2\0\5\0\3\0\6\0", 12);
  EXPECT_EQ(header.size(), std::size_t{'v'});
  const DenseMatrix matrix = read_bytes(file);
  ASSERT_EQ(matrix.rows(), 2u);
  ASSERT_EQ(matrix.cols(), 3u);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(matrix(k / 3, k % 3), static_cast<double>(k + 1));
  }
}

TEST(Npy, FortranOrderIsTheTransposeOfCOrder) {
  const std::size_t rows = 67;
  const std::size_t cols = 45;
  DenseMatrix matrix(rows, cols);
  Rng rng(3, "npy-test");
  for (double& value : matrix.values()) value = rng.normal();
  std::string by_columns;
  for (std::size_t j = 0; j < cols; ++j) {
    for (std::size_t i = 0; i < rows; ++i) by_columns += bytes_of(matrix(i, j), false);
  }
  const DenseMatrix read = read_bytes(npy(header_of("<f8", "True", "(67, 45)"), by_columns));
  EXPECT_TRUE(std::ranges::equal(read.values(), matrix.values()));
}

TEST(Npy, ReadsVersionsOneToThree) {
  for (const int version : {1, 2, 3}) {
    const DenseMatrix matrix =
        read_bytes(npy(header_of("<f8", "False", "(1, 2)"), doubles({1, 2}), version));
    EXPECT_EQ(matrix(0, 1), 2);
  }
  EXPECT_NE(
      problem_in(npy(header_of("<f8", "False", "(1, 2)"), doubles({1, 2}), 4)).find("version 4"),
      std::string::npos);
}

TEST(Npy, KeysComeInAnyOrder) {
  const DenseMatrix matrix =
      read_bytes(npy("{\"shape\":(2,1),'fortran_order':False,'descr':'<f8'}", doubles({1, 2})));
  EXPECT_EQ(matrix.rows(), 2u);
}

TEST(Npy, WritesWhatItReads) {
  Rng rng(4, "npy-test");
  for (const auto& [rows, cols] : {std::pair<std::size_t, std::size_t>{0, 3}, {1, 1}, {40, 9}}) {
    DenseMatrix matrix(rows, cols);
    for (double& value : matrix.values()) {
      do {
        value = std::bit_cast<double>(rng.bits());
      } while (!std::isfinite(value));
    }
    const std::string bytes =
        written_bytes([&](OutputFile& file) { write_npy(matrix.view(), file); });
    EXPECT_EQ((bytes.size() - rows * cols * 8) % 64, 0u);
    const DenseMatrix copy = read_bytes(bytes);
    EXPECT_EQ(copy.rows(), rows);
    EXPECT_EQ(copy.cols(), cols);
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    EXPECT_TRUE(std::ranges::equal(copy.values(), matrix.values(), {}, bits, bits));
  }
}

TEST(Npy, WritesAViewWithItsStride) {
  const DenseMatrix matrix(3, 4, 2.5);
  const DenseView left{matrix.data(), 3, 2, 4};
  const DenseMatrix copy =
      read_bytes(written_bytes([&](OutputFile& file) { write_npy(left, file); }));
  EXPECT_EQ(copy.cols(), 2u);
  EXPECT_EQ(copy(2, 1), 2.5);
}

TEST(Npy, RefusesToWriteWhatItWouldRefuseToRead) {
  const TemporaryFolder folder;
  OutputFile file(folder.path("a.npy"));
  EXPECT_THROW(write_npy(DenseMatrix(2, 0).view(), file), InvalidArgument);
  EXPECT_THROW(write_npy(DenseMatrix(1, 1, std::nan("")).view(), file), InvalidArgument);
}

TEST(Npy, AClaimOfTenTerabytesTakesNoMemory) {
  const std::string claim = npy(header_of("<f8", "False", "(1250000000, 1000)"), doubles({1}));
  EXPECT_EQ(problem_in(claim),
            "a.npy: the header claims 1250000000 x 1000 elements of 8 bytes, but 8 bytes follow it "
            "(from byte 82)");
  // Compressed, so that the length is not known: memory grows with what is read, and more than the
  // machine has is refused at once.
  const TemporaryFolder folder;
  const auto problem_compressed = [&](const std::string& bytes) {
    write_file(folder.path("a.npy.gz"), bytes);
    return problem_of<ParseError>([&] {
      Input input = Input::open(folder.path("a.npy.gz"));
      return read_npy(input);
    });
  };
  EXPECT_NE(problem_compressed(claim).find("more than memory can hold"), std::string::npos);
  const std::string problem =
      problem_compressed(npy(header_of("<f8", "False", "(10000, 1000)"), doubles({1})));
  EXPECT_NE(problem.find("ends at byte 85, within its 10000 x 1000"), std::string::npos) << problem;
  for (const std::string shape : {"(4294967296, 2147483647)",
                                  "(18446744073709551615, 2)",
                                  "(99999999999999999999,)",
                                  "(1, 9999999999)",
                                  "(0, 9999999999)",
                                  "(9999999999, 0)"}) {
    EXPECT_NE(problem_in(npy(header_of("<f8", "False", shape), doubles({1}))), "") << shape;
  }
}

TEST(Npy, ReadsCompressedFiles) {
  const DenseMatrix matrix(200'000, 1, 0.25);  // more than one step
  const TemporaryFolder folder;
  OutputFile file(folder.path("a.npy.gz"));
  write_npy(matrix.view(), file);
  file.commit();
  Input input = Input::open(folder.path("a.npy.gz"));
  const DenseMatrix copy = read_npy(input);
  EXPECT_TRUE(std::ranges::equal(copy.values(), matrix.values()));
}

TEST(Npy, NotANumberIsNamedWithRowAndColumn) {
  const double nan = std::nan("");
  EXPECT_EQ(problem_in(npy(header_of("<f8", "False", "(2, 2)"), doubles({1, 2, nan, 4}))),
            "a.npy: row 2, column 1 is nan, must be finite");
  EXPECT_EQ(problem_in(npy(header_of("<f8", "True", "(2, 2)"), doubles({1, 2, -INFINITY, 4}))),
            "a.npy: row 1, column 2 is -inf, must be finite");
}

TEST(Npy, OtherKindsOfArraysAreNamed) {
  const std::string data = doubles({1, 2});
  const auto problem = [&](const std::string& header) { return problem_in(npy(header, data)); };
  EXPECT_NE(problem(header_of("|O", "False", "(2,)")).find("Python objects"), std::string::npos);
  EXPECT_NE(problem("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }")
                .find("structured"),
            std::string::npos);
  EXPECT_NE(problem(header_of("<f8", "False", "(1, 1, 2)")).find("3 dimensions"),
            std::string::npos);
  EXPECT_NE(problem(header_of("<f8", "False", "()")).find("0 dimensions"), std::string::npos);
  for (const std::string descr :
       {"<f2", "<c16", "<U5", "<M8[ns]", "f8", "<f16", "|f8", "<i3", "<b8"}) {
    EXPECT_NE(problem(header_of(descr, "False", "(2,)")).find("element type \"" + descr),
              std::string::npos)
        << descr;
  }
}

TEST(Npy, DamagedFilesAreRefused) {
  const std::string good = npy(header_of("<f8", "False", "(1, 2)"), doubles({1, 2}));
  ASSERT_EQ(problem_in(good), "");
  for (std::size_t k = 0; k < good.size(); ++k) EXPECT_NE(problem_in(good.substr(0, k)), "") << k;
  EXPECT_NE(problem_in(good + "x"), "");
  EXPECT_NE(problem_in("1,2,3\n4,5,6\n").find("not an NPY file"), std::string::npos);
  for (const std::string header : {"",
                                   "{}",
                                   "{'descr': '<f8', 'shape': (1, 2)}",
                                   "{'descr': '<f8', 'fortran_order': 0, 'shape': (1, 2)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (2)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': [2]}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (1 2)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)} x",
                                   "{'descr': '<f8, 'fortran_order': False, 'shape': (1, 2)}",
                                   "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, "
                                   "'shape': (1, 2)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), "
                                   "'more': 1}"}) {
    EXPECT_NE(problem_in(npy(header, doubles({1, 2}))), "") << header;
  }
}

TEST(Npy, ReadsLengthsAsPython2WroteThem) {
  const DenseMatrix matrix =
      read_bytes(npy(header_of("<f8", "False", "(2L, 1L)"), doubles({1, 2})));
  EXPECT_EQ(matrix.rows(), 2u);
  EXPECT_EQ(matrix.cols(), 1u);
  EXPECT_EQ(read_bytes(npy(header_of("<f8", "False", "(2L,)"), doubles({1, 2}))).rows(), 2u);
  EXPECT_NE(problem_in(npy(header_of("<f8", "False", "(L, 2)"), doubles({1, 2}))), "");
  EXPECT_NE(problem_in(npy(header_of("<f8", "False", "(1LL, 2)"), doubles({1, 2}))), "");
}

}  // namespace
}  // namespace maxmargin
