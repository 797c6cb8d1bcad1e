// SPDX-License-Identifier: Apache-2.0
// One pass of Lloyd's method, dense and sparse, and the seeding.
#include <benchmark/benchmark.h>

#include <cstddef>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/solver/kmeans/kmeans.hpp"

namespace {

using namespace maxmargin;

DenseMatrix points_of(std::size_t n, std::size_t d, double filled) {
  Rng rng(1);
  DenseMatrix points(n, d);
  for (double& x : points.values()) x = rng.uniform() < filled ? rng.normal() : 0.0;
  return points;
}

DenseMatrix first_rows(const DenseMatrix& points, std::size_t k) {
  DenseMatrix rows(k, points.cols());
  for (std::size_t c = 0; c < k; ++c) {
    for (std::size_t j = 0; j < points.cols(); ++j) rows(c, j) = points(c, j);
  }
  return rows;
}

/// Two passes (the step and the final labels), the centred copy and the final inertia.
void dense_pass(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto d = static_cast<std::size_t>(state.range(1));
  const auto k = static_cast<std::size_t>(state.range(2));
  const DenseMatrix points = points_of(n, d, 1.0);
  const KmeansOptions options{.k = k,
                              .start_centres = first_rows(points, k),
                              .max_iterations = 1,
                              .context = {.threads = 1},
                              .lower_bound_limit = 0};
  for (auto _ : state) benchmark::DoNotOptimize(solve_kmeans(points.view(), options).inertia);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
}
BENCHMARK(dense_pass)->Args({20000, 50, 20})->Args({20000, 8, 10})->Args({20000, 50, 200});

void sparse_pass(benchmark::State& state) {
  const auto k = static_cast<std::size_t>(state.range(0));
  const DenseMatrix points = points_of(5000, 1000, 0.02);
  const SparseMatrix sparse = to_sparse(points.view());
  const KmeansOptions options{.k = k,
                              .start_centres = first_rows(points, k),
                              .max_iterations = 1,
                              .context = {.threads = 1},
                              .lower_bound_limit = 0};
  for (auto _ : state) benchmark::DoNotOptimize(solve_kmeans(sparse.view(), options).inertia);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(sparse.entries()));
}
BENCHMARK(sparse_pass)->Arg(10)->Arg(100);

void plus_plus_seeding(benchmark::State& state) {
  const auto k = static_cast<std::size_t>(state.range(0));
  const DenseMatrix points = points_of(20000, 50, 1.0);
  const KmeansOptions options{.k = k,
                              .restarts = 1,
                              .max_iterations = 1,
                              .context = {.threads = 1},
                              .lower_bound_limit = 0};
  for (auto _ : state) benchmark::DoNotOptimize(solve_kmeans(points.view(), options).inertia);
}
BENCHMARK(plus_plus_seeding)->Arg(20)->Arg(100);

}  // namespace
