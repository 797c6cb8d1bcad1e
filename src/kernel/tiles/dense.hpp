// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernel/tiles/pairing.hpp"
#include "kernel/tiles/tiles.hpp"

namespace maxmargin {

/// Tiles of a kernel that is a function of a sum over columns, on dense data (sparse data is
/// filled up with zeros). The column side is kept in T: row by row for gemm, or in panels.
template <class T>
class DenseTiles final : public Tiles<T> {
 public:
  DenseTiles(const Kernel& kernel, const Examples& rows, const Examples& cols, TileUse use);

  void fill(std::span<const std::size_t> rows,
            std::size_t col_begin,
            TileRows<T> out) const override;

 private:
  /// Example i shifted by the centre, in T; for sentropic, values and logarithms in turn.
  void pack(const Examples& examples, std::size_t i, T* packed) const;
  /// The examples `rows`, packed one after the other: in `buffer`, or where they are already.
  [[nodiscard]] const T* pack_all(std::span<const std::size_t> rows, Buffer<T>& buffer) const;
  [[nodiscard]] T squared_norm(const T* packed) const;
  void dot_products(const T* packed_rows, std::size_t col_begin, TileRows<T> out) const;
  /// Examples of the row side by number, and packed.
  struct RowSide {
    std::span<const std::size_t> rows;
    const T* packed;
  };
  void sums_by_panels(const RowSide& side, std::size_t col_begin, TileRows<T> out) const;
  /// From the sums to the kernel's values.
  void complete(const RowSide& side, std::size_t col_begin, TileRows<T> out) const;
  /// Makes squared distances of row i's sums, and computes those of close pairs again.
  void distances(const RowSide& side,
                 std::size_t i,
                 std::size_t col_begin,
                 std::span<T> sums) const;

  Kernel kernel_;
  Pairing pairing_;
  const Examples& rows_;
  const Examples& cols_;
  std::size_t dimension_;
  std::size_t features_;
  bool by_gemm_;
  bool by_differences_;  ///< squared distances come straight from the panels
  /// Subtracted from every example where only differences count, so that a common offset of the
  /// data costs no digits. Empty: nothing.
  std::vector<double> centre_;
  Buffer<T> packed_cols_;
  Buffer<T> col_norms_;
};

extern template class DenseTiles<float>;
extern template class DenseTiles<double>;

}  // namespace maxmargin
