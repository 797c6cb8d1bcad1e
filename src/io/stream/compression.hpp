// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "maxmargin/core/names.hpp"

/// One interface to zlib, bzip2 and liblzma, in both directions. Input and OutputFile drive it.
namespace maxmargin {
enum class Compression { gzip, bzip2, xz };
}

namespace maxmargin {
template <>
inline constexpr auto names_of<Compression> = name_table<Compression>(
    {{"gzip", Compression::gzip}, {"bzip2", Compression::bzip2}, {"xz", Compression::xz}});
}

namespace maxmargin {

/// The first bytes that compression_of_bytes needs to see.
inline constexpr std::size_t compression_magic_bytes = 6;
/// What data that begins with `head` is compressed with, if it is.
[[nodiscard]] std::optional<Compression> compression_of_bytes(std::string_view head) noexcept;
/// By the ending of the name: .gz, .bz2, .xz.
[[nodiscard]] std::optional<Compression> compression_of_name(std::string_view path) noexcept;
/// `path` without such an ending.
[[nodiscard]] std::string_view without_compression_suffix(std::string_view path) noexcept;

/// A compressor or decompressor of one stream ("member").
class Codec {
 public:
  /// needs_memory: the data claims to need more than 1 GiB to be decompressed.
  enum class State { working, ended, damaged, needs_memory };
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    State state = State::working;
  };

  Codec() = default;
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;
  virtual ~Codec() = default;

  /// Takes bytes from `in` and puts bytes into `out`, as far as either goes. `in_is_last`: nothing
  /// comes after `in`; a compressor then writes its end and reports `ended`. Throws
  /// std::bad_alloc.
  [[nodiscard]] virtual Step step(std::span<const char> in,
                                  bool in_is_last,
                                  std::span<char> out) = 0;
};

[[nodiscard]] std::unique_ptr<Codec> make_decoder(Compression kind);
[[nodiscard]] std::unique_ptr<Codec> make_encoder(Compression kind);

}  // namespace maxmargin
