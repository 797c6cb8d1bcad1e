// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace maxmargin::detail {

/// The 64-bit FNV-1a hash of a stream of bytes. Every step is a bijection of the state, so that a
/// change of a single byte always changes the value; other damage slips through once in 2^64. It
/// guards against accidents, not against forgery.
class Checksum {
 public:
  void add(std::string_view bytes) noexcept {
    for (const char byte : bytes) {
      value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
    }
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

[[nodiscard]] inline std::uint64_t checksum_of(std::string_view bytes) noexcept {
  Checksum checksum;
  checksum.add(bytes);
  return checksum.value();
}

}  // namespace maxmargin::detail
