// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "maxmargin/core/export.hpp"

namespace maxmargin {

/// The bytes of a file, decompressed on the way when they begin like gzip, bzip2 or xz (several
/// compressed members in a row count as one). All readers take an Input, so that tests and fuzzers
/// feed them from memory.
class MAXMARGIN_EXPORT Input {
 public:
  /// Opens a file; "-" is standard input. Throws FileError when it cannot be opened, is a
  /// directory, or is not readable.
  [[nodiscard]] static Input open(const std::string& path);
  /// Bytes in memory under a name for messages; decompressed like those of a file.
  [[nodiscard]] static Input from_memory(std::string name, std::string bytes);

  Input(Input&&) noexcept;
  Input& operator=(Input&&) noexcept;
  ~Input();

  /// The name for messages.
  [[nodiscard]] const std::string& name() const noexcept;
  /// Up to `count` bytes ahead, without consuming them; fewer only at the end. Valid until the next
  /// call that peeks or reads.
  [[nodiscard]] std::string_view peek(std::size_t count);
  /// Fills `into` as far as there are bytes and returns how many; fewer than asked only at the
  /// end. Throws FileError when compressed data is damaged or ends early.
  std::size_t read(std::span<char> into);
  /// How many bytes were read so far (of the decompressed contents), to name a place in messages.
  [[nodiscard]] std::uint64_t position() const noexcept;
  /// The bytes that are left, when their number is known (plain files): readers check sizes that a
  /// file claims against it before they allocate.
  [[nodiscard]] std::optional<std::uint64_t> remaining() const;
  /// All bytes that are left as one block without copying, when the file is plain and mapped into
  /// memory; empty otherwise. Valid while this Input lives. Does not consume.
  [[nodiscard]] std::optional<std::string_view> mapped() const;
  /// All bytes that are left. Throws FileError beyond `limit` bytes, and when a stream or
  /// compressed file holds more than the machine's memory.
  [[nodiscard]] std::string read_all(std::size_t limit = std::numeric_limits<std::size_t>::max());

 private:
  struct State;
  explicit Input(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace maxmargin
