// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/stream/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "io/stream/byte_source.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

/// A place for one name. Only who moves `state` away from `free` or `noted` may touch the name.
struct Slot {
  enum State : int { free, busy, noted };
  static constexpr std::size_t longest = 4096;

  std::atomic<int> state = free;
  std::array<char, longest> path = {};
};
static_assert(std::atomic<int>::is_always_lock_free);  // or a signal handler may not use it

/// More files than one run has open for writing. Static: a signal handler may not allocate.
std::array<Slot, 64> slots;

bool move(Slot& slot, int from, int to) noexcept {
  return slot.state.compare_exchange_strong(from, to);
}

/// Notes the name of a temporary file while this object lives, so that remove_temporary_files
/// (io/stream/output.hpp) finds it. Does nothing when the table of names is full or the name is too
/// long.
class NotedTemporary {
 public:
  explicit NotedTemporary(const char* path) noexcept;
  NotedTemporary(const NotedTemporary&) = delete;
  NotedTemporary& operator=(const NotedTemporary&) = delete;
  ~NotedTemporary();

 private:
  std::optional<std::size_t> slot_;
};

NotedTemporary::NotedTemporary(const char* path) noexcept {
  const std::size_t bytes = std::strlen(path) + 1;
  for (std::size_t s = 0; s < slots.size() && bytes <= Slot::longest; ++s) {
    if (!move(slots[s], Slot::free, Slot::busy)) continue;
    std::memcpy(slots[s].path.data(), path, bytes);
    slots[s].state.store(Slot::noted);
    slot_ = s;
    return;
  }
}

NotedTemporary::~NotedTemporary() {
  // A busy slot is in the hands of remove_temporary_files, which frees it.
  if (slot_) move(slots[*slot_], Slot::noted, Slot::free);
}

/// Creates a file of a new name in `folder` and returns both.
std::pair<FileDescriptor, fs::path> create_temporary(const std::string& path,
                                                     const fs::path& folder) {
  static std::atomic<unsigned> counter = 0;
  for (;;) {
    const fs::path name = folder / (".maxmargin-" + std::to_string(::getpid()) + "-" +
                                    std::to_string(counter++) + ".tmp");
    constexpr mode_t whatever_umask_allows = 0666;
    const int number =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, whatever_umask_allows);
    if (number >= 0) return {FileDescriptor(number, FileDescriptor::Ownership::owned), name};
    // A file left behind by a killed run with our process number: take the next name.
    if (errno != EEXIST) throw FileError(path, system_problem("cannot create", errno));
  }
}

/// The file that `path` names through symbolic links, whether it exists or not: so the link stays,
/// and what it names is made or replaced.
fs::path behind_links(const std::string& path) {
  constexpr int most_links = 40;  // as in the kernel
  fs::path file = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(file, error)); ++links) {
    if (links == most_links) throw FileError(path, system_problem("cannot write", ELOOP));
    const fs::path next = fs::read_symlink(file, error);
    if (error) throw FileError(path, "cannot read the link: " + error.message());
    file = file.parent_path() / next;  // an absolute `next` replaces it all
  }
  return file;
}

}  // namespace

/// Bytes go to `buffer`, from there through `encoder` (if any) to `file`. `temporary` is empty when
/// the file is written to directly.
struct OutputFile::State {
  std::string path;
  fs::path target;
  fs::path temporary;
  std::optional<NotedTemporary> noted;
  FileDescriptor file = {-1, FileDescriptor::Ownership::owned};
  std::unique_ptr<Codec> encoder;
  std::string buffer;
  /// Where the bytes go instead of to a file.
  std::string* memory = nullptr;
  bool committed = false;

  State(std::string path_, fs::path target_, fs::path temporary_, FileDescriptor file_)
      : path(std::move(path_)),
        target(std::move(target_)),
        temporary(std::move(temporary_)),
        file(std::move(file_)) {
    if (!temporary.empty()) noted.emplace(temporary.c_str());
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (!committed && !temporary.empty()) ::unlink(temporary.c_str());
  }

  static std::unique_ptr<State> open(const std::string& path);

