// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin {

struct KernelRowsOptions {
  /// Bound on the bytes of cached rows. Less means more recomputation, never other values.
  std::size_t cache_bytes = std::size_t{256} << 20;
  /// Threads: threads that compute missing rows.
  Context context = {};
};

/// One row of the Gram matrix in T, float or double. A handle: it stays valid after the cache has
/// dropped the row and after the rows' owner is gone.
template <class T>
class BasicKernelRow {
 public:
  BasicKernelRow() = default;
  BasicKernelRow(std::shared_ptr<const T[]> values, std::size_t size)
      : values_(std::move(values)), size_(size) {}
  [[nodiscard]] std::span<const T> values() const noexcept { return {values_.get(), size_}; }
  [[nodiscard]] T operator[](std::size_t j) const noexcept { return values_.get()[j]; }

 private:
  std::shared_ptr<const T[]> values_ = nullptr;
  std::size_t size_ = 0;
};

/// How the cache did so far.
struct RowCacheCounters {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;     ///< rows that were computed
  std::uint64_t evictions = 0;  ///< rows dropped to make room
  std::size_t bytes = 0;        ///< held now; never above cache_bytes
};

/// Rows of a kernel on a fixed training set, computed and kept in T, float or double, behind a
/// bounded cache that drops the row used least recently (docs/algorithms/kernel-rows.md). All
/// members may be called from several threads at once. The values of a row do not depend on the
/// cache, on the threads or on which rows are asked for together, so solvers that share one object
/// stay deterministic; and entry j of row i is entry i of row j, bit for bit (unless a precomputed
/// matrix is not symmetric).
template <class T>
class MAXMARGIN_EXPORT BasicKernelRows {
 public:
  /// Checks kernel and domain as gram() does. `examples` must outlive the object.
  BasicKernelRows(Kernel kernel, const Examples& examples, const KernelRowsOptions& options = {});
  ~BasicKernelRows();
  BasicKernelRows(const BasicKernelRows&) = delete;
  BasicKernelRows& operator=(const BasicKernelRows&) = delete;

  /// Number of rows and of entries in each.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] const Kernel& kernel() const noexcept;
  /// K(x_i, x_i) in double. Entry i of row i is this value rounded to T.
  [[nodiscard]] std::span<const double> diagonal() const noexcept;

  /// Row i. Throws InvalidArgument when there is none.
  [[nodiscard]] BasicKernelRow<T> row(std::size_t i);
  /// Several rows in the order asked for; repetitions allowed. What is missing is computed
  /// together, which is much faster than one row at a time.
  [[nodiscard]] std::vector<BasicKernelRow<T>> rows(std::span<const std::size_t> indices);

  [[nodiscard]] RowCacheCounters counters() const;
  /// Forgets all cached rows; counters stay.
  void clear();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class BasicKernelRows<float>;
extern template class BasicKernelRows<double>;

/// Half the memory and more than twice the speed of double; errors of 1e-6 (see the page).
using KernelRow = BasicKernelRow<float>;
using KernelRows = BasicKernelRows<float>;
using DoubleKernelRow = BasicKernelRow<double>;
using DoubleKernelRows = BasicKernelRows<double>;

}  // namespace maxmargin
