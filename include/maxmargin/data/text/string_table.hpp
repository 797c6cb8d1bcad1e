// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "maxmargin/core/buffer.hpp"
#include "maxmargin/core/export.hpp"

namespace maxmargin {

/// A hash of bytes that is the same on every platform and in every version, for model files depend
/// on it: FNV-1a of 64 bits, then the mixer of splitmix64, so that every bit of the result depends
/// on all bytes.
[[nodiscard]] constexpr std::uint64_t hash_text(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
  return hash ^ (hash >> 31);
}

/// Distinct strings and their numbers, from 0 in the order in which they came. All characters lie
/// one behind the other in one block, and a table with open addressing finds them: beside its
/// characters a string costs 8 bytes for its end and 7 to 14 for its place in the table.
class MAXMARGIN_EXPORT StringTable {
 public:
  /// The number of a string that is not there.
  static constexpr std::uint32_t none = 0xffffffffu;

  /// The number of `text`, which is stored if it is new. The second form is for callers that know
  /// hash_text(text). Throws InvalidArgument when there are 2^32 - 1 strings already.
  std::uint32_t add(std::string_view text) { return add(text, hash_text(text)); }
  std::uint32_t add(std::string_view text, std::uint64_t hash);
  /// Its number, or none.
  [[nodiscard]] std::uint32_t find(std::string_view text) const noexcept {
    return find(text, hash_text(text));
  }
  [[nodiscard]] std::uint32_t find(std::string_view text, std::uint64_t hash) const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// Valid until the next string is added. Requires number < size().
  [[nodiscard]] std::string_view operator[](std::size_t number) const noexcept {
    const std::size_t begin = number == 0 ? 0 : static_cast<std::size_t>(ends_[number - 1]);
    return {characters_.data() + begin, static_cast<std::size_t>(ends_[number]) - begin};
  }

  /// Forgets all strings but those with kept[number], which close ranks in their order. Needs no
  /// second copy. Requires kept.size() == size().
  void keep(const std::vector<bool>& kept);

  /// What the strings take, without room for growth.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  /// Where `text` is or belongs. Requires a free place.
  [[nodiscard]] std::size_t place_of(std::string_view text, std::uint64_t hash) const noexcept;
  void fill_table(std::size_t places);

  Buffer<char> characters_;
  Buffer<std::uint64_t> ends_;   ///< of each string in characters_
  Buffer<std::uint32_t> table_;  ///< number of the string at each place, or none
  Buffer<std::uint8_t> marks_;   ///< top bits of its hash: most strangers are told by them alone
};

}  // namespace maxmargin
