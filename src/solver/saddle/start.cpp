// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/saddle.md
#include "solver/saddle/start.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/block_eigenpairs.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin::saddle {

namespace {

/// Principal components that V starts with, and the size of the noise beside them.
constexpr std::size_t start_components = 10;
constexpr double start_noise = 0.1;

}  // namespace

std::size_t default_columns(std::size_t rows) {
  std::size_t r = 1;
  while (r * (r + 1) / 2 <= rows) ++r;
  return std::min(r, rows);
}

void scale_to_one(std::span<double> row) {
  const double length = std::sqrt(dot(row, row));
  for (double& x : row) x /= length;
}

DenseMatrix first_rows(const Form& form,
                       const SaddleOptions& options,
                       const ProgressCallback& on_progress) {
  const std::size_t columns = options.columns.value_or(default_columns(form.rows().rows()));
  const std::size_t threads = thread_count(options.context.threads);
  const BlockEigen found =
      largest_eigenpairs(form.points(),
                         [&](DenseView vectors, MutableDenseView images) {
                           multiply_symmetric(form.kernel(), vectors, images, threads);
                         },
                         {.count = std::min({start_components, columns, form.points()}),
                          .tolerance = 1e-3,
                          .max_steps = 30,
                          .context = options.context.with_progress(on_progress)});
  DenseMatrix v(form.rows().rows(), columns);
  DenseMatrix components(form.points(), columns);
  const bool same = form.rows().is_identity();
  const MutableDenseView points = same ? v.view() : components.view();
  const std::size_t pairs = found.pairs.values.size();
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (std::size_t k = 0; k < pairs; ++k) {
      points(i, k) = std::sqrt(std::max(0.0, found.pairs.values[pairs - 1 - k])) *
                     found.pairs.vectors(pairs - 1 - k, i);
    }
  }
  form.rows().pull_back(points, v.view());
  Rng rng(options.context.seed, "label saddle");
  for (std::size_t i = 0; i < v.rows(); ++i) {
    const std::span<double> row = v.row(i);
    const double length = std::sqrt(dot(row, row));
    const double noise =
        (length > 0 ? start_noise * length : 1.0) / std::sqrt(static_cast<double>(columns));
    for (double& x : row) x += noise * rng.normal();
    scale_to_one(row);
  }
  return v;
}

}  // namespace maxmargin::saddle
