// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/stream/compression.hpp"

/// Where an Input gets its bytes from when they do not lie in memory.
namespace maxmargin {

/// A stream of bytes.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  /// Puts between 1 and into.size() bytes into `into` and returns how many; 0 at the end alone.
  /// Requires a non-empty `into`. Throws FileError.
  virtual std::size_t read_some(std::span<char> into) = 0;
};

/// An open file descriptor, closed at the end unless it is borrowed (-1: none).
class FileDescriptor {
 public:
  enum class Ownership { owned, borrowed };
  FileDescriptor(int number, Ownership ownership) : number_(number), ownership_(ownership) {}
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor();
  [[nodiscard]] int number() const noexcept { return number_; }
  /// Closes now and returns whether that worked (some file systems report a full disk here).
  [[nodiscard]] bool close() noexcept;

 private:
  int number_;
  Ownership ownership_;
};

/// "cannot open: No such file or directory", for the errno of a failed call.
[[nodiscard]] std::string system_problem(std::string_view what, int error_number);

/// Reads from a descriptor. `name` is for messages.
[[nodiscard]] std::unique_ptr<ByteSource> make_file_source(std::string name, FileDescriptor file);
/// Hands out `bytes`.
[[nodiscard]] std::unique_ptr<ByteSource> make_memory_source(std::string bytes);
/// Decompresses `head` and then what `source` gives: one or more members, zero bytes (padding)
/// between and after them allowed.
[[nodiscard]] std::unique_ptr<ByteSource> make_decompressing_source(
    std::string name, Compression kind, std::string_view head, std::unique_ptr<ByteSource> source);

}  // namespace maxmargin
