// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

namespace maxmargin::learning {

/// A number that tells data apart, so that a checkpoint is not taken for that of other data: FNV-1a
/// over words of 64 bits.
class Fingerprint {
 public:
  void mix(std::uint64_t word) { value_ = (value_ ^ word) * 0x100000001b3u; }
  void mix(double number) { mix(std::bit_cast<std::uint64_t>(number)); }
  // Lengths, too: lists that differ in where they end are different.
  void mix(std::string_view text) {
    mix(std::uint64_t{text.size()});
    for (const char c : text) mix(std::uint64_t{static_cast<unsigned char>(c)});
  }
  void mix(std::span<const std::uint32_t> words) {
    mix(std::uint64_t{words.size()});
    for (const std::uint32_t word : words) mix(std::uint64_t{word});
  }
  void mix(std::span<const double> numbers) {
    mix(std::uint64_t{numbers.size()});
    for (const double number : numbers) mix(number);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace maxmargin::learning
