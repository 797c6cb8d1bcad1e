// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/kernel-rows.md
#include "maxmargin/kernel/rows/rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "kernel/rows/large_pages.hpp"
#include "kernel/tiles/tiles.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace maxmargin {

namespace {

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

/// Rows computed together.
constexpr std::size_t row_chunk = 128;
/// Columns given to a thread at once: many, as it prepares the rows every time, but enough pieces
/// for all threads. Entries do not depend on it.
constexpr std::size_t fewest_columns = 1024;
constexpr std::size_t most_columns = 8192;

std::size_t column_chunk(std::size_t n, std::size_t threads) {
  const std::size_t share = threads == 1 ? n : chunk_count(n, 4 * threads);
  const std::size_t columns = std::clamp(share, fewest_columns, most_columns);
  return chunk_count(columns, tile_alignment) * tile_alignment;
}

/// Below this many multiplications starting threads takes longer than the work.
constexpr double worth_threads = 4e6;

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

}  // namespace

template <class T>
struct BasicKernelRows<T>::Impl {
  Impl(Kernel kernel_, const Examples& examples, const KernelRowsOptions& options)
      : kernel(std::move(kernel_)),
        n(examples.rows()),
        threads(thread_count(options.context.threads)),
        entries_per_row(n == 0 ? 0.0
                               : static_cast<double>(examples.entries()) / static_cast<double>(n)),
        tiles(make_checked_tiles<T>(kernel, examples, examples, TileUse::rows)),
        diagonal(kernel_diagonal(kernel, examples, {.context = options.context})),
        pool(std::make_shared<RowPool<T>>(n)),
        cache(checked_multiply(n, sizeof(T)), options.cache_bytes) {}
  ~Impl() { pool->retire(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// kernel-rows.md step 3. Requires distinct indices, at most row_chunk of them.
  [[nodiscard]] std::vector<BasicKernelRow<T>> compute(std::span<const std::size_t> indices) const {
    std::vector<std::shared_ptr<T[]>> rows;
    std::vector<T*> places;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      rows.push_back(pool->take());
      places.push_back(rows.back().get());
    }
    const double work =
        static_cast<double>(indices.size()) * static_cast<double>(n) * entries_per_row;
    const std::size_t workers = work < worth_threads ? 1 : threads;
    parallel_chunks(
        workers, n, column_chunk(n, workers), [&](std::size_t, std::size_t begin, std::size_t end) {
          tiles->fill(indices, begin, TileRows<T>(places, begin, end - begin));
        });
    std::vector<BasicKernelRow<T>> result;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      places[k][indices[k]] = static_cast<T>(diagonal[indices[k]]);
      result.emplace_back(std::move(rows[k]), n);
    }
    return result;
  }

  Kernel kernel;
  std::size_t n;
  std::size_t threads;
  double entries_per_row;
  std::unique_ptr<Tiles<T>> tiles;
  std::vector<double> diagonal;
  std::shared_ptr<RowPool<T>> pool;
  RowCache<T> cache;
};

template <class T>
BasicKernelRows<T>::BasicKernelRows(Kernel kernel,
                                    const Examples& examples,
                                    const KernelRowsOptions& options)
    : impl_(std::make_unique<Impl>(std::move(kernel), examples, options)) {}

template <class T>
BasicKernelRows<T>::~BasicKernelRows() = default;

template <class T>
std::size_t BasicKernelRows<T>::size() const noexcept {
  return impl_->n;
}

template <class T>
const Kernel& BasicKernelRows<T>::kernel() const noexcept {
  return impl_->kernel;
}

template <class T>
std::span<const double> BasicKernelRows<T>::diagonal() const noexcept {
  return impl_->diagonal;
}

template <class T>
BasicKernelRow<T> BasicKernelRows<T>::row(std::size_t i) {
  return rows({&i, 1}).front();
}

template <class T>
std::vector<BasicKernelRow<T>> BasicKernelRows<T>::rows(std::span<const std::size_t> indices) {
  for (const std::size_t i : indices) {
    if (i >= size()) {
      throw InvalidArgument("row " + std::to_string(i) + " of " + std::to_string(size()) +
                            " is asked for");
    }
  }
  // Steps 1 and 2: what the cache has, and the distinct rest in order of first mention.
  std::vector<BasicKernelRow<T>> result(indices.size());
  std::map<std::size_t, std::vector<std::size_t>> missing;
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (const auto known = missing.find(indices[k]); known != missing.end()) {
      known->second.push_back(k);
    } else if (auto cached = impl_->cache.find(indices[k])) {
      result[k] = std::move(*cached);
    } else {
      missing[indices[k]] = {k};
      order.push_back(indices[k]);
    }
  }
  for (std::size_t begin = 0; begin < order.size(); begin += row_chunk) {
    const std::size_t end = std::min(begin + row_chunk, order.size());
    const std::span<const std::size_t> group(order.data() + begin, end - begin);
    std::vector<BasicKernelRow<T>> computed = impl_->compute(group);
    for (std::size_t k = 0; k < group.size(); ++k) {
      const BasicKernelRow<T> shared = impl_->cache.insert(group[k], std::move(computed[k]));
      for (const std::size_t position : missing[group[k]]) result[position] = shared;
    }
  }
  return result;
}

template <class T>
RowCacheCounters BasicKernelRows<T>::counters() const {
  return impl_->cache.counters();
}

template <class T>
void BasicKernelRows<T>::clear() {
  impl_->cache.clear();
  impl_->pool->trim();
}

template class BasicKernelRows<float>;
template class BasicKernelRows<double>;

}  // namespace maxmargin
