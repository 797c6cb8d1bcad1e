// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "maxmargin/kernel/rows/rows.hpp"

namespace maxmargin {

/// A bounded map from row numbers to rows that drops the one used least recently. Thread-safe.
template <class T>
class RowCache {
 public:
  /// Holds as many rows of `row_bytes` as fit in `limit_bytes`, perhaps none.
  RowCache(std::size_t row_bytes, std::size_t limit_bytes)
      : row_bytes_(row_bytes), capacity_(row_bytes == 0 ? 0 : limit_bytes / row_bytes) {}

  /// The row if it is here, counted as a hit; else counted as a miss.
  [[nodiscard]] std::optional<BasicKernelRow<T>> find(std::size_t index);
  /// Keeps the row, unless another thread was first: then returns that one. The values are equal;
  /// sharing one copy saves memory.
  [[nodiscard]] BasicKernelRow<T> insert(std::size_t index, BasicKernelRow<T> row);

  [[nodiscard]] RowCacheCounters counters() const;
  void clear();

 private:
  using Entry = std::pair<std::size_t, BasicKernelRow<T>>;
  std::size_t row_bytes_;
  std::size_t capacity_;
  mutable std::mutex mutex_;
  std::list<Entry> by_use_;  ///< the most recent first
  std::unordered_map<std::size_t, typename std::list<Entry>::iterator> place_;
  RowCacheCounters counters_;
};

extern template class RowCache<float>;
extern template class RowCache<double>;

}  // namespace maxmargin
