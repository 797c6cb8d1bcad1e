// SPDX-License-Identifier: Apache-2.0
#include "kernel/sparse_tiles.hpp"

#include <algorithm>
#include <array>

#include "kernel/finish.hpp"
#include "kernel/pair_sums.hpp"

namespace maxmargin {

namespace {

/// Sums below this share of the two examples' own sums are computed again without cancellation.
constexpr double closeness = 0x1p-20;

}  // namespace

template <class T>
struct SparseTiles<T>::Scratch {
  std::vector<std::int32_t> slots;  ///< of each column: its line in `block`, or -1
  std::vector<std::int32_t> used;   ///< columns that have a line
  std::vector<double> block;        ///< lines of block_width values
  std::vector<double> bases;
};

template <class T>
SparseTiles<T>::SparseTiles(const Kernel& kernel,
                            const SparseMatrix& rows,
                            const SparseMatrix& cols)
    : kernel_(kernel), pairing_(pairing_of(kernel)), rows_(rows), cols_(cols) {
  col_bases_.reserve(cols.rows());
  for (std::size_t j = 0; j < cols.rows(); ++j) {
    col_bases_.push_back(sum_against_zero(pairing_, Row(cols.row(j))));
  }
}

template <class T>
SparseTiles<T>::~SparseTiles() = default;

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
  scratch->slots.assign(rows_.cols(), -1);
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
  for (std::size_t i = 0; i < out.rows(); ++i) finish(kernel_, out.row(i));
}

template <class T>
void SparseTiles<T>::fill_block(std::span<const std::size_t> rows,
                                std::size_t col_begin,
                                TileRows<T> out,
                                Scratch& scratch) const {
  scratch.used.clear();
  scratch.block.clear();
  scratch.bases.clear();
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const Row row(rows_.row(rows[c]));
    scratch.bases.push_back(sum_against_zero(pairing_, row));
    row.for_each([&](std::size_t column, double value) {
      std::int32_t& slot = scratch.slots[column];
      if (slot < 0) {
        slot = static_cast<std::int32_t>(scratch.used.size());
        scratch.used.push_back(static_cast<std::int32_t>(column));
        scratch.block.resize(scratch.block.size() + block_width, 0.0);
      }
      scratch.block[static_cast<std::size_t>(slot) * block_width + c] = value;
    });
  }
  std::array<double, block_width> sums;
  for (std::size_t j = 0; j < out.cols(); ++j) {
    const SparseRow z = cols_.row(col_begin + j);
    block_sums({pairing_,
                z.columns.data(),
                z.values.data(),
                z.columns.size(),
                scratch.slots.data(),
                scratch.slots.size(),
                scratch.block.data(),
                sums.data()});
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const double own = scratch.bases[c] + col_bases_[col_begin + j];
      double sum = pairing_ == Pairing::squared_distance ? own - 2 * sums[c] : own + sums[c];
      const bool cancels = pairing_ != Pairing::dot && pairing_ != Pairing::minimum;
      if (cancels && !(sum >= closeness * own)) {
        sum = exact_pair_sum(pairing_, Row(rows_.row(rows[c])), Row(z));
      }
      out.row(c)[j] = static_cast<T>(sum);
    }
  }
  for (const std::int32_t column : scratch.used) {
    scratch.slots[static_cast<std::size_t>(column)] = -1;
  }
}

template class SparseTiles<float>;
template class SparseTiles<double>;

}  // namespace maxmargin
