// SPDX-License-Identifier: Apache-2.0
#include "kernel/tiles/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernel/overloaded.hpp"
#include "kernel/tiles/combined.hpp"
#include "kernel/tiles/dense.hpp"
#include "kernel/tiles/pairing.hpp"
#include "kernel/tiles/sparse.hpp"

namespace maxmargin {

namespace {

/// Measured on rows of 12 to 1,024 columns, float and double: an entry of a sparse row costs as
/// much as this many columns of a dense one, and an empty sparse row as much as so many entries,
/// for its sums come out transposed.
constexpr double columns_an_entry = 3;
constexpr double entries_a_row = 4;

/// Values, widths and sums up to here cannot overflow or vanish in float when squared and added.
constexpr double float_comfort = 1e15;

/// Entries looked up in a matrix by the examples' row numbers.
template <class T>
class MatrixTiles final : public Tiles<T> {
 public:
  MatrixTiles(const Precomputed& kernel, const Examples& rows, const Examples& cols)
      : matrix_(kernel.matrix),
        rows_(numbers(rows, kernel.matrix->rows(), "rows")),
        cols_(numbers(cols, kernel.matrix->cols(), "columns")) {}

  void fill(std::span<const std::size_t> rows,
            std::size_t col_begin,
            TileRows<T> out) const override {
    for (std::size_t i = 0; i < out.rows(); ++i) {
      const std::span<const double> source = matrix_->row(rows_[rows[i]]);
      const std::span<T> target = out.row(i);
      for (std::size_t j = 0; j < target.size(); ++j) {
        target[j] = static_cast<T>(source[cols_[col_begin + j]]);
      }
    }
  }

 private:
  static std::vector<std::size_t> numbers(const Examples& examples,
                                          std::size_t limit,
                                          const char* side) {
    std::vector<std::size_t> result;
    result.reserve(examples.rows());
    for (std::size_t i = 0; i < examples.rows(); ++i) {
      result.push_back(static_cast<std::size_t>(examples.row(i).at(0)));
      if (result.back() < limit) continue;
      throw InvalidArgument("precomputed kernel: example " + std::to_string(i) + " has number " +
                            std::to_string(result.back()) + ", but the matrix has only " +
                            std::to_string(limit) + " " + side);
    }
    return result;
  }

  std::shared_ptr<const DenseMatrix> matrix_;
  std::vector<std::size_t> rows_;
  std::vector<std::size_t> cols_;
};

/// Computed in double, handed out in float.
class RoundedTiles final : public Tiles<float> {
 public:
  explicit RoundedTiles(std::unique_ptr<Tiles<double>> inner) : inner_(std::move(inner)) {}

  void fill(std::span<const std::size_t> rows,
            std::size_t col_begin,
            TileRows<float> out) const override {
    DenseMatrix exact = DenseMatrix::uninitialized(out.rows(), out.cols());
    inner_->fill(rows, col_begin, exact.view());
    for (std::size_t i = 0; i < out.rows(); ++i) {
      std::ranges::transform(
          exact.row(i), out.row(i).begin(), [](double value) { return static_cast<float>(value); });
    }
  }

