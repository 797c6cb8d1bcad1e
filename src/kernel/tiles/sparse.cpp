// SPDX-License-Identifier: Apache-2.0
#include "kernel/tiles/sparse.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/tiles/block_sums.hpp"
#include "kernel/tiles/finish.hpp"
#include "kernel/tiles/own_sums.hpp"

namespace maxmargin {

namespace {

/// Columns summed, transposed and finished together: their sums stay in the innermost cache.
constexpr std::size_t strip = 128;

/// So many columns are no burden, used or not.
constexpr std::size_t few_columns = 1 << 20;

/// Whether sums of this pairing are put together from own parts, which may cancel.
bool has_own_parts(Pairing pairing) {
  return pairing != Pairing::dot && pairing != Pairing::minimum;
}

/// The sum of a row's pairing with 0, of its values as T holds them.
template <class T>
T own_part(Pairing pairing, std::span<const double> values) {
  double sum = 0;
  for (const double value : values) {
    const auto held = static_cast<double>(static_cast<T>(value));
    sum += pairing == Pairing::squared_distance ? held * held : std::abs(held);
  }
  return static_cast<T>(sum);
}

}  // namespace

template <class T>
struct SparseTiles<T>::Scratch {
  std::vector<std::int32_t> lines;  ///< of each column: its line in `block`, or 0
  std::vector<std::int32_t> used;   ///< columns that have a line
  Buffer<T> block;
  std::array<T, block_width> owns;
  std::array<T, strip * block_width> sums;
};

template <class T>
SparseTiles<T>::SparseTiles(const Kernel& kernel, const SparseView& rows, const SparseView& cols)
    : kernel_(kernel),
      pairing_(pairing_of(kernel)),
      rows_(rows),
      cols_(cols),
      columns_(std::max(rows.cols, cols.cols)) {
  drop_unused_columns();
  const std::span<const double> values = cols.values;
  if constexpr (std::is_same_v<T, double>) {
    col_values_ = values.data();
  } else {
    converted_ = Buffer<T>(values.size());
    std::ranges::transform(
        values, converted_.begin(), [](double value) { return static_cast<T>(value); });
    col_values_ = converted_.data();
  }
  if (!has_own_parts(pairing_)) return;
  col_owns_.reserve(cols.rows());
  for (std::size_t j = 0; j < cols.rows(); ++j) {
    col_owns_.push_back(own_part<T>(pairing_, cols.row(j).values));
  }
}

template <class T>
SparseTiles<T>::~SparseTiles() = default;

template <class T>
void SparseTiles<T>::drop_unused_columns() {
  // Scratch has a number for every column: where most columns are empty, that would be most of the
  // memory of all.
  const bool same = rows_.columns.data() == cols_.columns.data();
  const std::size_t entries = cols_.columns.size() + (same ? 0 : rows_.columns.size());
  if (columns_ <= few_columns || columns_ / 4 <= entries) return;
  std::vector<std::int32_t> used(cols_.columns.begin(), cols_.columns.end());
  if (!same) used.insert(used.end(), rows_.columns.begin(), rows_.columns.end());
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const auto renumbered = [&](std::span<const std::int32_t> columns) {
    std::vector<std::int32_t> numbers;
    numbers.reserve(columns.size());
    for (const std::int32_t column : columns) {
      const auto place = std::ranges::lower_bound(used, column) - used.begin();
      numbers.push_back(static_cast<std::int32_t>(place));
    }
    return numbers;
  };
  col_columns_ = renumbered(cols_.columns);
  if (!same) row_columns_ = renumbered(rows_.columns);
  cols_.columns = col_columns_;
  rows_.columns = same ? cols_.columns : std::span<const std::int32_t>(row_columns_);
  columns_ = rows_.cols = cols_.cols = used.size();
}

template <class T>
std::unique_ptr<typename SparseTiles<T>::Scratch> SparseTiles<T>::borrow() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Scratch> scratch = std::move(idle_.back());
      idle_.pop_back();
      return scratch;
    }
  }
  auto scratch = std::make_unique<Scratch>();
  scratch->lines.assign(columns_, 0);
  return scratch;
}

template <class T>
void SparseTiles<T>::give_back(std::unique_ptr<Scratch> scratch) const {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(scratch));
}

template <class T>
void SparseTiles<T>::fill(std::span<const std::size_t> rows,
                          std::size_t col_begin,
                          TileRows<T> out) const {
  std::unique_ptr<Scratch> scratch = borrow();
  for (std::size_t begin = 0; begin < rows.size(); begin += block_width) {
    const std::size_t end = std::min(begin + block_width, rows.size());
    fill_block(rows.subspan(begin, end - begin), col_begin, out.middle_rows(begin, end), *scratch);
  }
  give_back(std::move(scratch));
}

template <class T>
void SparseTiles<T>::spread(std::span<const std::size_t> rows, Scratch& scratch) const {
  scratch.used.clear();
  scratch.block.resize(block_width);
  std::ranges::fill(scratch.block, T{0});
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const SparseRow row = rows_.row(rows[c]);
    scratch.owns[c] = own_part<T>(pairing_, row.values);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      std::int32_t& line = scratch.lines[static_cast<std::size_t>(row.columns[k])];
      if (line == 0) {
        scratch.used.push_back(row.columns[k]);
        line = static_cast<std::int32_t>(scratch.used.size());
        const std::size_t size = scratch.block.size();
        scratch.block.resize(size + block_width);
        std::fill_n(scratch.block.data() + size, block_width, T{0});
      }
      scratch.block[static_cast<std::size_t>(line) * block_width + c] =
          static_cast<T>(row.values[k]);
    }
  }
}

template <class T>
void SparseTiles<T>::fill_block(std::span<const std::size_t> rows,
                                std::size_t col_begin,
                                TileRows<T> out,
                                Scratch& scratch) const {
  spread(rows, scratch);
  for (std::size_t begin = 0; begin < out.cols(); begin += strip) {
    const std::size_t count = std::min(strip, out.cols() - begin);
    const std::size_t first = col_begin + begin;
    block_sums(BlockWork<T>{pairing_,
                            cols_.offsets.data() + first,
                            cols_.columns.data(),
                            col_values_,
                            count,
                            scratch.lines.data(),
                            scratch.block.data(),
                            scratch.sums.data()});
    store_transposed(scratch.sums.data(), begin, count, out);
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const std::span<T> sums = out.row(c).subspan(begin, count);
      if (has_own_parts(pairing_)) add_own(rows[c], scratch.owns[c], first, sums);
      finish(kernel_, sums);
    }
  }
  for (const std::int32_t column : scratch.used) {
    scratch.lines[static_cast<std::size_t>(column)] = 0;
  }
}

template <class T>
void SparseTiles<T>::add_own(std::size_t row,
                             T own,
                             std::size_t col_begin,
                             std::span<T> sums) const {
  const T* owns = col_owns_.data() + col_begin;
  const T factor = pairing_ == Pairing::squared_distance ? T{-2} : T{1};
  if (!add_own_parts(own, owns, factor, sums.data(), sums.size())) return;
  const Row x(rows_.row(row));
  for (std::size_t j = 0; j < sums.size(); ++j) {
    if (sums[j] >= closeness<T> * (own + owns[j])) continue;
    sums[j] = static_cast<T>(exact_pair_sum(pairing_, x, Row(cols_.row(col_begin + j))));
  }
}

template class SparseTiles<float>;
template class SparseTiles<double>;

}  // namespace maxmargin
