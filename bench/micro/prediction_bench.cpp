// SPDX-License-Identifier: Apache-2.0
// Prediction with 10,000 support vectors: values of one function and of all pairs of 26 classes.
#include <benchmark/benchmark.h>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/model/classifier.hpp"

namespace maxmargin {
namespace {

constexpr std::size_t vectors = 10000;
constexpr std::size_t rows = 4096;

DenseMatrix points(std::size_t n, std::size_t d, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix matrix(n, d);
  for (double& x : matrix.values()) x = rng.uniform(-1, 1);
  return matrix;
}

/// `count` ones in every row of `d` columns.
SparseMatrix ones(std::size_t n, std::size_t d, std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix matrix(n, d, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t j : rng.sample(d, count)) matrix(i, j) = 1;
  }
  return to_sparse(matrix.view());
}

/// Coefficients of a machine with `classes` classes; a vector takes part in a quarter of the
/// functions of its class.
DenseMatrix coefficients(std::size_t n, std::size_t classes, std::uint64_t seed) {
  Rng rng(seed);
  if (classes == 2) {
    DenseMatrix matrix(n, 1);
    for (double& c : matrix.values()) c = rng.uniform(-1, 1);
    return matrix;
  }
  DenseMatrix matrix(n, classes * (classes - 1) / 2, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t f = 0;
    for (std::size_t a = 0; a < classes; ++a) {
      for (std::size_t b = a + 1; b < classes; ++b, ++f) {
        const bool takes_part = i % classes == a || i % classes == b;
        if (!takes_part || rng.bernoulli(0.75)) continue;
        matrix(i, f) = (i % classes == a ? 1 : -1) * rng.uniform();
      }
    }
  }
  return matrix;
}

/// Arguments: features, classes, precision (0 fast, 1 exact, 2 as Classifier::answer chooses).
void run(benchmark::State& state, Examples support, const Examples& examples) {
  const auto classes = static_cast<std::size_t>(state.range(1));
  Classifier model{.code = one_vs_one_code(classes)};
  for (std::size_t c = 0; c < classes; ++c) model.classes.emplace_back(static_cast<double>(c));
  KernelExpansion expansion{.kernel = Rbf{.gamma = 1.0 / static_cast<double>(support.cols())},
                            .vectors = std::move(support)};
  expansion.coefficients = coefficients(vectors, classes, 3);
  expansion.offsets.assign(model.code.functions, 0.1);
  model.functions = std::move(expansion);
  const DecisionOptions options{.precision = state.range(2) == 1 ? ValuePrecision::exact
                                                                 : ValuePrecision::fast};
  for (auto _ : state) {
    if (state.range(2) == 2) {
      benchmark::DoNotOptimize(model.answer(examples));
    } else {
      benchmark::DoNotOptimize(bounded_decision_values(model.functions, examples, options));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows * vectors));
}

void BM_PredictDense(benchmark::State& state) {
  const auto d = static_cast<std::size_t>(state.range(0));
  run(state, points(vectors, d, 1), points(rows, d, 2));
}
BENCHMARK(BM_PredictDense)
    ->ArgsProduct({{16, 100, 500}, {2, 26}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void BM_PredictSparse(benchmark::State& state) {
  const auto d = static_cast<std::size_t>(state.range(0));
  run(state, ones(vectors, d, 14, 1), ones(rows, d, 14, 2));
}
BENCHMARK(BM_PredictSparse)
    ->ArgsProduct({{123}, {2, 26}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace maxmargin
