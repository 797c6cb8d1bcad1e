// SPDX-License-Identifier: Apache-2.0
#include "solver/saddle/unit_rows_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"

namespace maxmargin::unit_rows {

namespace {

/// Rows of a chunk: about so many numbers, so that starting a thread is worth it.
constexpr std::size_t chunk_numbers = 32768;

std::size_t chunk_rows(std::size_t cols) {
  return std::max<std::size_t>(1, chunk_numbers / std::max<std::size_t>(1, cols));
}

template <class Body>
void for_rows(std::size_t rows, std::size_t cols, std::size_t threads, const Body& body) {
  parallel_chunks(
      threads, rows, chunk_rows(cols), [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) body(i);
      });
}

void normalize_row(std::span<double> row) {
  const double length = std::sqrt(dot(row, row));
  if (length > 0 && std::isfinite(length)) {
    for (double& x : row) x /= length;
    return;
  }
  std::ranges::fill(row, 0.0);
  row.front() = 1;
}

}  // namespace

void normalize(MutableDenseView v, std::size_t threads) {
  for_rows(v.rows, v.cols, threads, [&](std::size_t i) { normalize_row(v.row(i)); });
}

void retract(
    DenseView v, double step, DenseView direction, MutableDenseView moved, std::size_t threads) {
  for_rows(v.rows, v.cols, threads, [&](std::size_t i) {
    const std::span<double> row = moved.row(i);
    std::ranges::copy(v.row(i), row.begin());
    axpy(step, direction.row(i), row);
    normalize_row(row);
  });
}

void project(DenseView v, MutableDenseView x, std::size_t threads) {
  for_rows(v.rows, v.cols, threads, [&](std::size_t i) {
    axpy(-dot(x.row(i), v.row(i)), v.row(i), x.row(i));
  });
}

double inner(DenseView x, DenseView y, std::size_t threads) {
  return parallel_sum(threads,
                      x.rows,
                      chunk_rows(x.cols),
                      0.0,
                      [&](std::size_t, std::size_t begin, std::size_t end) {
                        double sum = 0;
                        for (std::size_t i = begin; i < end; ++i) sum += dot(x.row(i), y.row(i));
                        return sum;
                      });
}

double norm(DenseView x, std::size_t threads) { return std::sqrt(inner(x, x, threads)); }

void add(double alpha, DenseView x, MutableDenseView y, std::size_t threads) {
  for_rows(x.rows, x.cols, threads, [&](std::size_t i) { axpy(alpha, x.row(i), y.row(i)); });
}

void scale(double alpha, MutableDenseView x, std::size_t threads) {
  for_rows(x.rows, x.cols, threads, [&](std::size_t i) {
    for (double& value : x.row(i)) value *= alpha;
  });
}

}  // namespace maxmargin::unit_rows
