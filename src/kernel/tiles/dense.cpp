// SPDX-License-Identifier: Apache-2.0
#include "kernel/tiles/dense.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/tiles/finish.hpp"
#include "kernel/tiles/own_sums.hpp"
#include "kernel/tiles/panel_sums.hpp"
#include "linalg/blas.hpp"

namespace maxmargin {

static_assert(tile_alignment % panel_width<float> == 0 &&
              tile_alignment % panel_width<double> == 0);

namespace {

/// Squared distances by differences of packed examples: below this share of |x|^2 + |z|^2 the
/// packing's own rounding counts, and they are computed once more from the data itself.
template <class T>
constexpr T packed_closeness = std::is_same_v<T, float> ? T{0x1p-18} : T{0x1p-40};

/// Up to here differences cost no more than dot products with their norms and checks.
constexpr std::size_t few_features = 8;

/// Columns computed together, which stay in the innermost cache from their sums to their
/// exponentials: of few rows at a time when a panel is short, else of all, which then share it.
constexpr std::size_t strip = 256;
constexpr std::size_t short_panel = 64;
constexpr std::size_t strip_rows = 16;

}  // namespace

std::vector<double> tile_centre(const Examples& cols, std::size_t dimension) {
  std::vector<double> means(dimension, 0.0);
  for (std::size_t i = 0; i < cols.rows(); ++i) cols.row(i).axpy_into(1.0, means);
  const double n = std::max<double>(1, static_cast<double>(cols.rows()));
  for (double& mean : means) {
    mean /= n;
    // Sums of huge values may overflow; then there is no useful centre.
    if (!std::isfinite(mean)) mean = 0;
  }
  return means;
}

template <class T>
DenseTiles<T>::DenseTiles(const Kernel& kernel,
                          const Examples& rows,
                          const Examples& cols,
                          TileUse use)
    : kernel_(kernel),
      pairing_(pairing_of(kernel)),
      rows_(rows),
      cols_(cols),
      dimension_(std::max(rows.cols(), cols.cols())),
      features_(pairing_ == Pairing::sentropic ? 2 * dimension_ : dimension_),
      by_gemm_(use == TileUse::blocks &&
               (pairing_ == Pairing::dot || pairing_ == Pairing::squared_distance)),
      by_differences_(!by_gemm_ && pairing_ == Pairing::squared_distance &&
                      features_ <= few_features) {
  if (pairing_ == Pairing::squared_distance || pairing_ == Pairing::absolute) {
    centre_ = tile_centre(cols, dimension_);
  }
  const std::size_t n = cols.rows();
  constexpr std::size_t width = panel_width<T>;
  const std::size_t stored = by_gemm_ ? n : (n + width - 1) / width * width;
  packed_cols_ = Buffer<T>(checked_multiply(stored, features_), T{0});
  if (pairing_ == Pairing::squared_distance) col_norms_ = Buffer<T>(n);
  Buffer<T> packed(features_);
  for (std::size_t j = 0; j < n; ++j) {
    pack(cols, j, packed.data());
    if (!col_norms_.empty()) col_norms_[j] = squared_norm(packed.data());
    if (by_gemm_) {
      std::ranges::copy(packed, packed_cols_.data() + j * features_);
    } else {
      const std::size_t column = j / width * width * features_ + j % width;
      for (std::size_t k = 0; k < features_; ++k) packed_cols_[column + k * width] = packed[k];
    }
  }
}

template <class T>
void DenseTiles<T>::pack(const Examples& examples, std::size_t i, T* packed) const {
  if (pairing_ == Pairing::sentropic) {
    std::fill_n(packed, features_, T{0});
    examples.row(i).for_each([&](std::size_t j, double value) {
      packed[2 * j] = static_cast<T>(value);
      packed[2 * j + 1] = static_cast<T>(std::log(value));
    });
    return;
  }
  if (centre_.empty()) {
    std::fill_n(packed, dimension_, T{0});
    examples.row(i).for_each(
        [&](std::size_t j, double value) { packed[j] = static_cast<T>(value); });
    return;
  }
  for (std::size_t j = 0; j < dimension_; ++j) packed[j] = static_cast<T>(-centre_[j]);
  examples.row(i).for_each(
      [&](std::size_t j, double value) { packed[j] = static_cast<T>(value - centre_[j]); });
}

template <class T>
T DenseTiles<T>::squared_norm(const T* packed) const {
  double sum = 0;
  for (std::size_t k = 0; k < features_; ++k) {
    sum += static_cast<double>(packed[k]) * static_cast<double>(packed[k]);
  }
  return static_cast<T>(sum);
}

template <class T>
void DenseTiles<T>::fill(std::span<const std::size_t> rows,
                         std::size_t col_begin,
                         TileRows<T> out) const {
  Buffer<T> buffer;
  const T* packed = pack_all(rows, buffer);
  if (by_gemm_) {
    dot_products(packed, col_begin, out);
    return complete({rows, packed}, col_begin, out);
  }
  const std::size_t together = features_ <= short_panel ? strip_rows : rows.size();
  for (std::size_t col = 0; col < out.cols(); col += strip) {
    const std::size_t count = std::min(strip, out.cols() - col);
    for (std::size_t begin = 0; begin < rows.size(); begin += together) {
      const std::size_t end = std::min(begin + together, rows.size());
      const RowSide side{rows.subspan(begin, end - begin), packed + begin * features_};
      const TileRows<T> part = out.middle_rows(begin, end).middle_cols(col, count);
      sums_by_panels(side, col_begin + col, part);
      complete(side, col_begin + col, part);
    }
  }
}

template <class T>
void DenseTiles<T>::complete(const RowSide& side, std::size_t col_begin, TileRows<T> out) const {
  for (std::size_t i = 0; i < out.rows(); ++i) {
    if (pairing_ == Pairing::squared_distance) distances(side, i, col_begin, out.row(i));
    finish(kernel_, out.row(i));
  }
}

template <class T>
const T* DenseTiles<T>::pack_all(std::span<const std::size_t> rows, Buffer<T>& buffer) const {
  const bool consecutive = !rows.empty() && rows.back() - rows.front() + 1 == rows.size() &&
                           std::ranges::is_sorted(rows);
  // A Gram matrix's rows are packed already: they are its columns.
  if (by_gemm_ && &rows_ == &cols_ && consecutive) {
    return packed_cols_.data() + rows.front() * features_;
  }
  buffer.resize(rows.size() * features_);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    pack(rows_, rows[i], buffer.data() + i * features_);
  }
  return buffer.data();
}

