// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace maxmargin {

inline constexpr std::size_t large_page = std::size_t{1} << 21;

/// Asks the system for large pages where it has them: fresh memory in small pages takes longer to
/// map than to fill, and rows far apart need more pages than the processor's tables hold at once.
/// Only advice: failure is no error.
inline void advise_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const auto begin = (address + large_page - 1) / large_page * large_page;
  const auto end = (address + bytes) / large_page * large_page;
  if (begin < end) {
    madvise(static_cast<char*>(memory) + (begin - address), end - begin, MADV_HUGEPAGE);
  }
#endif
}

}  // namespace maxmargin