 private:
  std::unique_ptr<Tiles<double>> inner_;
};

double largest_magnitude(const Examples& examples) {
  double largest = 0;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    for (const double value : examples.values(i)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

bool fits_float(const Kernel& kernel, const Examples& rows, const Examples& cols) {
  const double gamma = gamma_of(kernel).value_or(1.0);
  if (std::abs(gamma) > float_comfort || std::abs(gamma) < 1 / float_comfort) return false;
  return largest_magnitude(rows) <= float_comfort && largest_magnitude(cols) <= float_comfort;
}

bool stays_sparse(const Kernel& kernel, const Examples& rows, const Examples& cols) {
  if (rows.is_dense() || cols.is_dense() || pairing_of(kernel) == Pairing::sentropic) return false;
  const auto number = [](std::size_t value) { return static_cast<double>(value); };
  const double sparse_cost =
      columns_an_entry * (number(rows.entries()) + number(cols.entries()) +
                          entries_a_row * (number(rows.rows()) + number(cols.rows())));
  const double dense_cost =
      number(rows.rows()) * number(rows.cols()) + number(cols.rows()) * number(cols.cols());
  return sparse_cost < dense_cost;
}

void require_equal_widths(const Examples& rows, const Examples& cols) {
  if (rows.rows() == 0 || cols.rows() == 0 || rows.cols() == cols.cols()) return;
  throw InvalidArgument("gram: the examples have " + std::to_string(rows.cols()) + " and " +
                        std::to_string(cols.cols()) + " columns, must be equal");
}

/// A kernel that is a function of a sum over columns.
template <class T>
std::unique_ptr<Tiles<T>> make_sum_tiles(const Kernel& kernel,
                                         const Examples& rows,
                                         const Examples& cols,
                                         TileUse use) {
  // A sentropic kernel has no value at a missing entry, dense or sparse, on its own or as a part.
  if (std::holds_alternative<Sentropic>(kernel)) require_equal_widths(rows, cols);
  if constexpr (std::is_same_v<T, float>) {
    if (!fits_float(kernel, rows, cols)) {
      return std::make_unique<RoundedTiles>(make_sum_tiles<double>(kernel, rows, cols, use));
    }
  }
  if (stays_sparse(kernel, rows, cols)) {
    return std::make_unique<SparseTiles<T>>(kernel, rows.sparse(), cols.sparse());
  }
  return std::make_unique<DenseTiles<T>>(kernel, rows, cols, use);
}

}  // namespace

FloatSums float_sums(const Kernel& kernel, const Examples& rows, const Examples& cols) {
  if (!fits_float(kernel, rows, cols)) return FloatSums::in_double;
  return stays_sparse(kernel, rows, cols) ? FloatSums::sparse : FloatSums::dense;
}

template <class T>
std::unique_ptr<Tiles<T>> make_tiles(const Kernel& kernel,
                                     const Examples& rows,
                                     const Examples& cols,
                                     TileUse use) {
  return std::visit(
      Overloaded{
          [&](const Precomputed& k) -> std::unique_ptr<Tiles<T>> {
            return std::make_unique<MatrixTiles<T>>(k, rows, cols);
          },
          [&](const Spectrum& k) { return make_spectrum_tiles<T>(k, rows, cols, use); },
          [&](const Cosine&) { return make_cosine_tiles<T>(rows, cols, use); },
          [&](const Combined& k) { return make_combined_tiles<T>(k.node(), rows, cols, use); },
          [&](const auto&) { return make_sum_tiles<T>(kernel, rows, cols, use); },
      },
      kernel);
}

template <class T>
std::unique_ptr<Tiles<T>> make_checked_tiles(const Kernel& kernel,
                                             const Examples& rows,
                                             const Examples& cols,
                                             TileUse use) {
  validate(kernel);
  check_domain(kernel, rows);
  if (&rows != &cols) check_domain(kernel, cols);
  if (rows.is_dense() && cols.is_dense() && !is_for_strings(kernel))
    require_equal_widths(rows, cols);
  return make_tiles<T>(kernel, rows, cols, use);
}

template std::unique_ptr<Tiles<float>> make_tiles(const Kernel&,
                                                  const Examples&,
                                                  const Examples&,
                                                  TileUse);
template std::unique_ptr<Tiles<double>> make_tiles(const Kernel&,
                                                   const Examples&,
                                                   const Examples&,
                                                   TileUse);
template std::unique_ptr<Tiles<float>> make_checked_tiles(const Kernel&,
                                                          const Examples&,
                                                          const Examples&,
                                                          TileUse);
template std::unique_ptr<Tiles<double>> make_checked_tiles(const Kernel&,
                                                           const Examples&,
                                                           const Examples&,
                                                           TileUse);

}  // namespace maxmargin
