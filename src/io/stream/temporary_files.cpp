// SPDX-License-Identifier: Apache-2.0
#include "io/stream/temporary_files.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "maxmargin/io/stream/output.hpp"

namespace maxmargin {

namespace {

/// A place for one name. Only who moves `state` away from `free` or `noted` may touch the name.
struct Slot {
  enum State : int { free, busy, noted };
  static constexpr std::size_t longest = 4096;

  std::atomic<int> state = free;
  std::array<char, longest> path = {};
};
static_assert(std::atomic<int>::is_always_lock_free);  // or a signal handler may not use it

/// More files than one run has open for writing. Static: a signal handler may not allocate.
std::array<Slot, 64> slots;

bool move(Slot& slot, int from, int to) noexcept {
  return slot.state.compare_exchange_strong(from, to);
}

}  // namespace

detail::NotedTemporary::NotedTemporary(const char* path) noexcept {
  const std::size_t bytes = std::strlen(path) + 1;
  for (std::size_t s = 0; s < slots.size() && bytes <= Slot::longest; ++s) {
    if (!move(slots[s], Slot::free, Slot::busy)) continue;
    std::memcpy(slots[s].path.data(), path, bytes);
    slots[s].state.store(Slot::noted);
    slot_ = s;
    return;
  }
}

detail::NotedTemporary::~NotedTemporary() {
  // A busy slot is in the hands of remove_temporary_files, which frees it.
  if (slot_) move(slots[*slot_], Slot::noted, Slot::free);
}

void remove_temporary_files() noexcept {
  const int error_number = errno;
  for (Slot& slot : slots) {
    if (!move(slot, Slot::noted, Slot::busy)) continue;
    ::unlink(slot.path.data());
    slot.state.store(Slot::free);
  }
  errno = error_number;
}

}  // namespace maxmargin
