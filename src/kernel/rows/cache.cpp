// SPDX-License-Identifier: Apache-2.0
#include "kernel/rows/cache.hpp"

namespace maxmargin {

template <class T>
std::optional<BasicKernelRow<T>> RowCache<T>::find(std::size_t index) {
  const std::lock_guard lock(mutex_);
  const auto found = place_.find(index);
  if (found == place_.end()) {
    ++counters_.misses;
    return std::nullopt;
  }
  ++counters_.hits;
  by_use_.splice(by_use_.begin(), by_use_, found->second);
  return found->second->second;
}

template <class T>
BasicKernelRow<T> RowCache<T>::insert(std::size_t index, BasicKernelRow<T> row) {
  const std::lock_guard lock(mutex_);
  if (capacity_ == 0) return row;
  if (const auto found = place_.find(index); found != place_.end()) return found->second->second;
  if (place_.size() == capacity_) {
    place_.erase(by_use_.back().first);
    by_use_.pop_back();
    ++counters_.evictions;
  }
  by_use_.emplace_front(index, row);
  place_.emplace(index, by_use_.begin());
  return row;
}

template <class T>
RowCacheCounters RowCache<T>::counters() const {
  const std::lock_guard lock(mutex_);
  RowCacheCounters result = counters_;
  result.bytes = place_.size() * row_bytes_;
  return result;
}

template <class T>
void RowCache<T>::clear() {
  const std::lock_guard lock(mutex_);
  place_.clear();
  by_use_.clear();
}

template class RowCache<float>;
template class RowCache<double>;

}  // namespace maxmargin
