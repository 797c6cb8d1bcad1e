// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace maxmargin {

inline std::uint64_t checksum_of(const std::string& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// The same file with a checksum that fits, for no mutation would ever guess it: what comes behind
/// the check is where the bugs would be.
inline std::string sealed(std::string bytes) {
  if (bytes.starts_with("\x8f")) {
    bytes.resize(bytes.size() < 8 ? 0 : bytes.size() - 8);
    const std::uint64_t checksum = checksum_of(bytes);
    for (int shift = 0; shift < 64; shift += 8)
      bytes.push_back(static_cast<char>(checksum >> shift));
    return bytes;
  }
  if (const std::size_t at = bytes.rfind("\nchecksum "); at != std::string::npos) {
    bytes.resize(at + 1);
  }
  std::array<char, 40> line = {};
  std::snprintf(line.data(),
                line.size(),
                "checksum fnv1a64 %016llx\n",
                static_cast<unsigned long long>(checksum_of(bytes)));
  return bytes + line.data();
}

}  // namespace maxmargin
