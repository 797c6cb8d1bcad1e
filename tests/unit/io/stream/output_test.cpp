// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/stream/output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "temporary_folder.hpp"

namespace maxmargin {
namespace {

std::string raw_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OutputFile, AppearsAtCommitAndNotBefore) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.txt");
  OutputFile file(path);
  file.write("hello ");
  file.write("world\n");
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_EQ(raw_bytes(path), "hello world\n");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(OutputFile, WithoutCommitTheOldFileStaysAndNothingIsLeftBehind) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.txt");
  write_file(path, "old");
  {
    OutputFile file(path);
    file.write(std::string(1'000'000, 'x'));
    EXPECT_EQ(raw_bytes(path), "old");
  }
  EXPECT_EQ(raw_bytes(path), "old");
  EXPECT_EQ(folder.file_count(), 1u);
}

mode_t mode_of(const std::string& path) {
  struct stat about = {};
  return ::stat(path.c_str(), &about) == 0 ? about.st_mode & 07777U : 0;
}

/// The paths of the temporary files in a folder.
std::vector<std::string> temporaries_in(const TemporaryFolder& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path(""))) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".maxmargin-")) found.push_back(entry.path().string());
  }
  return found;
}

TEST(OutputFile, IsItsOwnersAloneUntilItIsInPlace) {
  const TemporaryFolder folder;
  write_file(folder.path("old"), "old");
  ASSERT_EQ(::chmod(folder.path("old").c_str(), 0664), 0);
  const mode_t before = ::umask(002);
  OutputFile old(folder.path("old"));
  OutputFile fresh(folder.path("fresh"));
  ASSERT_EQ(temporaries_in(folder).size(), 2U);
  for (const std::string& path : temporaries_in(folder)) EXPECT_EQ(mode_of(path), 0600U);
  old.commit();
  fresh.commit();
  ::umask(before);
  EXPECT_EQ(mode_of(folder.path("old")), 0664U);
  EXPECT_EQ(mode_of(folder.path("fresh")), 0664U);
  // What was allowed meanwhile counts.
  OutputFile again(folder.path("old"));
  ASSERT_EQ(::chmod(folder.path("old").c_str(), 0640), 0);
  again.commit();
  EXPECT_EQ(mode_of(folder.path("old")), 0640U);
}

TEST(OutputFile, IsOnTheDiskOnceFinishedAndTakesNoMore) {
  const TemporaryFolder folder;
  write_file(folder.path("a"), "old");
  OutputFile file(folder.path("a"));
  file.write("new");
  file.finish();
  EXPECT_EQ(raw_bytes(folder.path("a")), "old");
  ASSERT_EQ(temporaries_in(folder).size(), 1U);
  EXPECT_EQ(raw_bytes(temporaries_in(folder).front()), "new");
  EXPECT_THROW(file.write("x"), InvalidArgument);
  EXPECT_THROW(file.finish(), InvalidArgument);
  file.commit();
  EXPECT_EQ(raw_bytes(folder.path("a")), "new");
  EXPECT_THROW(file.finish(), InvalidArgument);
  {
    OutputFile never(folder.path("a"));
    never.finish();
  }
  EXPECT_EQ(raw_bytes(folder.path("a")), "new");
  EXPECT_EQ(folder.file_count(), 1U);
}