template <class T>
void DenseTiles<T>::dot_products(const T* packed_rows,
                                 std::size_t col_begin,
                                 TileRows<T> out) const {
  const BasicDenseView<const T> x{packed_rows, out.rows(), features_, features_};
  const BasicDenseView<const T> z{
      packed_cols_.data() + col_begin * features_, out.cols(), features_, features_};
  if (out.is_block()) return gemm(Transpose::no, Transpose::yes, T{1}, x, z, T{0}, out.block());
  auto products = BasicDenseMatrix<T>::uninitialized(out.rows(), out.cols());
  gemm(Transpose::no, Transpose::yes, T{1}, x, z, T{0}, products.view());
  for (std::size_t i = 0; i < out.rows(); ++i) {
    std::ranges::copy(products.row(i), out.row(i).begin());
  }
}

template <class T>
void DenseTiles<T>::sums_by_panels(const RowSide& side,
                                   std::size_t col_begin,
                                   TileRows<T> out) const {
  constexpr std::size_t width = panel_width<T>;
  const bool by_dot = pairing_ == Pairing::squared_distance && !by_differences_;
  const std::size_t whole = out.cols() / width;
  PanelWork<T> work{by_dot ? Pairing::dot : pairing_,
                    side.packed,
                    features_,
                    packed_cols_.data() + col_begin * features_,
                    whole,
                    out};
  panel_sums(work);
  const std::size_t rest = out.cols() - whole * width;
  if (rest == 0) return;
  // The last panel is wider than what is wanted.
  auto last = BasicDenseMatrix<T>::uninitialized(out.rows(), width);
  work.panels += whole * width * features_;
  work.panel_count = 1;
  work.out = last.view();
  panel_sums(work);
  for (std::size_t i = 0; i < out.rows(); ++i) {
    std::ranges::copy(last.row(i).first(rest), out.row(i).subspan(whole * width).begin());
  }
}

template <class T>
void DenseTiles<T>::distances(const RowSide& side,
                              std::size_t i,
                              std::size_t col_begin,
                              std::span<T> sums) const {
  const T* packed = side.packed + i * features_;
  const T norm = &rows_ == &cols_ ? col_norms_[side.rows[i]] : squared_norm(packed);
  const T* norms = col_norms_.data() + col_begin;
  const Row x = rows_.row(side.rows[i]);
  const auto exact = [&](std::size_t j) {
    return static_cast<T>(x.squared_distance(cols_.row(col_begin + j)));
  };
  if (by_differences_) {
    if (!any_below_share(packed_closeness<T>, norm, norms, sums.data(), sums.size())) return;
    for (std::size_t j = 0; j < sums.size(); ++j) {
      if (!(sums[j] >= packed_closeness<T> * (norm + norms[j]))) sums[j] = exact(j);
    }
    return;
  }
  if (!add_own_parts(norm, norms, T{-2}, sums.data(), sums.size())) return;
  constexpr std::size_t width = panel_width<T>;
  std::array<T, width> differences;
  std::size_t known = sums.size();  // the columns whose `differences` these are
  for (std::size_t j = 0; j < sums.size(); ++j) {
    const T total = norm + norms[j];
    if (sums[j] >= closeness<T> * total) continue;
    if (by_gemm_) {
      sums[j] = exact(j);
      continue;
    }
    if (known != j / width) {
      known = j / width;
      panel_sums(PanelWork<T>{Pairing::squared_distance,
                              packed,
                              features_,
                              packed_cols_.data() + (col_begin + known * width) * features_,
                              1,
                              BasicDenseView<T>{differences.data(), 1, width, width}});
    }
    const T distance = differences[j % width];
    sums[j] = distance >= packed_closeness<T> * total ? distance : exact(j);
  }
}

template class DenseTiles<float>;
template class DenseTiles<double>;

}  // namespace maxmargin
