// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/kernel-rows.md
#include "maxmargin/kernel/rows.hpp"

#include <algorithm>
#include <map>

#include "kernel/row_cache.hpp"
#include "kernel/tiles.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/kernel/gram.hpp"

namespace maxmargin {

namespace {

/// Columns computed together.
constexpr std::size_t column_chunk = 1024;
/// Rows computed together: their block of column_chunk columns stays in the second-level cache.
constexpr std::size_t row_chunk = 128;
static_assert(column_chunk % tile_alignment == 0);

/// Below this many multiplications starting threads takes longer than the work.
constexpr double worth_threads = 4e6;

using Values = std::vector<float>;

}  // namespace

struct KernelRows::Impl {
  Impl(Kernel kernel_, const Examples& examples, const KernelRowsOptions& options)
      : kernel(std::move(kernel_)),
        n(examples.rows()),
        threads(thread_count(options.threads)),
        entries_per_row(n == 0 ? 0.0
                               : static_cast<double>(examples.entries()) / static_cast<double>(n)),
        tiles(make_checked_tiles<float>(kernel, examples, examples, TileUse::rows)),
        diagonal(kernel_diagonal(kernel, examples, {.threads = options.threads})),
        cache(checked_multiply(n, sizeof(float)), options.cache_bytes) {}

  /// kernel-rows.md step 3. Requires distinct indices, at most row_chunk of them.
  [[nodiscard]] std::vector<KernelRow> compute(std::span<const std::size_t> indices) const {
    std::vector<std::shared_ptr<Values>> rows;
    for (std::size_t k = 0; k < indices.size(); ++k) rows.push_back(std::make_shared<Values>(n));
    const double work =
        static_cast<double>(indices.size()) * static_cast<double>(n) * entries_per_row;
    parallel_chunks(work < worth_threads ? 1 : threads,
                    n,
                    column_chunk,
                    [&](std::size_t, std::size_t begin, std::size_t end) {
                      FloatMatrix block = FloatMatrix::uninitialized(indices.size(), end - begin);
                      tiles->fill(indices, begin, block.view());
                      for (std::size_t k = 0; k < indices.size(); ++k) {
                        std::ranges::copy(block.row(k), rows[k]->data() + begin);
                      }
                    });
    std::vector<KernelRow> result;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      (*rows[k])[indices[k]] = static_cast<float>(diagonal[indices[k]]);
      result.emplace_back(std::move(rows[k]));
    }
    return result;
  }

  Kernel kernel;
  std::size_t n;
  std::size_t threads;
  double entries_per_row;
  std::unique_ptr<Tiles<float>> tiles;
  std::vector<double> diagonal;
  RowCache cache;
};

void KernelRowsOptions::validate() const { static_cast<void>(thread_count(threads)); }

KernelRows::KernelRows(Kernel kernel, const Examples& examples, const KernelRowsOptions& options)
    : impl_(std::make_unique<Impl>(std::move(kernel), examples, options)) {}

KernelRows::~KernelRows() = default;

std::size_t KernelRows::size() const noexcept { return impl_->n; }

const Kernel& KernelRows::kernel() const noexcept { return impl_->kernel; }

std::span<const double> KernelRows::diagonal() const noexcept { return impl_->diagonal; }

KernelRow KernelRows::row(std::size_t i) { return rows({&i, 1}).front(); }

std::vector<KernelRow> KernelRows::rows(std::span<const std::size_t> indices) {
  for (const std::size_t i : indices) {
    if (i >= size()) {
      throw InvalidArgument("KernelRows: row " + std::to_string(i) + " of " +
                            std::to_string(size()) + " is asked for");
    }
  }
  // Steps 1 and 2: what the cache has, and the distinct rest in order of first mention.
  std::vector<KernelRow> result(indices.size());
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
    std::vector<KernelRow> computed = impl_->compute(group);
    for (std::size_t k = 0; k < group.size(); ++k) {
      const KernelRow shared = impl_->cache.insert(group[k], std::move(computed[k]));
      for (const std::size_t position : missing[group[k]]) result[position] = shared;
    }
  }
  return result;
}

RowCacheCounters KernelRows::counters() const { return impl_->cache.counters(); }

void KernelRows::clear() { impl_->cache.clear(); }

}  // namespace maxmargin
