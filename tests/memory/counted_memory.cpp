// SPDX-License-Identifier: Apache-2.0
//
// Takes the place of the C library's malloc and hands every call on to it, by the names that glibc
// has for that.
#include "counted_memory.hpp"

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): names of glibc
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);
}

namespace {

std::atomic<std::size_t> in_use = 0;
std::atomic<std::size_t> peak = 0;
std::atomic<std::size_t> largest = 0;

void raise(std::atomic<std::size_t>& most, std::size_t value) {
  std::size_t seen = most.load();
  while (seen < value && !most.compare_exchange_weak(seen, value)) {
  }
}

void* counted(void* block) {
  if (block == nullptr) return block;
  const std::size_t bytes = malloc_usable_size(block);
  raise(largest, bytes);
  raise(peak, in_use += bytes);
  return block;
}

void forget(void* block) {
  if (block != nullptr) in_use -= malloc_usable_size(block);
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) { return counted(__libc_malloc(bytes)); }
void* calloc(std::size_t count, std::size_t bytes) { return counted(__libc_calloc(count, bytes)); }
void* realloc(void* block, std::size_t bytes) {
  const std::size_t old = block != nullptr ? malloc_usable_size(block) : 0;
  void* const moved = __libc_realloc(block, bytes);
  if (moved != nullptr || bytes == 0) in_use -= old;
  return counted(moved);
}
void free(void* block) {
  forget(block);
  __libc_free(block);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  return counted(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  *block = memalign(alignment, bytes);
  return *block != nullptr ? 0 : ENOMEM;
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

namespace maxmargin::test {

std::size_t bytes_in_use() { return in_use; }
std::size_t peak_bytes() { return peak; }
std::size_t largest_block() { return largest; }
void forget_peak() {
  peak = in_use.load();
  largest = 0;
}

}  // namespace maxmargin::test
