// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "kernel/tiles/pairing.hpp"
#include "kernel/tiles/tiles.hpp"

namespace maxmargin {

/// Tiles of a kernel that is a function of a sum over columns, on sparse data, in T. Up to 32
/// requested rows are spread into a dense block over the columns they use; every example of the
/// column side then walks its own entries once for all of them.
template <class T>
class SparseTiles final : public Tiles<T> {
 public:
  SparseTiles(const Kernel& kernel, const SparseView& rows, const SparseView& cols);
  ~SparseTiles() override;

  void fill(std::span<const std::size_t> rows,
            std::size_t col_begin,
            TileRows<T> out) const override;

 private:
  struct Scratch;
  /// Scratch space for one caller: an idle one or a new one. Given back only after success, when
  /// it is clean again.
  [[nodiscard]] std::unique_ptr<Scratch> borrow() const;
  void give_back(std::unique_ptr<Scratch> scratch) const;
  void spread(std::span<const std::size_t> rows, Scratch& scratch) const;
  /// Gives the columns that occur numbers of their own, in their order.
  void drop_unused_columns();
  void fill_block(std::span<const std::size_t> rows,
                  std::size_t col_begin,
                  TileRows<T> out,
                  Scratch& scratch) const;
  /// Adds the examples' own parts to sums of what they share.
  void add_own(std::size_t row, T own, std::size_t col_begin, std::span<T> sums) const;

  Kernel kernel_;
  Pairing pairing_;
  SparseView rows_;
  SparseView cols_;
  std::size_t columns_;
  /// The numbers of drop_unused_columns.
  std::vector<std::int32_t> row_columns_;
  std::vector<std::int32_t> col_columns_;
  Buffer<T> converted_;  ///< the column side's values, where T is not their own type
  const T* col_values_;  ///< the same or the original
  Buffer<T> col_owns_;   ///< of every column example: the sum of its pairing with 0
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> idle_;
};

extern template class SparseTiles<float>;
extern template class SparseTiles<double>;

}  // namespace maxmargin
