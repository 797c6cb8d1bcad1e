// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/stream/input.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "temporary_folder.hpp"

namespace maxmargin {
namespace {

/// Text with enough disorder that the compressed forms are not tiny.
std::string some_text(std::size_t size, std::uint64_t seed = 1) {
  Rng rng(seed);
  std::string text;
  while (text.size() < size) text += std::to_string(rng.index(1000)) + " abc\n";
  text.resize(size);
  return text;
}

std::string raw_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What OutputFile makes of `text` under this ending: compressed by the libraries themselves.
std::string compressed(const std::string& text, const std::string& ending) {
  const TemporaryFolder folder;
  write_file(folder.path("x" + ending), text);
  return raw_bytes(folder.path("x" + ending));
}

TEST(Input, PlainFileIsMappedAndKnowsItsLength) {
  const TemporaryFolder folder;
  const std::string text = some_text(100'000);
  write_file(folder.path("a.txt"), text);
  Input input = Input::open(folder.path("a.txt"));
  EXPECT_EQ(input.name(), folder.path("a.txt"));
  EXPECT_EQ(input.remaining(), text.size());
  ASSERT_TRUE(input.mapped().has_value());
  EXPECT_EQ(*input.mapped(), text);
  EXPECT_EQ(input.peek(10), text.substr(0, 10));
  std::vector<char> head(7);
  EXPECT_EQ(input.read(head), 7u);
  EXPECT_EQ(std::string(head.begin(), head.end()), text.substr(0, 7));
  EXPECT_EQ(input.remaining(), text.size() - 7);
  EXPECT_EQ(*input.mapped(), text.substr(7));
  EXPECT_EQ(input.read_all(), text.substr(7));
  EXPECT_EQ(input.peek(5), "");
  EXPECT_EQ(input.read(head), 0u);
}

class CompressedInput : public ::testing::TestWithParam<const char*> {};

TEST_P(CompressedInput, GivesTheBytesThatWereCompressed) {
  const std::string text = some_text(500'000);
  Input input = Input::from_memory("m", compressed(text, GetParam()));
  EXPECT_FALSE(input.remaining().has_value());
  EXPECT_FALSE(input.mapped().has_value());
  EXPECT_EQ(input.peek(3), text.substr(0, 3));
  EXPECT_EQ(input.peek(200'000), text.substr(0, 200'000));
  std::vector<char> part(300'001);
  ASSERT_EQ(input.read(part), part.size());
  EXPECT_EQ(std::string(part.begin(), part.end()), text.substr(0, part.size()));
  EXPECT_EQ(input.read_all(), text.substr(part.size()));
  EXPECT_EQ(input.read_all(), "");
}

TEST_P(CompressedInput, FileIsRecognisedByItsContentsNotItsName) {
  const TemporaryFolder folder;
  const std::string text = some_text(50'000);
  std::ofstream(folder.path("plain_name"), std::ios::binary) << compressed(text, GetParam());
  EXPECT_EQ(Input::open(folder.path("plain_name")).read_all(), text);
}

TEST_P(CompressedInput, SeveralMembersAndPaddingCountAsOne) {
  const std::string a = some_text(300'000, 2);
  const std::string b = some_text(10, 3);
  const std::string padding(8, '\0');
  const std::string bytes = compressed(a, GetParam()) + compressed("", GetParam()) +
                            compressed(b, GetParam()) + padding + compressed(a, GetParam()) +
                            padding;
  EXPECT_EQ(Input::from_memory("m", bytes).read_all(), a + b + a);
}

TEST_P(CompressedInput, EveryTruncationIsAnErrorThatNamesFileAndByte) {
  const std::string bytes = compressed(some_text(2'000), GetParam());
  for (std::size_t size = 6; size < bytes.size(); ++size) {
    try {
      Input input = Input::from_memory("cut.data", bytes.substr(0, size));
      static_cast<void>(input.read_all());
      FAIL() << "no error at " << size << " of " << bytes.size() << " bytes";
    } catch (const FileError& error) {
      EXPECT_EQ(error.file(), "cut.data");
      const std::string start = "cut.data: at byte " + std::to_string(size) + ": the ";
      EXPECT_TRUE(std::string(error.what()).starts_with(start)) << error.what();
      EXPECT_NE(std::string(error.what()).find("ends early"), std::string::npos) << error.what();
    }
  }
}

TEST_P(CompressedInput, DamagedBytesAreAnErrorOrTheRightText) {
  const std::string text = some_text(2'000);
  const std::string bytes = compressed(text, GetParam());
  std::size_t errors = 0;
  for (std::size_t at = 6; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    try {
      // Some header bytes (a time stamp) carry no meaning for the contents.
      EXPECT_EQ(Input::from_memory("m", damaged).read_all(), text) << at;
    } catch (const FileError&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, bytes.size() * 9 / 10);
}

TEST_P(CompressedInput, OtherBytesBehindTheDataAreAnError) {
  const std::string bytes = compressed("1 1:1\n", GetParam()) + "2 1:1\n";
  Input input = Input::from_memory("m", bytes);
  EXPECT_THROW(static_cast<void>(input.read_all()), FileError);
}

INSTANTIATE_TEST_SUITE_P(AllFormats, CompressedInput, ::testing::Values(".gz", ".bz2", ".xz"));

TEST(Input, ShortMemoryStaysInPlaceWhenTheInputMoves) {
  Input first = Input::from_memory("m", "abc");
  const std::string_view before = *first.mapped();
  const Input second = std::move(first);
  EXPECT_EQ(second.mapped()->data(), before.data());
  EXPECT_EQ(*second.mapped(), "abc");
}

TEST(Input, EmptyFileIsFine) {
  const TemporaryFolder folder;
  write_file(folder.path("empty"), "");
  Input input = Input::open(folder.path("empty"));
  EXPECT_EQ(input.peek(1), "");
  EXPECT_EQ(input.read_all(), "");
}

TEST(Input, DirectoryAndMissingFileAreErrorsThatSaySo) {
  const TemporaryFolder folder;
  try {
    static_cast<void>(Input::open(folder.path("")));
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(error.file(), folder.path(""));
    EXPECT_NE(std::string(error.what()).find("directory"), std::string::npos) << error.what();
  }
  EXPECT_THROW(static_cast<void>(Input::open(folder.path("none"))), FileError);
  EXPECT_THROW(static_cast<void>(Input::open("")), FileError);
}

TEST(Input, PipeIsReadAsAStream) {
  const TemporaryFolder folder;
  const std::string fifo = folder.path("pipe");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string text = some_text(300'000);
  std::jthread writer([&] { std::ofstream(fifo) << text; });
  Input input = Input::open(fifo);
  EXPECT_FALSE(input.mapped().has_value());
  EXPECT_EQ(input.peek(4), text.substr(0, 4));
  EXPECT_EQ(input.read_all(), text);
}

TEST(Input, ReadAllRefusesMoreThanItsLimit) {
  EXPECT_EQ(Input::from_memory("m", "12345").read_all(5), "12345");
  EXPECT_THROW(static_cast<void>(Input::from_memory("m", "12345").read_all(4)), FileError);
  Input bomb = Input::from_memory("m", compressed(std::string(10'000'000, 'a'), ".gz"));
  EXPECT_THROW(static_cast<void>(bomb.read_all(1'000'000)), FileError);
}

TEST(Input, TextThatBeginsLikeBzip2IsLeftAlone) {
  EXPECT_EQ(Input::from_memory("m", "BZhang,1,2\n").read_all(), "BZhang,1,2\n");
}

}  // namespace
}  // namespace maxmargin
