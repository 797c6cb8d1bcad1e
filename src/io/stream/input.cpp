// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/stream/input.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "io/stream/byte_source.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/memory.hpp"

namespace maxmargin {

namespace {

/// A file mapped into memory for reading, or nothing.
class Mapping {
 public:
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  /// False when the system cannot map this file; it can still be read.
  [[nodiscard]] bool map(int file, std::size_t size) {
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (address == MAP_FAILED) return false;
    bytes_ = {static_cast<const char*>(address), size};
    ::madvise(address, size, MADV_SEQUENTIAL);
    return true;
  }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

/// Looks at the first bytes of a regular file without moving its position.
bool begins_compressed(int file) {
  std::array<char, compression_magic_bytes> head = {};
  const ssize_t count = ::pread(file, head.data(), head.size(), 0);
  if (count <= 0) return false;
  return compression_of_bytes({head.data(), static_cast<std::size_t>(count)}).has_value();
}

}  // namespace

/// Either all bytes lie in memory (`left`, over `mapping` or `memory`) and there is no source, or
/// they come from `source`, and `left` is what of them was read ahead into `memory`.
struct Input::State {
  std::string name;
  std::string memory;
  Mapping mapping;
  std::unique_ptr<ByteSource> source;
  std::string_view left;
  bool source_ended = false;
  std::uint64_t position = 0;

  /// Reads from `stream`, through a decompressor when its first bytes say so.
  void take_stream(std::unique_ptr<ByteSource> stream) {
    source = std::move(stream);
    const std::string head(read_ahead(compression_magic_bytes));
    if (const auto kind = compression_of_bytes(head)) {
      left = {};
      source_ended = false;
      source = make_decompressing_source(name, *kind, head, std::move(source));
    }
  }

  /// Does not ask a source again that has ended: a terminal would begin anew.
  std::size_t read_source(std::span<char> into) {
    if (source_ended) return 0;
    const std::size_t got = source->read_some(into);
    source_ended = got == 0;
    return got;
  }

  /// Brings up to `count` bytes into `left`; fewer only at the end.
  std::string_view read_ahead(std::size_t count) {
    if (source && !source_ended && left.size() < count) {
      std::string longer(left);
      while (longer.size() < count && !source_ended) {
        const std::size_t old = longer.size();
        longer.resize(std::min(count, old + (std::size_t{1} << 16)));
        const std::size_t got = read_source(std::span(longer).subspan(old));
        longer.resize(old + got);
      }
      memory = std::move(longer);
      left = memory;
    }
    return left.substr(0, count);
  }
};

Input::Input(std::unique_ptr<State> state) : state_(std::move(state)) {}
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

Input Input::open(const std::string& path) {
  using Ownership = FileDescriptor::Ownership;
  auto state = std::make_unique<State>();
  if (path == "-") {
    state->name = "standard input";
    state->take_stream(make_file_source(state->name, {STDIN_FILENO, Ownership::borrowed}));
    return Input(std::move(state));
  }
  state->name = path;
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC), Ownership::owned);
  if (file.number() < 0) throw FileError(path, system_problem("cannot open", errno));
  struct stat about = {};
  if (::fstat(file.number(), &about) != 0) {
    throw FileError(path, system_problem("cannot read", errno));
  }
  if (S_ISDIR(about.st_mode)) throw FileError(path, "is a directory, expected a file");
  // Files of the proc kind claim size 0 and still have contents: those are read as streams.
  // What is mapped counts as memory of the process as far as it was read.
  const bool is_small = static_cast<std::size_t>(about.st_size) <= machine_memory() / 4;
  if (S_ISREG(about.st_mode) && about.st_size > 0 && is_small &&
      !begins_compressed(file.number()) &&
      state->mapping.map(file.number(), static_cast<std::size_t>(about.st_size))) {
    state->left = state->mapping.bytes();
  } else {
    state->take_stream(make_file_source(path, std::move(file)));
  }
  return Input(std::move(state));
}

Input Input::from_memory(std::string name, std::string bytes) {
  auto state = std::make_unique<State>();
  state->name = std::move(name);
  if (compression_of_bytes(bytes)) {
    state->take_stream(make_memory_source(std::move(bytes)));
  } else {
    state->memory = std::move(bytes);
    state->left = state->memory;
  }
  return Input(std::move(state));
}

const std::string& Input::name() const noexcept { return state_->name; }

std::string_view Input::peek(std::size_t count) { return state_->read_ahead(count); }

std::size_t Input::read(std::span<char> into) {
  std::size_t filled = state_->left.copy(into.data(), into.size());
  state_->left.remove_prefix(filled);
  while (state_->source && filled < into.size()) {
    const std::size_t got = state_->read_source(into.subspan(filled));
    if (got == 0) break;
    filled += got;
  }
  state_->position += filled;
  return filled;
}

std::uint64_t Input::position() const noexcept { return state_->position; }

std::optional<std::uint64_t> Input::remaining() const {
  if (state_->source) return std::nullopt;
  return state_->left.size();
}

std::optional<std::string_view> Input::mapped() const {
  if (state_->source) return std::nullopt;
  return state_->left;
}

std::string Input::read_all(std::size_t limit) {
  const auto refuse = [&] {
    throw FileError(state_->name,
                    "is longer than the " + std::to_string(limit) + " bytes that are allowed here");
  };
  std::string all;
  if (const auto size = remaining()) {
    if (*size > limit) refuse();
    all = state_->left;
    state_->left = {};
    state_->position += all.size();
    return all;
  }
  // A text that grows is in memory twice while it does.
  limit = std::min(limit, machine_memory() / 2);
  std::size_t step = std::size_t{1} << 16;
  for (;;) {
    const std::size_t old = all.size();
    all.resize(old + step);
    const std::size_t got = read(std::span(all).subspan(old));
    all.resize(old + got);
    if (all.size() > limit) refuse();
    if (got < step) return all;
    step = std::min(all.size(), std::size_t{1} << 26);
  }
}

}  // namespace maxmargin
