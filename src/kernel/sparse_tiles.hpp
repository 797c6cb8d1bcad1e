// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "kernel/pairing.hpp"
#include "kernel/tiles.hpp"

namespace maxmargin {

/// Tiles of a kernel that is a function of a sum over columns, on sparse data, all in double. Up to
/// 32 requested rows are spread into a dense block over the columns they use; every example of the
/// column side then walks its own entries once for all of them.
template <class T>
class SparseTiles final : public Tiles<T> {
 public:
  SparseTiles(const Kernel& kernel, const SparseMatrix& rows, const SparseMatrix& cols);
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
  void fill_block(std::span<const std::size_t> rows,
                  std::size_t col_begin,
                  TileRows<T> out,
                  Scratch& scratch) const;

  Kernel kernel_;
  Pairing pairing_;
  const SparseMatrix& rows_;
  const SparseMatrix& cols_;
  /// Of every column example: the sum of its pairing with 0.
  std::vector<double> col_bases_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> idle_;
};

extern template class SparseTiles<float>;
extern template class SparseTiles<double>;

}  // namespace maxmargin
