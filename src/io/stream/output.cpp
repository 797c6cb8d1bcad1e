// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/stream/output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
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

constexpr std::string_view temporary_prefix = ".maxmargin-";
constexpr std::string_view temporary_suffix = ".part";

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Removes a temporary file that no process has open for writing. Every writer holds the lock of
/// its file until that has its final name, and the system gives the lock back when a writer dies:
/// who gets it knows that the writer is dead.
void remove_if_left_behind(const fs::path& temporary) noexcept {
  const FileDescriptor file(::open(temporary.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK),
                            FileDescriptor::Ownership::owned);
  struct stat locked = {};
  if (file.number() < 0 || ::fstat(file.number(), &locked) != 0 || !S_ISREG(locked.st_mode)) return;
  if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) return;
  // Its writer may have put it in place between the opening and the lock.
  struct stat named = {};
  if (::lstat(temporary.c_str(), &named) != 0 || !is_same_file(locked, named)) return;
  ::unlink(temporary.c_str());
}

/// Removes what runs that were killed have left behind in `folder`.
void remove_left_behind(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(temporary_prefix) && name.ends_with(temporary_suffix)) {
      remove_if_left_behind(entry->path());
    }
  }
}

/// Locks a file that was just made, against remove_if_left_behind of other processes. False when
/// one of them was quicker. Where the file system has no locks nobody gets one, and what is left
/// behind stays.
bool lock_new_file(int number) {
  if (::flock(number, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat about = {};
  return ::fstat(number, &about) == 0 && about.st_nlink > 0;
}

/// A file that was just made, open and locked.
struct Temporary {
  FileDescriptor file;
  fs::path name;
  std::unique_ptr<NotedTemporary> noted;
};

/// Creates a file of a new name in `folder`, for its owner alone. It is noted before it is there,
/// so that no signal comes between.
Temporary create_temporary(const std::string& path, const fs::path& folder) {
  static std::atomic<unsigned> counter = 0;
  for (;;) {
    const fs::path name =
        folder / (std::string(temporary_prefix) + std::to_string(::getpid()) + "-" +
                  std::to_string(counter++) + std::string(temporary_suffix));
    auto noted = std::make_unique<NotedTemporary>(name.c_str());
    constexpr mode_t for_the_owner_alone = 0600;
    FileDescriptor file(
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, for_the_owner_alone),
        FileDescriptor::Ownership::owned);
    if (file.number() >= 0) {
      if (lock_new_file(file.number())) return {std::move(file), name, std::move(noted)};
    } else if (errno != EEXIST) {  // else of a run with our process number: take the next name
      throw FileError(path, system_problem("cannot create", errno));
    }
  }
}

/// The permissions of `target`, or those that the system gives a new file.
mode_t final_mode(const fs::path& target) {
  struct stat about = {};
  if (::stat(target.c_str(), &about) == 0) return about.st_mode & 07777;
  // The mask can only be read by setting it. Files that another thread makes meanwhile are its
  // owner's alone; the mutex keeps two of us from taking that mask for the process's own.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const mode_t mask = ::umask(077);
  ::umask(mask);
  return 0666 & ~mask;
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
  std::unique_ptr<NotedTemporary> noted;
  FileDescriptor file = {-1, FileDescriptor::Ownership::owned};
  std::unique_ptr<Codec> encoder;
  std::string buffer;
  /// Where the bytes go instead of to a file.
  std::string* memory = nullptr;
  enum class Stage { open, finished, committed };
  Stage stage = Stage::open;

  State(std::string path_, FileDescriptor file_) : path(std::move(path_)), file(std::move(file_)) {}
  State(std::string path_, fs::path target_, Temporary temporary_)
      : path(std::move(path_)),
        target(std::move(target_)),
        temporary(std::move(temporary_.name)),
        noted(std::move(temporary_.noted)),
        file(std::move(temporary_.file)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (stage != Stage::committed && !temporary.empty()) ::unlink(temporary.c_str());
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

  /// Makes sure the bytes are on the disk, for those who may read the file it stands for.
  void put_on_disk() {
    ::fchmod(file.number(), final_mode(target));  // if we may
    if (::fsync(file.number()) != 0) {
      throw FileError(path, system_problem("cannot write", errno));
    }
  }

  /// Gives the bytes their name. The file is closed only then, as its lock goes with it.
  void put_in_place() {
    if (::rename(temporary.c_str(), target.c_str()) != 0) {
      throw FileError(path, system_problem("cannot rename the finished file", errno));
    }
    (void)file.close();  // fsync has said what could go wrong
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
    return std::make_unique<State>(path, std::move(device));
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    throw FileError(path, system_problem("cannot write", errno));
  }
  const fs::path target = behind_links(path);
  fs::path folder = target.parent_path();
  if (folder.empty()) folder = ".";
  remove_left_behind(folder);
  return std::make_unique<State>(path, target, create_temporary(path, folder));
}

OutputFile::OutputFile(const std::string& path) : state_(State::open(path)) {
  if (const auto kind = compression_of_name(path)) {
    state_->encoder = make_encoder(*kind);
  }
}
OutputFile::OutputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}

OutputFile OutputFile::to_memory(std::string& bytes) {
  auto state =
      std::make_unique<State>("memory", FileDescriptor(-1, FileDescriptor::Ownership::borrowed));
  state->memory = &bytes;
  return OutputFile(std::move(state));
}

OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view bytes) {
  require(state_ != nullptr, "the file was moved away");
  require(state_->stage == State::Stage::open, "the file was finished already");
  while (!bytes.empty()) {
    const std::size_t room = buffer_bytes - state_->buffer.size();
    state_->buffer.append(bytes.substr(0, room));
    bytes.remove_prefix(std::min(room, bytes.size()));
    if (state_->buffer.size() == buffer_bytes) state_->flush(false);
  }
}

void OutputFile::finish() {
  require(state_ != nullptr, "the file was moved away");
  require(state_->stage == State::Stage::open, "the file was finished already");
  state_->flush(true);
  if (!state_->temporary.empty()) state_->put_on_disk();
  state_->stage = State::Stage::finished;
}

void OutputFile::commit() {
  require(state_ != nullptr, "the file was moved away");
  require(state_->stage != State::Stage::committed, "the file was committed already");
  if (state_->stage == State::Stage::open) finish();
  if (!state_->temporary.empty()) state_->put_in_place();
  state_->stage = State::Stage::committed;
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
