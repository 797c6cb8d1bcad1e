// SPDX-License-Identifier: Apache-2.0
#include "kernel/tiles/combined.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernel/gram/spectrum.hpp"
#include "kernel/input_scaling.hpp"
#include "kernel/normalisation.hpp"
#include "kernel/overloaded.hpp"
#include "kernel/rows/unit_rows.hpp"
#include "kernel/tiles/fast_exp.hpp"
#include "kernel/tiles/finish.hpp"
#include "kernel/tiles/row_means.hpp"
#include "maxmargin/data/text/encoded_strings.hpp"

namespace maxmargin {

namespace {

template <class T>
using TilesPointer = std::unique_ptr<Tiles<T>>;

/// Two kernels joined entry by entry: join(values of a, values of b) works on a row of a.
template <class T, class Join>
class PairTiles final : public Tiles<T> {
 public:
  PairTiles(TilesPointer<T> a, TilesPointer<T> b, Join join)
      : a_(std::move(a)), b_(std::move(b)), join_(join) {}

  void fill(std::span<const std::size_t> rows,
            std::size_t col_begin,
            TileRows<T> out) const override {
    a_->fill(rows, col_begin, out);
    BasicDenseMatrix<T> second = BasicDenseMatrix<T>::uninitialized(out.rows(), out.cols());
    b_->fill(rows, col_begin, second.view());
    for (std::size_t i = 0; i < out.rows(); ++i) {
      const std::span<T> x = out.row(i);
      const std::span<const T> z = second.row(i);
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = join_(x[j], z[j]);
    }
  }

 private:
  TilesPointer<T> a_;
  TilesPointer<T> b_;
  Join join_;
};

template <class T, class Join>
TilesPointer<T> join(TilesPointer<T> a, TilesPointer<T> b, Join how) {
  return std::make_unique<PairTiles<T, Join>>(std::move(a), std::move(b), how);
}

/// A function of one kernel's values, applied to whole rows.
template <class T, class Map>
class MappedTiles final : public Tiles<T> {
 public:
  MappedTiles(TilesPointer<T> inner, Map map) : inner_(std::move(inner)), map_(std::move(map)) {}

  void fill(std::span<const std::size_t> rows,
            std::size_t col_begin,
            TileRows<T> out) const override {
    inner_->fill(rows, col_begin, out);
    for (std::size_t i = 0; i < out.rows(); ++i) map_(out.row(i));
  }

 private:
  TilesPointer<T> inner_;
  Map map_;
};

template <class T, class Map>
TilesPointer<T> mapped(TilesPointer<T> inner, Map map) {
  return std::make_unique<MappedTiles<T, Map>>(std::move(inner), std::move(map));
}

/// Tiles on what `made_of` makes of the examples, which lives as long as they do.
template <class T>
class MadeTiles final : public Tiles<T> {
 public:
  template <class Make>
  MadeTiles(const Kernel& kernel,
            const Examples& rows,
            const Examples& cols,
            TileUse use,
            const Make& made_of)
      : rows_(made_of(rows)) {
    const bool are_same = &rows == &cols;
    if (!are_same) cols_ = Examples(made_of(cols));
    inner_ = make_tiles<T>(kernel, rows_, are_same ? rows_ : cols_, use);
  }

  void fill(std::span<const std::size_t> rows,
            std::size_t col_begin,
            TileRows<T> out) const override {
    inner_->fill(rows, col_begin, out);
  }

 private:
  Examples rows_;
  Examples cols_;
  TilesPointer<T> inner_;
};

/// row_factor * K * col_factor; without inner tiles, K = 1.
template <class T>
class FactorTiles final : public Tiles<T> {
 public:
  FactorTiles(TilesPointer<T> inner, std::vector<double> rows, std::vector<double> cols)
      : inner_(std::move(inner)), rows_(std::move(rows)), cols_(std::move(cols)) {}

