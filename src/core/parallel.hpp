// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

/// Parallel loops whose results do not depend on the number of threads: the range is cut into
/// chunks whose borders depend on n and the chunk length alone, and reductions add the chunks'
/// results in chunk order.
namespace maxmargin {

/// `wanted`, or all cores when unset. Throws InvalidArgument for 0.
[[nodiscard]] std::size_t thread_count(std::optional<std::size_t> wanted);

/// body(chunk_index, begin, end) is called once for every chunk [begin, end) of [0, n).
using ChunkBody = std::function<void(std::size_t, std::size_t, std::size_t)>;

/// Runs `body` over all chunks on up to `threads` threads and waits for them. Every chunk runs
/// even if another throws; then the exception of the lowest chunk is rethrown. Inside a loop that
/// runs on several threads the call runs on the calling thread alone: parallelism is at the
/// outermost level that has any.
/// Requires threads > 0 and chunk > 0.
void parallel_chunks(std::size_t threads, std::size_t n, std::size_t chunk, const ChunkBody& body);

/// Number of chunks parallel_chunks makes; 0 for chunk = 0, which it refuses.
[[nodiscard]] constexpr std::size_t chunk_count(std::size_t n, std::size_t chunk) noexcept {
  if (chunk == 0) return 0;
  return n / chunk + (n % chunk != 0 ? 1 : 0);
}

/// Sum over chunks of body(chunk_index, begin, end), added in chunk order.
template <class Value, class Body>
[[nodiscard]] Value parallel_sum(
    std::size_t threads, std::size_t n, std::size_t chunk, Value start, const Body& body) {
  std::vector<Value> parts(chunk_count(n, chunk));
  parallel_chunks(threads, n, chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
    parts[c] = body(c, begin, end);
  });
  for (const Value& part : parts) start += part;
  return start;
}

}  // namespace maxmargin
