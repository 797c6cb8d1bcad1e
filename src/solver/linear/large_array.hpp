// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

/// A zeroed array of doubles for random access, in large pages where the system has them: a vector
/// of weights of some megabytes, touched all over, spends a fifth of its time in page tables
/// otherwise.
class LargeArray {
 public:
  explicit LargeArray(std::size_t size) : size_(size) {
    constexpr std::size_t page = std::size_t{1} << 21U;
    const std::size_t bytes = checked_multiply(std::max<std::size_t>(size, 1), sizeof(double));
    const bool large = bytes >= page / 2;
    const std::size_t alignment = large ? page : alignof(std::max_align_t);
    const std::size_t whole = checked_multiply((bytes - 1) / alignment + 1, alignment);
    data_.reset(static_cast<double*>(std::aligned_alloc(alignment, whole)));
    if (!data_) throw std::bad_alloc();
#if defined(__linux__)
    if (large) (void)madvise(data_.get(), whole, MADV_HUGEPAGE);  // a wish; small pages do as well
#endif
    clear();
  }

  void clear() { std::fill_n(data_.get(), size_, 0.0); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] double* data() noexcept { return data_.get(); }
  [[nodiscard]] const double* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::span<double> span() noexcept { return {data_.get(), size_}; }
  [[nodiscard]] std::span<const double> span() const noexcept { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(double* memory) const noexcept { std::free(memory); }
  };
  std::size_t size_;
  std::unique_ptr<double, Free> data_;
};

}  // namespace maxmargin
