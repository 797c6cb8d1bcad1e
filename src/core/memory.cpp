// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/memory.hpp"

#include <unistd.h>

#include <cmath>
#include <limits>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin {

namespace {

/// In GB with a digit behind the point, or in bytes when that would be 0.
std::string size_text(double bytes) {
  const double tenths = std::floor(bytes / 1e8);
  return tenths > 0 ? format_number(tenths / 10) + " GB" : format_number(bytes) + " bytes";
}

[[noreturn]] void refuse(double bytes, const std::string& what) {
  throw InvalidArgument(what + " needs " + size_text(bytes) + ", more than the " +
                        size_text(static_cast<double>(machine_memory())) +
                        " of memory of this machine");
}

}  // namespace

std::size_t machine_memory() noexcept {
  // Asked once: the system takes longer than a small argmax, which asks as well.
  static const std::size_t bytes = [] {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page_bytes = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_bytes <= 0) return std::numeric_limits<std::size_t>::max();
    return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes);
  }();
  return bytes;
}

void require_memory(std::size_t bytes, std::string_view what) {
  if (bytes > machine_memory()) refuse(static_cast<double>(bytes), std::string(what));
}

void require_memory_for_numbers(std::size_t rows, std::size_t cols, std::string_view what) {
  std::size_t bytes = 0;
  const bool fits = !__builtin_mul_overflow(rows, cols, &bytes) &&
                    !__builtin_mul_overflow(bytes, sizeof(double), &bytes);
  if (fits && bytes <= machine_memory()) return;
  refuse(static_cast<double>(rows) * static_cast<double>(cols) * sizeof(double),
         std::string(what) + " of " + std::to_string(rows) + " x " + std::to_string(cols) +
             " numbers");
}

}  // namespace maxmargin
