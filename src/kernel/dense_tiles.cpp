// SPDX-License-Identifier: Apache-2.0
#include "kernel/dense_tiles.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/finish.hpp"
#include "kernel/pair_sums.hpp"
#include "maxmargin/linalg/blas.hpp"

namespace maxmargin {

static_assert(tile_alignment % panel_width<float> == 0 &&
              tile_alignment % panel_width<double> == 0);

namespace {

/// Pairs whose squared distance is below this share of |x|^2 + |z|^2 lose too many digits in
/// |x|^2 + |z|^2 - 2 x.z; they are computed again from their differences.
template <class T>
constexpr T closeness = std::is_same_v<T, float> ? T{0x1p-10} : T{0x1p-20};

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
               (pairing_ == Pairing::dot || pairing_ == Pairing::squared_distance)) {
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
      T* column = packed_cols_.data() + j / width * width * features_ + j % width;
      for (std::size_t k = 0; k < features_; ++k) column[k * width] = packed[k];
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
  const T* packed_rows = pack_all(rows, buffer);
  if (by_gemm_) {
    dot_products(packed_rows, col_begin, out);
  } else {
    sums_by_panels(packed_rows, col_begin, out);
  }
  if (pairing_ == Pairing::squared_distance) distances(rows, packed_rows, col_begin, out);
  for (std::size_t i = 0; i < out.rows(); ++i) finish(kernel_, out.row(i));
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
void DenseTiles<T>::sums_by_panels(const T* packed_rows,
                                   std::size_t col_begin,
                                   TileRows<T> out) const {
  constexpr std::size_t width = panel_width<T>;
  const std::size_t whole = out.cols() / width;
  PanelWork<T> work{
      pairing_, packed_rows, features_, packed_cols_.data() + col_begin * features_, whole, out};
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
void DenseTiles<T>::distances(std::span<const std::size_t> rows,
                              const T* packed_rows,
                              std::size_t col_begin,
                              TileRows<T> out) const {
  for (std::size_t i = 0; i < out.rows(); ++i) {
    const T norm =
        &rows_ == &cols_ ? col_norms_[rows[i]] : squared_norm(packed_rows + i * features_);
    const T* norms = col_norms_.data() + col_begin;
    T* values = out.row(i).data();
    if (!squared_distances(norm, norms, closeness<T>, values, out.cols())) continue;
    const Row x = rows_.row(rows[i]);
    for (std::size_t j = 0; j < out.cols(); ++j) {
      if (values[j] >= closeness<T> * (norm + norms[j])) continue;
      values[j] = static_cast<T>(x.squared_distance(cols_.row(col_begin + j)));
    }
  }
}

template class DenseTiles<float>;
template class DenseTiles<double>;

}  // namespace maxmargin
