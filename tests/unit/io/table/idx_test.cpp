// SPDX-License-Identifier: Apache-2.0
#include "io/table/idx.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

std::string big_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text.push_back(static_cast<char>((value >> (8 * i)) & 255));
  return text;
}

std::string idx(int type, std::initializer_list<std::uint32_t> shape, const std::string& data) {
  std::string file(2, '\0');
  file.push_back(static_cast<char>(type));
  file.push_back(static_cast<char>(shape.size()));
  for (const std::uint32_t length : shape) file += big_endian(length, 4);
  return file + data;
}

IdxArray read_bytes(const std::string& bytes) {
  Input input = Input::from_memory("a.idx", bytes);
  return read_idx(input);
}

std::string problem_in(const std::string& bytes) {
  return problem_of<ParseError>([&] { return read_bytes(bytes); });
}

std::string written(const IdxArray& array) {
  return written_bytes([&](OutputFile& file) { write_idx(array, file); });
}

TEST(Idx, ReadsImagesAsRows) {
  const IdxArray images =
      read_bytes(idx(8, {2, 2, 3}, std::string("\0\1\2\3\4\5\6\7\x08\x09\xfe\xff", 12)));
  EXPECT_EQ(images.shape, (std::vector<std::size_t>{2, 2, 3}));
  ASSERT_EQ(images.values.rows(), 2u);
  ASSERT_EQ(images.values.cols(), 6u);
  EXPECT_EQ(images.values(0, 5), 5);
  EXPECT_EQ(images.values(1, 5), 255);
}

TEST(Idx, ReadsLabelsAsAColumn) {
  const IdxArray labels = read_bytes(idx(8, {3}, std::string("\7\0\x09", 3)));
  ASSERT_EQ(labels.values.rows(), 3u);
  ASSERT_EQ(labels.values.cols(), 1u);
  EXPECT_EQ(labels.values(2, 0), 9);
}

TEST(Idx, ReadsEveryElementType) {
  EXPECT_EQ(read_bytes(idx(9, {1}, "\xff")).values(0, 0), -1);
  EXPECT_EQ(read_bytes(idx(11, {1}, std::string("\xff\x00", 2))).values(0, 0), -256);
  EXPECT_EQ(read_bytes(idx(12, {1}, std::string("\x01\x02\x03\x04", 4))).values(0, 0), 16909060);
  EXPECT_EQ(read_bytes(idx(13, {1}, big_endian(0x40490fdb, 4))).values(0, 0), 3.14159274101257324);
  EXPECT_EQ(read_bytes(idx(14, {1}, big_endian(0x400921fb54442d18, 8))).values(0, 0),
            3.141592653589793);
}

TEST(Idx, WritesBytesWhereTheySuffice) {
  IdxArray array{.shape = {2, 2}, .values = DenseMatrix(2, 2)};
  for (std::size_t k = 0; k < 4; ++k) array.values.values()[k] = static_cast<double>(85 * k);
  EXPECT_EQ(written(array), idx(8, {2, 2}, std::string("\0\x55\xaa\xff", 4)));
  for (const double odd : {0.5, -1.0, 256.0, -0.0}) {
    array.values(1, 1) = odd;
    const std::string bytes = written(array);
    EXPECT_EQ(bytes[2], 14) << odd;
    const IdxArray copy = read_bytes(bytes);
    EXPECT_EQ(std::memcmp(copy.values.data(), array.values.data(), 32), 0);
  }
}

TEST(Idx, WritesWhatItReads) {
  Rng rng(5, "idx-test");
  IdxArray array{.shape = {7, 3, 5, 2}, .values = DenseMatrix(7, 30)};
  for (double& value : array.values.values()) value = rng.normal();
  const IdxArray copy = read_bytes(written(array));
  EXPECT_EQ(copy.shape, array.shape);
  EXPECT_TRUE(std::ranges::equal(copy.values.values(), array.values.values()));
  const IdxArray empty{.shape = {0, 28, 28}, .values = DenseMatrix(0, 784)};
  EXPECT_EQ(read_bytes(written(empty)).shape, empty.shape);
}

TEST(Idx, RefusesToWriteWhatItWouldRefuseToRead) {
  const TemporaryFolder folder;
  OutputFile file(folder.path("a.idx"));
  EXPECT_THROW(write_idx({.shape = {}, .values = {}}, file), InvalidArgument);
  EXPECT_THROW(write_idx({.shape = {2, 2}, .values = DenseMatrix(2, 3)}, file), InvalidArgument);
  EXPECT_THROW(write_idx({.shape = {2, 0}, .values = DenseMatrix(2, 0)}, file), InvalidArgument);
  EXPECT_THROW(write_idx({.shape = {1}, .values = DenseMatrix(1, 1, std::nan(""))}, file),
               InvalidArgument);
  const std::size_t large = std::size_t{1} << 32;
  EXPECT_THROW(write_idx({.shape = {0, large}, .values = DenseMatrix(0, large)}, file),
               InvalidArgument);
}

TEST(Idx, ClaimedSizesTakeNoMemory) {
  for (const std::string& bytes : {idx(14, {4000000000u, 2000000000u}, "12345678"),
                                   idx(14, {0, 4000000000u}, ""),
                                   idx(14, {4000000000u, 0}, ""),
                                   idx(8, {1000000000u}, "1"),
                                   idx(8, {9u, 4294967295u, 4294967295u, 4294967295u}, "1")}) {
    EXPECT_NE(problem_in(bytes), "");
  }
  const TemporaryFolder folder;
  write_file(folder.path("a.idx.xz"), idx(14, {4000000000u, 1000}, "12345678"));
  Input input = Input::open(folder.path("a.idx.xz"));
  EXPECT_THROW(static_cast<void>(read_idx(input)), ParseError);
}

TEST(Idx, DamagedFilesAreRefused) {
  const std::string good = idx(8, {2, 2}, "abcd");
  ASSERT_EQ(problem_in(good), "");
  for (std::size_t k = 0; k < good.size(); ++k) EXPECT_NE(problem_in(good.substr(0, k)), "") << k;
  EXPECT_EQ(problem_in(good.substr(0, 10)),
            "a.idx: the file ends at byte 10, within the dimensions of an IDX file");
  EXPECT_EQ(problem_in(good + "e"),
            "a.idx: the header claims 2 x 2 elements of 1 byte, but 5 bytes follow it (from byte "
            "12)");
  EXPECT_NE(problem_in("1,2\n").find("not an IDX file"), std::string::npos);
  EXPECT_NE(problem_in(idx(10, {1}, "a")).find("not an IDX file"), std::string::npos);
  EXPECT_NE(problem_in(idx(8, {}, "a")).find("without dimensions"), std::string::npos);
  EXPECT_EQ(problem_in(idx(13, {1, 2}, big_endian(0x3f800000, 4) + big_endian(0x7f800000, 4))),
            "a.idx: row 1, column 2 is inf, must be finite");
}

}  // namespace
}  // namespace maxmargin