  void fill(std::span<const std::size_t> rows,
            std::size_t col_begin,
            TileRows<T> out) const override {
    if (inner_) inner_->fill(rows, col_begin, out);
    for (std::size_t i = 0; i < out.rows(); ++i) {
      const std::span<T> values = out.row(i);
      for (std::size_t j = 0; j < values.size(); ++j) {
        const double value = inner_ ? static_cast<double>(values[j]) : 1.0;
        // The factors first: K(x, z) and K(z, x) must have the same bits.
        values[j] = static_cast<T>(value * (rows_[rows[i]] * cols_[col_begin + j]));
      }
    }
  }

 private:
  TilesPointer<T> inner_;
  std::vector<double> rows_;
  std::vector<double> cols_;
};

/// K less the mean of its row and of its column, plus the grand mean.
template <class T>
class CentredTiles final : public Tiles<T> {
 public:
  CentredTiles(TilesPointer<T> inner,
               std::vector<double> rows,
               std::vector<double> cols,
               double grand_mean)
      : inner_(std::move(inner)),
        rows_(std::move(rows)),
        cols_(std::move(cols)),
        grand_mean_(grand_mean) {}

  void fill(std::span<const std::size_t> rows,
            std::size_t col_begin,
            TileRows<T> out) const override {
    inner_->fill(rows, col_begin, out);
    for (std::size_t i = 0; i < out.rows(); ++i) {
      const std::span<T> values = out.row(i);
      for (std::size_t j = 0; j < values.size(); ++j) {
        // The means first: K(x, z) and K(z, x) must have the same bits.
        const double means = rows_[rows[i]] + cols_[col_begin + j];
        values[j] = static_cast<T>((static_cast<double>(values[j]) + grand_mean_) - means);
      }
    }
  }

 private:
  TilesPointer<T> inner_;
  std::vector<double> rows_;
  std::vector<double> cols_;
  double grand_mean_;
};

/// function(x) for every example.
template <class Function>
std::vector<double> values_of(const Examples& examples, const Function& function) {
  std::vector<double> values;
  values.reserve(examples.rows());
  for (std::size_t i = 0; i < examples.rows(); ++i) values.push_back(function(examples.row(i)));
  return values;
}

/// A Precomputed matrix has no K(x, x) for the columns of an m x n matrix, so this can throw.
std::vector<double> normalising_factors(const Kernel& kernel, const Examples& examples) {
  std::vector<double> factors = self_values(kernel, examples);
  for (double& factor : factors) factor = normalising_factor(factor);
  return factors;
}

std::vector<std::string> strings_of(const Examples& examples) {
  std::vector<std::string> strings;
  strings.reserve(examples.rows());
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    strings.push_back(decode_string(examples.row(i)));
  }
  return strings;
}

template <class T>
void apply_series(const std::vector<double>& coefficients, std::span<T> values) {
  for (T& value : values) {
    double sum = 0;
    for (std::size_t p = coefficients.size(); p-- > 0;) {
      sum = sum * static_cast<double>(value) + coefficients[p];
    }
    value = static_cast<T>(sum);
  }
}

}  // namespace

