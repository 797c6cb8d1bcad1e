// SPDX-License-Identifier: Apache-2.0
// The hot functions of the kernel module. Items are kernel values, or exponentials.
#include <benchmark/benchmark.h>

#include <numeric>

#include "kernel/tiles/fast_exp.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/kernel/rows/rows.hpp"

namespace {

using namespace maxmargin;

Examples random_examples(std::size_t n, std::size_t d, double share, bool sparse) {
  Rng rng(1);
  DenseMatrix data(n, d);
  for (double& value : data.values()) value = rng.bernoulli(share) ? rng.uniform() : 0.0;
  if (sparse) return to_sparse(data.view());
  return data;
}

void count_values(benchmark::State& state, std::size_t per_iteration) {
  state.SetItemsProcessed(static_cast<std::int64_t>(per_iteration) * state.iterations());
}

void exp_float(benchmark::State& state) {
  std::vector<float> values(4096);
  for (auto _ : state) {
    std::fill(values.begin(), values.end(), -1.5f);
    exp_in_place(values);
    benchmark::DoNotOptimize(values.data());
  }
  count_values(state, values.size());
}
BENCHMARK(exp_float);

void gram_dense(benchmark::State& state, const Kernel& kernel) {
  const Examples data = random_examples(2048, 200, 1, false);
  for (auto _ : state)
    benchmark::DoNotOptimize(gram_float(kernel, data, {.context = {.threads = 1}}).data());
  count_values(state, 2048 * 2049 / 2);
}
BENCHMARK_CAPTURE(gram_dense, linear, Linear{});
BENCHMARK_CAPTURE(gram_dense, rbf, Rbf{.gamma = 0.01});
BENCHMARK_CAPTURE(gram_dense, laplace, Laplace{.gamma = 0.01});
BENCHMARK_CAPTURE(gram_dense, chi_square, ChiSquare{.gamma = 0.01});
BENCHMARK_CAPTURE(gram_dense, intersection, HistogramIntersection{});

void gram_sparse(benchmark::State& state, const Kernel& kernel) {
  const Examples data = random_examples(2048, 2000, 0.02, true);
  for (auto _ : state)
    benchmark::DoNotOptimize(gram_float(kernel, data, {.context = {.threads = 1}}).data());
  count_values(state, 2048 * 2049 / 2);
}
BENCHMARK_CAPTURE(gram_sparse, rbf, Rbf{.gamma = 0.01});
BENCHMARK_CAPTURE(gram_sparse, laplace, Laplace{.gamma = 0.01});

/// Rows asked for together, none cached, of 8,192 examples.
template <class T>
void time_rows(benchmark::State& state, std::size_t columns, double share) {
  const Examples data = random_examples(8192, columns, share, share < 1);
  BasicKernelRows<T> rows(Rbf{.gamma = 0.01}, data, {.cache_bytes = 0, .context = {.threads = 1}});
  std::vector<std::size_t> wanted(static_cast<std::size_t>(state.range(0)));
  std::iota(wanted.begin(), wanted.end(), std::size_t{100});
  for (auto _ : state) benchmark::DoNotOptimize(rows.rows(wanted).data());
  count_values(state, wanted.size() * data.rows());
}
void kernel_rows(benchmark::State& state, std::size_t columns, double share) {
  time_rows<float>(state, columns, share);
}
void kernel_rows_double(benchmark::State& state, std::size_t columns, double share) {
  time_rows<double>(state, columns, share);
}
BENCHMARK_CAPTURE(kernel_rows, two_columns, 2, 1.0)->Arg(1)->Arg(8)->Arg(128);
BENCHMARK_CAPTURE(kernel_rows, dense, 200, 1.0)->Arg(1)->Arg(8)->Arg(128);
BENCHMARK_CAPTURE(kernel_rows, sparse, 2000, 0.02)->Arg(1)->Arg(8)->Arg(128);
BENCHMARK_CAPTURE(kernel_rows_double, dense, 200, 1.0)->Arg(128);
BENCHMARK_CAPTURE(kernel_rows_double, sparse, 2000, 0.02)->Arg(128);

}  // namespace
