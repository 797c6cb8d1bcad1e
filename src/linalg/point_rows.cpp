// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/linalg/point_rows.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/parallel.hpp"
#include "core/stoppable.hpp"
#include "core/weights.hpp"
#include "linalg/blas.hpp"
#include "linalg/stoppable_scatter.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t row_chunk = 1024;

/// Rows handed to one partial sum, which is as large as `rows_per_part` dense rows: at most 64
/// parts, and no more memory for them than a quarter of the points as a dense matrix (which is more
/// than sparse points take) or one part.
std::size_t sum_chunk(std::size_t rows, std::size_t rows_per_part) {
  return std::max({row_chunk, 4 * rows_per_part, chunk_count(rows, 64)});
}

/// Sum over rows of w (x - shift), column by column, added in chunk order.
std::vector<double> column_sums(const PointRows& points,
                                std::span<const double> weights,
                                std::span<const double> shift,
                                std::size_t threads) {
  const std::size_t d = points.cols();
  const std::size_t chunk = sum_chunk(points.rows(), 1);
  DenseMatrix parts(chunk_count(points.rows(), chunk), d);
  parallel_chunks(
      threads, points.rows(), chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
        const std::span<double> part = parts.row(c);
        for (std::size_t i = begin; i < end; ++i) {
          const double weight = weight_of(weights, i);
          if (shift.empty()) {
            points.row(i).for_each([&](std::size_t j, double x) { part[j] += weight * x; });
          } else {
            points.row(i).for_each(
                [&](std::size_t j, double x) { part[j] += weight * (x - shift[j]); });
          }
        }
      });
  std::vector<double> sums(d, 0.0);
  for (std::size_t c = 0; c < parts.rows(); ++c) {
    for (std::size_t j = 0; j < d; ++j) sums[j] += parts(c, j);
  }
  return sums;
}

/// A dense copy of rows [begin, end), centred and scaled by the square roots of the weights.
DenseMatrix weighted_block(const PointRows& points,
                           std::span<const double> weights,
                           const ColumnMeans& mean,
                           std::size_t begin,
                           std::size_t end) {
  DenseMatrix block = DenseMatrix::uninitialized(end - begin, points.cols());
  points.copy_shifted(begin, end, mean.value, block.view());
  for (std::size_t i = 0; !mean.remainder.empty() && i < block.rows(); ++i) {
    axpy(-1.0, mean.remainder, block.row(i));
  }
  for (std::size_t i = begin; !weights.empty() && i < end; ++i) {
    const double root = std::sqrt(weights[i]);
    for (double& x : block.row(i - begin)) x *= root;
  }
  return block;
}

/// The sparse Gram matrix, centred by (x-m).(z-m) = x.z - x.m - z.m + m.m.
DenseMatrix sparse_centred_gram(const PointRows& points,
                                std::span<const double> weights,
                                std::span<const double> mean,
                                std::size_t threads) {
  const std::size_t n = points.rows();
  DenseMatrix gram(n, n);
  const double mean_norm = dot(mean, mean);
  std::vector<double> with_mean(n);
  for (std::size_t i = 0; i < n; ++i) with_mean[i] = points.row(i).dot(mean);
  parallel_chunks(threads, n, 16, [&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<double> row(points.cols());
    for (std::size_t i = begin; i < end; ++i) {
      std::fill(row.begin(), row.end(), 0.0);
      points.row(i).axpy_into(1.0, row);
      for (std::size_t j = 0; j <= i; ++j) {
        const double product = points.row(j).dot(row) - with_mean[i] - with_mean[j] + mean_norm;
        gram(i, j) = product * std::sqrt(weight_of(weights, i) * weight_of(weights, j));
      }
    }
  });
  mirror_lower(gram.view());
  return gram;
}

/// Columns beyond which products are added band by band, and those of a band.
constexpr std::size_t many_columns = 2048;
constexpr std::size_t band_columns = 256;

/// Lower triangle of sum += block' block, up to where the progress says no.
void add_products(DenseView block, MutableDenseView sum, SharedProgress& progress) {
  const std::size_t d = block.cols;
  if (d <= many_columns) {
    if (progress({}) == Continue::yes) syrk_lower(Transpose::yes, 1.0, block, 1.0, sum);
    return;
  }
  for (std::size_t begin = 0; begin < d; begin += band_columns) {
    if (progress({}) != Continue::yes) return;
    const std::size_t end = std::min(d, begin + band_columns);
    gemm(Transpose::yes,
         Transpose::no,
         1.0,
         {block.data + begin, block.rows, end - begin, block.stride},
         {block.data, block.rows, end, block.stride},
         1.0,
         {sum.row(begin).data(), end - begin, end, sum.stride});
  }
}

}  // namespace

std::size_t PointRows::rows() const {
  return is_dense() ? std::get<DenseView>(matrix_).rows : std::get<SparseView>(matrix_).rows();
}

std::size_t PointRows::cols() const {
  return is_dense() ? std::get<DenseView>(matrix_).cols : std::get<SparseView>(matrix_).cols;
}

Row PointRows::row(std::size_t i) const {
  return is_dense() ? Row(std::get<DenseView>(matrix_).row(i))
                    : Row(std::get<SparseView>(matrix_).row(i));
}