template <class T>
std::unique_ptr<Tiles<T>> make_combined_tiles(const Combination& combination,
                                              const Examples& rows,
                                              const Examples& cols,
                                              TileUse use) {
  const auto tiles = [&](const Kernel& kernel) { return make_tiles<T>(kernel, rows, cols, use); };
  return std::visit(
      Overloaded{
          [&](const SumRule& r) -> TilesPointer<T> {
            return join(tiles(r.a), tiles(r.b), [](T a, T b) { return a + b; });
          },
          [&](const ProductRule& r) -> TilesPointer<T> {
            return join(tiles(r.a), tiles(r.b), [](T a, T b) { return a * b; });
          },
          [&](const ScaleRule& r) -> TilesPointer<T> {
            return mapped(tiles(r.kernel), [factor = r.factor](std::span<T> values) {
              for (T& value : values) value = static_cast<T>(factor * static_cast<double>(value));
            });
          },
          [&](const PowerRule& r) -> TilesPointer<T> {
            return mapped(tiles(r.kernel), [exponent = r.exponent](std::span<T> values) {
              raise_to_power(exponent, values);
            });
          },
          [&](const SeriesRule& r) -> TilesPointer<T> {
            return mapped(tiles(r.kernel), [coefficients = r.coefficients](std::span<T> values) {
              apply_series(coefficients, values);
            });
          },
          [&](const ExpRule& r) -> TilesPointer<T> {
            return mapped(tiles(r.kernel), [](std::span<T> values) { exp_in_place(values); });
          },
          [&](const RankOneRule& r) -> TilesPointer<T> {
            return std::make_unique<FactorTiles<T>>(
                nullptr, values_of(rows, r.function), values_of(cols, r.function));
          },
          [&](const InputScalingRule& r) -> TilesPointer<T> {
            return std::make_unique<MadeTiles<T>>(
                r.kernel, rows, cols, use, [&r](const Examples& examples) {
                  return scale_inputs(examples, r);
                });
          },
          [&](const NormaliseRule& r) -> TilesPointer<T> {
            return std::make_unique<FactorTiles<T>>(tiles(r.kernel),
                                                    normalising_factors(r.kernel, rows),
                                                    normalising_factors(r.kernel, cols));
          },
          [&](const CentredRule& r) -> TilesPointer<T> {
            std::vector<double> of_rows = means_of(r.kernel, *r.means, rows);
            std::vector<double> of_cols =
                &rows == &cols ? of_rows : means_of(r.kernel, *r.means, cols);
            return std::make_unique<CentredTiles<T>>(
                tiles(r.kernel), std::move(of_rows), std::move(of_cols), r.means->grand_mean());
          },
          [&](const IteratedRule& r) -> TilesPointer<T> {
            // The product of the rows' values with the training examples.
            return std::make_unique<MadeTiles<T>>(
                scaled(Linear{}, 1.0 / static_cast<double>(r.rows->rows())),
                rows,
                cols,
                use,
                [&r](const Examples& examples) {
                  return values_over(r.kernel, examples, *r.rows);
                });
          },
      },
      combination.rule);
}

template <class T>
std::unique_ptr<Tiles<T>> make_cosine_tiles(const Examples& rows,
                                            const Examples& cols,
                                            TileUse use) {
  return std::make_unique<MadeTiles<T>>(Linear{}, rows, cols, use, unit_rows);
}

template <class T>
std::unique_ptr<Tiles<T>> make_spectrum_tiles(const Spectrum& kernel,
                                              const Examples& rows,
                                              const Examples& cols,
                                              TileUse use) {
  // Substrings that no column has add nothing to products with columns.
  const SpectrumIndex index(strings_of(cols), static_cast<std::size_t>(kernel.length));
  return std::make_unique<MadeTiles<T>>(
      Linear{}, rows, cols, use, [&index](const Examples& examples) {
        return index.features(strings_of(examples));
      });
}

template std::unique_ptr<Tiles<float>> make_spectrum_tiles(const Spectrum&,
                                                           const Examples&,
                                                           const Examples&,
                                                           TileUse);
template std::unique_ptr<Tiles<double>> make_spectrum_tiles(const Spectrum&,
                                                            const Examples&,
                                                            const Examples&,
                                                            TileUse);
template std::unique_ptr<Tiles<float>> make_combined_tiles(const Combination&,
                                                           const Examples&,
                                                           const Examples&,
                                                           TileUse);
template std::unique_ptr<Tiles<double>> make_combined_tiles(const Combination&,
                                                            const Examples&,
                                                            const Examples&,
                                                            TileUse);
template std::unique_ptr<Tiles<float>> make_cosine_tiles(const Examples&, const Examples&, TileUse);
template std::unique_ptr<Tiles<double>> make_cosine_tiles(const Examples&,
                                                          const Examples&,
                                                          TileUse);

}  // namespace maxmargin
