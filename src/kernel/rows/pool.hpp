// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace maxmargin {

/// Memory for rows of one length. A row that nobody holds any more is used again for the next one,
/// so a full cache computes into memory that is mapped already. What the pool holds never exceeds
/// what was in use at one time by more than a slab. Thread-safe; owned by a shared_ptr, as the rows
/// it hands out own it in turn.
template <class T>
class RowPool : public std::enable_shared_from_this<RowPool<T>> {
 public:
  explicit RowPool(std::size_t row_size);

  /// An uninitialised row.
  [[nodiscard]] std::shared_ptr<T[]> take();
  /// Gives memory back that no row uses now.
  void trim();
  /// trim(), and from now on gives memory back as soon as no row uses it.
  void retire();

 private:
  struct Free {
    void operator()(T* memory) const noexcept { std::free(memory); }
  };
  /// Rows allocated together.
  struct Slab {
    std::unique_ptr<T, Free> memory;
    std::vector<T*> spare;
  };
  [[nodiscard]] std::unique_ptr<Slab> new_slab() const;
  void put_back(Slab* slab, T* row) noexcept;

  std::size_t stride_;  ///< distance between rows
  std::size_t slab_rows_;
  std::mutex mutex_;
  bool retired_ = false;
  std::vector<std::unique_ptr<Slab>> slabs_;
};

extern template class RowPool<float>;
extern template class RowPool<double>;

}  // namespace maxmargin
