// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// What the fuzz targets share. Every target reads bytes that may be anything; when they are good,
/// it writes what was read, reads that, and checks that it is the same.
namespace maxmargin {

/// A few compressed bytes can stand for gigabytes. Readers cope with what fits the memory; the
/// fuzzer's memory is small.
constexpr std::size_t decompressed_limit = std::size_t{1} << 20;

/// The bytes as a reader will see them, decompressed; empty when they are damaged or too many.
inline std::optional<std::string> plain_bytes(const std::string& bytes) {
  try {
    return Input::from_memory("fuzz", bytes).read_all(decompressed_limit);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Ends the process, as libFuzzer wants it, when a property does not hold.
inline void check(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "property violated: %s\n", property);
  std::abort();
}

/// What `read(input)` makes of the bytes; empty when it refuses them.
template <class Read>
auto read_from(const std::string& bytes, const Read& read)
    -> std::optional<decltype(read(std::declval<Input&>()))> {
  try {
    Input input = Input::from_memory("fuzz", bytes);
    return read(input);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The bytes that `write(output)` puts into a file. An exception is a finding.
template <class Write>
std::string written_by(const Write& write) {
  namespace fs = std::filesystem;
  static const std::string path = [] {
    const fs::path memory = "/dev/shm";
    const fs::path folder = fs::is_directory(memory) ? memory : fs::temp_directory_path();
    return (folder / ("maxmargin-fuzz-" + std::to_string(::getpid()))).string();
  }();
  // Removed at the end, so that a run leaves nothing behind.
  static const struct Cleanup {
    ~Cleanup() { std::remove(path.c_str()); }
  } cleanup;
  OutputFile output(path);
  write(output);
  output.commit();
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Equal bit for bit.
inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace maxmargin
