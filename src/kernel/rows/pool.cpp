// SPDX-License-Identifier: Apache-2.0
#include "kernel/rows/pool.hpp"

#include <algorithm>
#include <new>

#include "kernel/rows/large_pages.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t cache_line = 64;
/// Bytes allocated together: enough for the large pages to be filled.
constexpr std::size_t slab_bytes = 8 * large_page;

/// Bytes between rows: an odd number of cache lines, so that equal columns of many rows do not
/// compete for the same few places of a cache.
std::size_t row_distance(std::size_t bytes) {
  return (checked_add(bytes, cache_line - 1) / cache_line | 1) * cache_line;
}

std::size_t round_up(std::size_t value, std::size_t step) {
  return checked_add(value, step - 1) / step * step;
}

}  // namespace

template <class T>
RowPool<T>::RowPool(std::size_t row_size)
    : stride_(row_distance(checked_multiply(row_size, sizeof(T))) / sizeof(T)),
      // No more than all rows there are.
      slab_rows_(std::clamp<std::size_t>(
          slab_bytes / (stride_ * sizeof(T)), 1, std::max<std::size_t>(row_size, 1))) {}

template <class T>
std::unique_ptr<typename RowPool<T>::Slab> RowPool<T>::new_slab() const {
  const std::size_t bytes = checked_multiply(checked_multiply(slab_rows_, stride_), sizeof(T));
  const std::size_t alignment = bytes < large_page ? cache_line : large_page;
  const std::size_t size = round_up(bytes, alignment);
  auto slab = std::make_unique<Slab>();
  slab->memory.reset(static_cast<T*>(std::aligned_alloc(alignment, size)));
  if (slab->memory == nullptr) throw std::bad_alloc();
  advise_large_pages(slab->memory.get(), size);
  // The first row last: it is taken first.
  slab->spare.reserve(slab_rows_);
  for (std::size_t k = slab_rows_; k-- > 0;)
    slab->spare.push_back(slab->memory.get() + k * stride_);
  return slab;
}

template <class T>
std::shared_ptr<T[]> RowPool<T>::take() {
  const std::lock_guard lock(mutex_);
  auto place = std::ranges::find_if(slabs_, [](const auto& slab) { return !slab->spare.empty(); });
  if (place == slabs_.end()) {
    slabs_.push_back(new_slab());
    place = slabs_.end() - 1;
  }
  Slab* slab = place->get();
  T* row = slab->spare.back();
  // If making the handle throws, the deleter has run: the row must be out before.
  slab->spare.pop_back();
  return {row, [pool = this->shared_from_this(), slab](T* used) { pool->put_back(slab, used); }};
}

template <class T>
void RowPool<T>::put_back(Slab* slab, T* row) noexcept {
  const std::lock_guard lock(mutex_);
  slab->spare.push_back(row);
  if (retired_ && slab->spare.size() == slab_rows_) {
    std::erase_if(slabs_, [slab](const auto& other) { return other.get() == slab; });
  }
}

template <class T>
void RowPool<T>::trim() {
  const std::lock_guard lock(mutex_);
  std::erase_if(slabs_, [&](const auto& slab) { return slab->spare.size() == slab_rows_; });
}

template <class T>
void RowPool<T>::retire() {
  {
    const std::lock_guard lock(mutex_);
    retired_ = true;
  }
  trim();
}

template class RowPool<float>;
template class RowPool<double>;

}  // namespace maxmargin
