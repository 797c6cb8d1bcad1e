// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin {

struct MAXMARGIN_EXPORT KernelRowsOptions {
  /// Bound on the bytes of cached rows. Less means more recomputation, never other values.
  std::size_t cache_bytes = std::size_t{256} << 20;
  /// Threads that compute missing rows; all cores when unset.
  std::optional<std::size_t> threads = std::nullopt;
  void validate() const;
};

/// One row of the Gram matrix in float. A handle: it stays valid after the cache has dropped the
/// row and after the KernelRows is gone.
class MAXMARGIN_EXPORT KernelRow {
 public:
  KernelRow() = default;
  explicit KernelRow(std::shared_ptr<const std::vector<float>> values)
      : values_(std::move(values)) {}
  [[nodiscard]] std::span<const float> values() const noexcept {
    return values_ ? std::span<const float>(*values_) : std::span<const float>();
  }
  [[nodiscard]] float operator[](std::size_t j) const noexcept { return (*values_)[j]; }

 private:
  std::shared_ptr<const std::vector<float>> values_ = nullptr;
};

/// How the cache did so far.
struct RowCacheCounters {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;     ///< rows that were computed
  std::uint64_t evictions = 0;  ///< rows dropped to make room
  std::size_t bytes = 0;        ///< held now; never above cache_bytes
};

/// Rows of a kernel on a fixed training set, behind a bounded cache that drops the row used least
/// recently (docs/algorithms/kernel-rows.md). All members may be called from several threads at
/// once. The values of a row do not depend on the cache, on the threads or on which rows are asked
/// for together, so solvers that share one object stay deterministic.
class MAXMARGIN_EXPORT KernelRows {
 public:
  /// Checks kernel and domain as gram() does. `examples` must outlive the object.
  KernelRows(Kernel kernel, const Examples& examples, const KernelRowsOptions& options = {});
  ~KernelRows();
  KernelRows(const KernelRows&) = delete;
  KernelRows& operator=(const KernelRows&) = delete;

  /// Number of rows and of entries in each.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] const Kernel& kernel() const noexcept;
  /// K(x_i, x_i) in double. Entry i of row i is this value rounded to float.
  [[nodiscard]] std::span<const double> diagonal() const noexcept;

  /// Row i. Throws InvalidArgument when there is none.
  [[nodiscard]] KernelRow row(std::size_t i);
  /// Several rows in the order asked for; repetitions allowed. What is missing is computed
  /// together, which is much faster than one row at a time.
  [[nodiscard]] std::vector<KernelRow> rows(std::span<const std::size_t> indices);

  [[nodiscard]] RowCacheCounters counters() const;
  /// Forgets all cached rows; counters stay.
  void clear();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace maxmargin
