// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linalg/blas.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/row.hpp"

/// The hot functions of linalg. "flops" counts multiplications and additions.
namespace maxmargin {
namespace {

template <class T>
BasicDenseMatrix<T> random_matrix(std::size_t rows, std::size_t cols) {
  Rng rng(1, "bench matrix");
  BasicDenseMatrix<T> matrix(rows, cols);
  for (T& value : matrix.values()) value = static_cast<T>(rng.normal());
  return matrix;
}

/// Each entry is stored with probability `share`.
SparseMatrix random_sparse(std::size_t rows, std::size_t cols, double share) {
  Rng rng(2, "bench sparse matrix");
  DenseMatrix matrix(rows, cols);
  for (double& value : matrix.values()) value = rng.bernoulli(share) ? rng.normal() : 0.0;
  return to_sparse(matrix.view());
}

/// B B' + n I: condition number about 5, so that nothing is refused.
DenseMatrix positive_definite(std::size_t n) {
  const auto b = random_matrix<double>(n, n);
  DenseMatrix matrix(n, n);
  syrk_lower(Transpose::no, 1.0, b.view(), 0.0, matrix.view());
  for (std::size_t i = 0; i < n; ++i) matrix(i, i) += static_cast<double>(n);
  mirror_lower(matrix.view());
  return matrix;
}

std::size_t size_argument(const benchmark::State& state) {
  return static_cast<std::size_t>(state.range(0));
}

void count_flops(benchmark::State& state, double flops) {
  state.counters["flops"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

template <class T>
void bench_gemm(benchmark::State& state) {
  const std::size_t n = size_argument(state);
  const auto a = random_matrix<T>(n, n);
  const auto b = random_matrix<T>(n, n);
  BasicDenseMatrix<T> c(n, n);
  for (auto _ : state) {
    gemm(Transpose::no, Transpose::yes, T{1}, a.view(), b.view(), T{0}, c.view());
    benchmark::DoNotOptimize(c.data());
  }
  const auto size = static_cast<double>(n);
  count_flops(state, 2 * size * size * size);
}
BENCHMARK(bench_gemm<double>)->Arg(32)->Arg(256)->Arg(1024);
BENCHMARK(bench_gemm<float>)->Arg(32)->Arg(256)->Arg(1024);

template <class T>
void bench_syrk(benchmark::State& state) {
  const std::size_t n = size_argument(state);
  const auto a = random_matrix<T>(n, n);
  BasicDenseMatrix<T> c(n, n);
  for (auto _ : state) {
    syrk_lower(Transpose::no, T{1}, a.view(), T{0}, c.view());
    benchmark::DoNotOptimize(c.data());
  }
  const auto size = static_cast<double>(n);
  count_flops(state, size * size * (size + 1));
}
BENCHMARK(bench_syrk<double>)->Arg(256)->Arg(1024);
BENCHMARK(bench_syrk<float>)->Arg(256)->Arg(1024);

void bench_gemv(benchmark::State& state) {
  const std::size_t n = size_argument(state);
  const auto a = random_matrix<double>(n, n);
  const auto x = random_matrix<double>(1, n);
  std::vector<double> y(n);
  for (auto _ : state) {
    gemv(Transpose::no, 1.0, a.view(), x.values(), 0.0, y);
    benchmark::DoNotOptimize(y.data());
  }
  const auto size = static_cast<double>(n);
  count_flops(state, 2 * size * size);
}
BENCHMARK(bench_gemv)->Arg(64)->Arg(1024);

/// What a call costs beside the arithmetic shows at n = 8.
void bench_dot(benchmark::State& state) {
  const std::size_t n = size_argument(state);
  const auto x = random_matrix<double>(1, n);
  const auto y = random_matrix<double>(1, n);
  for (auto _ : state) benchmark::DoNotOptimize(dot(x.values(), y.values()));
  count_flops(state, 2 * static_cast<double>(n));
}
BENCHMARK(bench_dot)->Arg(8)->Arg(128)->Arg(4096);

void bench_row_squared_distance(benchmark::State& state) {
  const auto a = random_matrix<double>(2, size_argument(state));
  for (auto _ : state) {
    benchmark::DoNotOptimize(Row(a.row(0)).squared_distance(Row(a.row(1))));
  }
  count_flops(state, 3 * static_cast<double>(a.cols()));
}
BENCHMARK(bench_row_squared_distance)->Arg(16)->Arg(256);

/// Two sparse rows of 5 % of the columns each.
void bench_sparse_sparse_dot(benchmark::State& state) {
  const SparseMatrix a = random_sparse(2, size_argument(state), 0.05);
  for (auto _ : state) benchmark::DoNotOptimize(Row(a.row(0)).dot(Row(a.row(1))));
  state.counters["entries"] = benchmark::Counter(static_cast<double>(a.entries()),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(bench_sparse_sparse_dot)->Arg(200)->Arg(20000);

void bench_sparse_dense_dot(benchmark::State& state) {
  const SparseMatrix a = random_sparse(1, size_argument(state), 0.05);
  const auto w = random_matrix<double>(1, a.cols());
  for (auto _ : state) benchmark::DoNotOptimize(Row(a.row(0)).dot(w.values()));
  count_flops(state, 2 * static_cast<double>(a.entries()));
}
BENCHMARK(bench_sparse_dense_dot)->Arg(200)->Arg(20000);

void bench_eigen_symmetric(benchmark::State& state) {
  const DenseMatrix a = positive_definite(size_argument(state));
  for (auto _ : state) benchmark::DoNotOptimize(eigen_symmetric(a.view()));
}
BENCHMARK(bench_eigen_symmetric)->Arg(10)->Arg(100)->Arg(400)->Unit(benchmark::kMillisecond);

void bench_eigenvalues_symmetric(benchmark::State& state) {
  const DenseMatrix a = positive_definite(size_argument(state));
  for (auto _ : state) benchmark::DoNotOptimize(eigenvalues_symmetric(a.view()));
}
BENCHMARK(bench_eigenvalues_symmetric)->Arg(400)->Unit(benchmark::kMillisecond);

void bench_project_psd(benchmark::State& state) {
  DenseMatrix a = random_matrix<double>(size_argument(state), size_argument(state));
  mirror_lower(a.view());
  for (auto _ : state) benchmark::DoNotOptimize(project_psd(a.view()));
}
BENCHMARK(bench_project_psd)->Arg(400)->Unit(benchmark::kMillisecond);

/// The largest pair of a dense random matrix: where this beats eigen_symmetric.
void bench_extreme_eigenpair(benchmark::State& state) {
  DenseMatrix a = random_matrix<double>(size_argument(state), size_argument(state));
  mirror_lower(a.view());
  std::int64_t calls = 0;
  const SymmetricOperator multiply = [&](std::span<const double> x, std::span<double> y) {
    ++calls;
    gemv(Transpose::no, 1.0, a.view(), x, 0.0, y);
  };
  for (auto _ : state) benchmark::DoNotOptimize(extreme_eigenpairs(a.rows(), multiply));
  state.counters["calls"] =
      benchmark::Counter(static_cast<double>(calls), benchmark::Counter::kAvgIterations);
}
BENCHMARK(bench_extreme_eigenpair)->Arg(400)->Arg(1000)->Unit(benchmark::kMillisecond);

void bench_cholesky_factor(benchmark::State& state) {
  const DenseMatrix a = positive_definite(size_argument(state));
  for (auto _ : state) benchmark::DoNotOptimize(Cholesky::factor(a.view()));
}
BENCHMARK(bench_cholesky_factor)->Arg(100)->Arg(500)->Unit(benchmark::kMillisecond);

/// Growing from nothing to n rows: n times the mean cost of one append.
void bench_cholesky_append(benchmark::State& state) {
  const DenseMatrix a = positive_definite(size_argument(state));
  for (auto _ : state) {
    Cholesky cholesky;
    for (std::size_t i = 0; i < a.rows(); ++i) {
      benchmark::DoNotOptimize(cholesky.append(a.row(i).first(i), a(i, i)));
    }
  }
}
BENCHMARK(bench_cholesky_append)->Arg(100)->Arg(500)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace maxmargin
