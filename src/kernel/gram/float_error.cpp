// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/prediction.md derives the bounds.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "kernel/gram/cross_blocks.hpp"
#include "kernel/tiles/tiles.hpp"

namespace maxmargin {

namespace {

/// Half a unit in the last place of a float: the relative error of one rounding.
constexpr double unit = 0x1p-24;
/// A float result below the normal range has this absolute error at most.
constexpr double underflow = 0x1p-125;
/// Makes up for the second-order terms that the derivation drops.
constexpr double slack = 1.01;

/// |x - centre|^2 of an example, the centre being 0 when it is empty.
double squared_norm_around(const Row& x,
                           std::span<const double> centre,
                           double centre_squared_norm) {
  if (centre.empty()) return x.squared_norm();
  double sum = centre_squared_norm;
  x.for_each([&](std::size_t j, double value) {
    sum += (value - centre[j]) * (value - centre[j]) - centre[j] * centre[j];
  });
  return std::max(sum, 0.0);
}

std::vector<double> squared_norms_around(const Examples& examples,
                                         std::span<const double> centre,
                                         std::size_t threads) {
  double centre_squared_norm = 0;
  for (const double value : centre) centre_squared_norm += value * value;
  std::vector<double> norms(examples.rows());
  constexpr std::size_t chunk = 1024;
  parallel_chunks(
      threads, examples.rows(), chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          norms[i] = squared_norm_around(examples.row(i), centre, centre_squared_norm);
        }
      });
  return norms;
}

/// The sizes of the examples as the tiles see them.
struct Sizes {
  std::vector<double> rows;
  double largest_col = 0;
};

Sizes sizes_of(const Examples& rows,
               const Examples& cols,
               std::span<const double> centre,
               std::size_t threads) {
  Sizes sizes;
  sizes.rows = squared_norms_around(rows, centre, threads);
  for (const double norm : squared_norms_around(cols, centre, threads)) {
    sizes.largest_col = std::max(sizes.largest_col, norm);
  }
  return sizes;
}

/// Entries of the fullest row.
std::size_t most_entries(const SparseView& matrix) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    most = std::max(most, matrix.row(i).values.size());
  }
  return most;
}

/// The longest sum in float: only common entries of sparse examples count, the others add 0.
double most_terms(FloatSums sums, const Examples& rows, const Examples& cols) {
  return static_cast<double>(
      sums == FloatSums::sparse ? std::min(most_entries(rows.sparse()), most_entries(cols.sparse()))
                                : std::max(rows.cols(), cols.cols()));
}

std::vector<FloatError> rbf_errors(const Rbf& kernel,
                                   const Examples& rows,
                                   const Examples& cols,
                                   std::size_t threads) {
  const FloatSums sums = float_sums(kernel, rows, cols);
  std::vector<double> centre;
  if (sums == FloatSums::dense) centre = tile_centre(cols, std::max(rows.cols(), cols.cols()));
  const Sizes sizes = sizes_of(rows, cols, centre, threads);
  // Roundings of the squared distance in units of |x|^2 + |z|^2, and of gamma times it.
  const double roundings = sums == FloatSums::in_double ? 6.0 : most_terms(sums, rows, cols) + 12;
  std::vector<FloatError> errors;
  errors.reserve(sizes.rows.size());
  for (const double norm : sizes.rows) {
    const double exponent = kernel.gamma * unit * roundings * (norm + sizes.largest_col);
    errors.push_back({slack * (std::expm1(exponent) + 5 * unit), underflow});
  }
  return errors;
}

std::vector<FloatError> polynomial_errors(const Polynomial& kernel,
                                          const Examples& rows,
                                          const Examples& cols,
                                          std::size_t threads) {
  const Sizes sizes = sizes_of(rows, cols, {}, threads);
  const FloatSums sums = float_sums(kernel, rows, cols);
  const double terms = sums == FloatSums::in_double ? 1.0 : most_terms(sums, rows, cols) + 2;
  std::vector<FloatError> errors;
  errors.reserve(sizes.rows.size());
  for (const double norm : sizes.rows) {
    const double product = kernel.gamma * std::sqrt(norm * sizes.largest_col);
    const double base = product + std::abs(kernel.coef0);
    const double base_error = unit * ((terms + 2) * product + 2 * base);
    const double power = std::pow(base + base_error, kernel.degree - 1);
    // The last term: pow, and products of up to 16 factors, lose at most a unit a factor.
    errors.push_back({0.0,
                      slack * (kernel.degree * power * base_error +
                               unit * (kernel.degree + 4) * power * (base + base_error)) +
                          underflow});
  }
  return errors;
}

}  // namespace

std::optional<std::vector<FloatError>> float_errors(const Kernel& kernel,
                                                    const Examples& rows,
                                                    const Examples& cols,
                                                    std::size_t threads) {
  if (const auto* rbf = std::get_if<Rbf>(&kernel)) return rbf_errors(*rbf, rows, cols, threads);
  if (const auto* polynomial = std::get_if<Polynomial>(&kernel)) {
    return polynomial_errors(*polynomial, rows, cols, threads);
  }
  return std::nullopt;
}

}  // namespace maxmargin