  void write_to_file(std::string_view bytes) {
    if (memory != nullptr) {
      memory->append(bytes);
      return;
    }
    while (!bytes.empty()) {
      const ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
      if (count >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno != EINTR) {
        throw FileError(path, system_problem("cannot write", errno));
      }
    }
  }

  /// Empties the buffer; with `last`, also ends the compressed stream.
  void flush(bool last) {
    if (!encoder) {
      write_to_file(buffer);
    } else {
      std::vector<char> compressed(buffer_bytes);
      std::span<const char> in(buffer);
      Codec::Step step;
      do {
        step = encoder->step(in, last, compressed);
        in = in.subspan(step.consumed);
        if (step.state == Codec::State::damaged) throw InternalError("a compressor failed");
        write_to_file({compressed.data(), step.produced});
      } while (last ? step.state != Codec::State::ended : !in.empty());
    }
    buffer.clear();
  }

  /// Makes sure the bytes are on the disk, then gives them their name.
  void put_in_place() {
    if (::fsync(file.number()) != 0 || !file.close()) {
      throw FileError(path, system_problem("cannot write", errno));
    }
    if (::rename(temporary.c_str(), target.c_str()) != 0) {
      throw FileError(path, system_problem("cannot rename the finished file", errno));
    }
    noted.reset();
    // The new name outlives a power cut once the folder is on the disk too; not every file system
    // can do that, and the file itself is safe either way.
    const FileDescriptor folder(::open(temporary.parent_path().c_str(), O_RDONLY | O_CLOEXEC),
                                FileDescriptor::Ownership::owned);
    if (folder.number() >= 0) ::fsync(folder.number());
  }
};

std::unique_ptr<OutputFile::State> OutputFile::State::open(const std::string& path) {
  using Ownership = FileDescriptor::Ownership;
  if (path == "-") {
    return std::make_unique<State>("standard output",
                                   fs::path(),
                                   fs::path(),
                                   FileDescriptor(STDOUT_FILENO, Ownership::borrowed));
  }
  struct stat about = {};
  const bool exists = ::stat(path.c_str(), &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) {
    throw FileError(path, "is a directory, cannot write a file there");
  }
  if (exists && !S_ISREG(about.st_mode)) {
    FileDescriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC), Ownership::owned);
    if (device.number() < 0) throw FileError(path, system_problem("cannot open", errno));
    return std::make_unique<State>(path, fs::path(), fs::path(), std::move(device));
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    throw FileError(path, system_problem("cannot write", errno));
  }
  const fs::path target = behind_links(path);
  fs::path folder = target.parent_path();
  if (folder.empty()) folder = ".";
  auto [file, temporary] = create_temporary(path, folder);
  if (exists) ::fchmod(file.number(), about.st_mode & 07777);  // keep the permissions if we may
  return std::make_unique<State>(path, target, temporary, std::move(file));
}

OutputFile::OutputFile(const std::string& path) : state_(State::open(path)) {
  if (const auto kind = compression_of_name(path)) {
    state_->encoder = make_encoder(*kind);
  }
}
OutputFile::OutputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}

OutputFile OutputFile::to_memory(std::string& bytes) {
  auto state = std::make_unique<State>(
      "memory", fs::path(), fs::path(), FileDescriptor(-1, FileDescriptor::Ownership::borrowed));
  state->memory = &bytes;
  return OutputFile(std::move(state));
}

OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view bytes) {
  require(state_ != nullptr, "the file was moved away");
  require(!state_->committed, "the file was committed already");
  while (!bytes.empty()) {
    const std::size_t room = buffer_bytes - state_->buffer.size();
    state_->buffer.append(bytes.substr(0, room));
    bytes.remove_prefix(std::min(room, bytes.size()));
    if (state_->buffer.size() == buffer_bytes) state_->flush(false);
  }
}

void OutputFile::commit() {
  require(state_ != nullptr, "the file was moved away");
  require(!state_->committed, "the file was committed already");
  state_->flush(true);
  if (!state_->temporary.empty()) state_->put_in_place();
  state_->committed = true;
}

void remove_temporary_files() noexcept {
  const int error_number = errno;
  for (Slot& slot : slots) {
    if (!move(slot, Slot::noted, Slot::busy)) continue;
    ::unlink(slot.path.data());
    slot.state.store(Slot::free);
  }
  errno = error_number;
}

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace maxmargin