SparseMatrix PointRows::sparse_copy() const {
  const SparseView& matrix = std::get<SparseView>(matrix_);
  const auto copy = []<class T>(std::span<const T> from) {
    Buffer<T> to(from.size());
    std::ranges::copy(from, to.data());
    return to;
  };
  return {matrix.cols, copy(matrix.offsets), copy(matrix.columns), copy(matrix.values)};
}

void PointRows::copy_shifted(std::size_t begin,
                             std::size_t end,
                             std::span<const double> shift,
                             MutableDenseView out) const {
  for (std::size_t i = begin; i < end; ++i) {
    const std::span<double> to = out.row(i - begin);
    if (!is_dense()) std::fill(to.begin(), to.end(), 0.0);
    row(i).for_each([&](std::size_t j, double x) { to[j] = x; });
    for (std::size_t j = 0; j < shift.size(); ++j) to[j] -= shift[j];
  }
}

void require_weights(const char* who, const PointRows& points, std::span<const double> weights) {
  const std::string name = who;
  if (weights.empty()) return;
  require(weights.size() == points.rows(), name + ": there must be one weight a row");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    require_field(weights[i] >= 0 && std::isfinite(weights[i]),
                  name + ": weights[" + std::to_string(i) + "]",
                  weights[i],
                  "finite and >= 0");
  }
  const double total = total_weight(points, weights);
  require(total > 0, name + ": the weights must not all be 0");
  require(std::isfinite(total), name + ": the sum of the weights must be finite");
}

void require_finite(const char* who, const PointRows& points, std::size_t threads) {
  parallel_chunks(
      threads, points.rows(), row_chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          points.row(i).for_each([&](std::size_t j, double x) {
            if (std::isfinite(x)) return;
            throw InvalidArgument(std::string(who) + ": row " + std::to_string(i) + ", feature " +
                                  std::to_string(j) + " is " + format_number(x) +
                                  ", must be finite");
          });
        }
      });
}

double total_weight(const PointRows& points, std::span<const double> weights) {
  if (weights.empty()) return static_cast<double>(points.rows());
  double total = 0;
  for (const double weight : weights) total += weight;
  return total;
}

ColumnMeans column_means(const PointRows& points,
                         std::span<const double> weights,
                         std::size_t threads) {
  const double total = total_weight(points, weights);
  const auto average = [&](std::span<const double> shift) {
    std::vector<double> mean = column_sums(points, weights, shift, threads);
    for (double& m : mean) m /= total;
    return mean;
  };
  if (!points.is_dense() || points.rows() == 0) return {.value = average({}), .remainder = {}};
  std::size_t first = 0;
  while (first + 1 < points.rows() && weight_of(weights, first) == 0) ++first;
  const std::span<const double> origin = points.row(first).dense();
  ColumnMeans mean{.value = average(origin), .remainder = {}};
  axpy(1.0, origin, mean.value);
  mean.remainder = average(mean.value);
  return mean;
}

DenseMatrix scatter_matrix(const PointRows& points,
                           std::span<const double> weights,
                           const ColumnMeans& mean,
                           std::size_t threads) {
  const ProgressCallback nobody;
  SharedProgress progress(nobody);
  return scatter_matrix(points, weights, mean, threads, progress);
}

DenseMatrix scatter_matrix(const PointRows& points,
                           std::span<const double> weights,
                           const ColumnMeans& mean,
                           std::size_t threads,
                           SharedProgress& progress) {
  const std::size_t d = points.cols();
  const std::size_t chunk = sum_chunk(points.rows(), d);
  std::vector<DenseMatrix> parts(chunk_count(points.rows(), chunk));
  parallel_chunks(
      threads, points.rows(), chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
        if (progress({}) != Continue::yes) return;
        parts[c] = DenseMatrix(d, d);
        for (std::size_t i = begin; i < end; i += row_chunk) {
          const DenseMatrix block =
              weighted_block(points, weights, mean, i, std::min(end, i + row_chunk));
          add_products(block.view(), parts[c].view(), progress);
        }
      });
  if (progress.answer() != Continue::yes) throw Stopped(progress.answer());
  DenseMatrix scatter(d, d);
  for (const DenseMatrix& part : parts) axpy(1.0, part.values(), scatter.values());
  mirror_lower(scatter.view());
  return scatter;
}

DenseMatrix centred_gram(const PointRows& points,
                         std::span<const double> weights,
                         const ColumnMeans& mean,
                         std::size_t threads) {
  if (!points.is_dense()) return sparse_centred_gram(points, weights, mean.value, threads);
  const std::size_t n = points.rows();
  const DenseMatrix centred = weighted_block(points, weights, mean, 0, n);
  DenseMatrix gram(n, n);
  // Each band of rows meets all rows before its end: the lower triangle and a little more.
  parallel_chunks(threads, n, 64, [&](std::size_t, std::size_t begin, std::size_t end) {
    const MutableDenseView band{gram.view().row(begin).data(), end - begin, end, n};
    gemm(Transpose::no,
         Transpose::yes,
         1.0,
         centred.view().middle_rows(begin, end),
         centred.view().middle_rows(0, end),
         0.0,
         band);
  });
  mirror_lower(gram.view());
  return gram;
}

}  // namespace maxmargin
