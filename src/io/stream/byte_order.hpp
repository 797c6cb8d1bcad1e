// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

/// Numbers in files have a byte order of their own, whatever that of the machine is. Compilers turn
/// these loops into single loads and stores.
namespace maxmargin {

/// The unsigned integer whose sizeof(Unsigned) bytes stand at `bytes`, least significant first.
template <std::unsigned_integral Unsigned>
[[nodiscard]] Unsigned load_little(const char* bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return static_cast<Unsigned>(value);
}

/// As load_little, most significant byte first.
template <std::unsigned_integral Unsigned>
[[nodiscard]] Unsigned load_big(const char* bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return static_cast<Unsigned>(value);
}

/// Appends the bytes of `value` to `to`, least significant first.
template <std::unsigned_integral Unsigned>
void append_little(std::string& to, Unsigned value) {
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    to.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
  }
}

/// As append_little, most significant byte first.
template <std::unsigned_integral Unsigned>
void append_big(std::string& to, Unsigned value) {
  for (std::size_t i = sizeof(Unsigned); i-- > 0;) {
    to.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
  }
}

}  // namespace maxmargin
