// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/process_memory.hpp"

namespace maxmargin {

namespace {

/// In GB with a digit behind the point, or in bytes when that would be 0.
std::string size_text(double bytes) {
  const double tenths = std::floor(bytes / 1e8);
  return tenths > 0 ? format_number(tenths / 10) + " GB" : format_number(bytes) + " bytes";
}

constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();
/// What bound_process_memory was told.
std::atomic<std::size_t> process_bound = unbounded;

/// Of the machine, whatever the process may take.
std::size_t physical_memory() noexcept {
  // Asked once: the system takes longer than a small argmax, which asks as well.
  static const std::size_t bytes = [] {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page_bytes = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_bytes <= 0) return unbounded;
    return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes);
  }();
  return bytes;
}

/// What the process has now of the kind of memory that RLIMIT_DATA counts.
std::size_t data_bytes_now() {
  std::ifstream status("/proc/self/statm");
  std::size_t pages = 0;
  for (int field = 0; field < 6; ++field) status >> pages;
  return status ? pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

[[noreturn]] void refuse(double bytes, const std::string& what) {
  const std::size_t bound = process_bound;
  const std::string limit =
      bound < physical_memory()
          ? "memory limit of " + std::to_string(bound >> 20) + " MiB"
          : size_text(static_cast<double>(physical_memory())) + " of memory of this machine";
  throw InvalidArgument(what + " needs " + size_text(bytes) + ", more than the " + limit);
}

/// What every process has beside its work: code, tables, a few buffers.
constexpr std::size_t process_share = std::size_t{16} << 20;
/// What a thread reserves and hardly uses: its stack, and the buffer of BLAS.
constexpr std::size_t thread_share = std::size_t{144} << 20;

}  // namespace

std::size_t machine_memory() noexcept {
  const std::size_t bound = process_bound;
  // Small buffers are there whatever the bound.
  return bound > physical_memory() - process_share ? physical_memory() : bound + process_share;
}

void bound_process_memory(std::size_t bytes) {
  process_bound = bytes;
  if (bytes >= physical_memory()) return;
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t allowed = data_bytes_now() + bytes + process_share + threads * thread_share;
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, allowed);
  ::setrlimit(RLIMIT_DATA, &limit);
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