/// Another process that holds an OutputFile open until it is killed.
class Writer {
 public:
  explicit Writer(const std::string& path) {
    std::array<int, 2> ends = {};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    process_ = ::fork();
    if (process_ == 0) {
      const OutputFile file(path);
      (void)!::write(ends[1], "x", 1);
      while (true) ::pause();
    }
    char ready = 0;
    (void)!::read(ends[0], &ready, 1);
    for (const int end : ends) ::close(end);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { kill(); }
  void kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
};

TEST(OutputFile, RemovesWhatADeadWriterLeftAndNothingElse) {
  const TemporaryFolder folder;
  Writer first(folder.path("a"));
  Writer second(folder.path("b"));
  OutputFile own(folder.path("c"));
  // Nobody has a file of this name open, but it is none of ours.
  write_file(folder.path(".maxmargin-notes"), "x");
  EXPECT_EQ(folder.file_count(), 4U);
  write_file(folder.path("d"), "x");
  EXPECT_EQ(folder.file_count(), 5U) << "the writers live";
  first.kill();
  EXPECT_EQ(folder.file_count(), 5U);
  write_file(folder.path("d"), "y");
  EXPECT_EQ(folder.file_count(), 4U) << "one of them is dead";
  second.kill();
  write_file(folder.path("d"), "z");
  EXPECT_EQ(folder.file_count(), 3U);
  own.commit();
  EXPECT_TRUE(std::filesystem::exists(folder.path(".maxmargin-notes")));
  EXPECT_TRUE(std::filesystem::exists(folder.path("c")));
}

TEST(OutputFile, CompressesByItsEnding) {
  const TemporaryFolder folder;
  std::string text;
  for (int k = 0; k < 200'000; ++k) text += std::to_string(k * 7919 % 10007) + ' ';
  for (const std::string ending : {".gz", ".bz2", ".xz"}) {
    const std::string path = folder.path("a.txt" + ending);
    OutputFile file(path);
    for (std::size_t at = 0; at < text.size(); at += 100'003) file.write(text.substr(at, 100'003));
    file.commit();
    EXPECT_LT(raw_bytes(path).size(), text.size() / 2) << ending;
    EXPECT_EQ(Input::open(path).read_all(), text) << ending;
    write_file(path, "");
    EXPECT_GT(raw_bytes(path).size(), 0u) << ending;
    EXPECT_EQ(Input::open(path).read_all(), "") << ending;
  }
}

TEST(OutputFile, KeepsThePermissionsAndTheLinkOfAFileItReplaces) {
  const TemporaryFolder folder;
  const std::string path = folder.path("real");
  const std::string link = folder.path("link");
  write_file(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  std::filesystem::create_symlink("real", link);
  write_file(link, "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(raw_bytes(path), "new");
  struct stat about = {};
  ASSERT_EQ(::stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0640u);
}

TEST(OutputFile, ALinkToNothingStaysAndTheFileItNamesIsMade) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("sub"));
  std::filesystem::create_symlink("sub/second", folder.path("first"));
  std::filesystem::create_symlink("third", folder.path("sub/second"));
  write_file(folder.path("first"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("first")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("sub/second")));
  EXPECT_EQ(raw_bytes(folder.path("sub/third")), "new");
  std::filesystem::create_symlink("circle", folder.path("circle"));
  EXPECT_THROW(write_file(folder.path("circle"), "new"), FileError);
}

TEST(OutputFile, TemporaryFilesCanBeRemovedAtOnce) {
  const TemporaryFolder folder;
  write_file(folder.path("done"), "x");
  {
    std::vector<OutputFile> open;
    open.reserve(5);
    for (int k = 0; k < 5; ++k) open.emplace_back(folder.path(std::to_string(k)));
    EXPECT_EQ(folder.file_count(), 6u);
    remove_temporary_files();
    EXPECT_EQ(folder.file_count(), 1u);
    EXPECT_THROW(open[0].commit(), FileError);
  }
  // The table of names is free again, however many files come and go.
  for (int k = 0; k < 70; ++k) write_file(folder.path("done"), "y");
  OutputFile last(folder.path("last"));
  EXPECT_EQ(folder.file_count(), 2u);
  remove_temporary_files();
  EXPECT_EQ(folder.file_count(), 1u);
  EXPECT_EQ(raw_bytes(folder.path("done")), "y");
}

TEST(OutputFile, NewFileFollowsTheUmask) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder.path("a"), "x");
  ::umask(before);
  struct stat about = {};
  ASSERT_EQ(::stat(folder.path("a").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0640u);
}

TEST(OutputFile, WritesToDevicesAndPipesDirectly) {
  write_file("/dev/null", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const TemporaryFolder folder;
  const std::string fifo = folder.path("pipe");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::jthread writer([&] { write_file(fifo, "through the pipe"); });
  EXPECT_EQ(raw_bytes(fifo), "through the pipe");
  writer.join();
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(OutputFile, FullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  OutputFile file("/dev/full");
  EXPECT_THROW(
      {
        file.write(std::string(1'000'000, 'x'));
        file.commit();
      },
      FileError);
}

TEST(OutputFile, DirectoriesAndMissingFoldersAreErrorsThatNameThePath) {
  const TemporaryFolder folder;
  EXPECT_THROW(OutputFile(folder.path("")), FileError);
  try {
    const OutputFile file(folder.path("no/such/folder/file"));
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(error.file(), folder.path("no/such/folder/file"));
  }
}

TEST(OutputFile, IsWrittenOnce) {
  const TemporaryFolder folder;
  OutputFile file(folder.path("a"));
  file.commit();
  EXPECT_THROW(file.write("x"), InvalidArgument);
  EXPECT_THROW(file.commit(), InvalidArgument);
  EXPECT_EQ(raw_bytes(folder.path("a")), "");
}

TEST(OutputFile, MovedFromIsNoFile) {
  const TemporaryFolder folder;
  OutputFile from(folder.path("a"));
  from.write("x");
  OutputFile to = std::move(from);
  EXPECT_THROW(from.write("y"), InvalidArgument);  // NOLINT(bugprone-use-after-move): the point
  EXPECT_THROW(from.commit(), InvalidArgument);
  to.write("z");
  to.commit();
  EXPECT_EQ(raw_bytes(folder.path("a")), "xz");
  from = OutputFile(folder.path("b"));
  from.commit();
  EXPECT_EQ(raw_bytes(folder.path("b")), "");
}

}  // namespace
}  // namespace maxmargin
