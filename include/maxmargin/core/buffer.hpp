// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

/// A growing array of plain values for large data. Unlike std::vector it leaves new elements
/// uninitialised and grows with realloc, which for large blocks moves pages instead of copying
/// them: reading a file peaks at the size of the result, not at twice that.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

 public:
  Buffer() = default;
  /// `size` uninitialised elements.
  explicit Buffer(std::size_t size) { resize(size); }
  Buffer(std::size_t size, T value) : Buffer(size) { std::fill_n(data_, size, value); }
  explicit Buffer(std::span<const T> values) : Buffer(values.size()) {
    std::copy(values.begin(), values.end(), data_);
  }
  Buffer(const Buffer& other) : Buffer(other.span()) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] T* begin() noexcept { return data_; }
  [[nodiscard]] T* end() noexcept { return data_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data_; }
  [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
  [[nodiscard]] std::span<T> span() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }

  /// Sets the capacity to at least `capacity`; throws std::bad_alloc.
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  /// New elements are uninitialised; grows by half of the capacity at least.
  void resize(std::size_t size) {
    if (size > capacity_) reallocate(std::max(size, capacity_ + capacity_ / 2));
    size_ = size;
  }
  void push_back(T value) {
    resize(size_ + 1);
    data_[size_ - 1] = value;
  }
  /// `values` may be a part of this buffer.
  void append(std::span<const T> values) {
    const std::size_t old = size_;
    const bool own =
        std::less_equal<>()(data_, values.data()) && std::less<>()(values.data(), data_ + old);
    const std::size_t from = own ? static_cast<std::size_t>(values.data() - data_) : 0;
    resize(checked_add(old, values.size()));
    std::copy_n(own ? data_ + from : values.data(), values.size(), data_ + old);
  }
  void clear() noexcept { size_ = 0; }
  /// Gives unused capacity back.
  void shrink_to_fit() {
    if (size_ < capacity_ && size_ > 0) reallocate(size_);
  }

 private:
  void reallocate(std::size_t capacity) {
    void* moved = std::realloc(static_cast<void*>(data_), checked_multiply(capacity, sizeof(T)));
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace maxmargin
