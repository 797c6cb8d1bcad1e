// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/structural/ranking_risk.hpp"
#include "problem/structural/contingency_risk.hpp"
#include "problem/structural/pair_counts.hpp"

/// The oracles of ranking on one query of n rows: the fitted complexity must be n log n.
namespace maxmargin {
namespace {

constexpr std::size_t features = 20;

DenseMatrix random_rows(std::size_t n) {
  Rng rng(1);
  DenseMatrix rows(n, features);
  for (double& value : rows.values()) value = rng.normal();
  return rows;
}

Queries one_query(std::size_t n, std::size_t grades) {
  Rng rng(2);
  Queries queries = {.begins = {0, n}};
  for (std::size_t i = 0; i < n; ++i) {
    queries.grades.push_back(static_cast<double>(rng.index(grades)));
  }
  return queries;
}

std::vector<double> random_weights() {
  Rng rng(3);
  std::vector<double> w(features);
  for (double& value : w) value = 0.3 * rng.normal();
  return w;
}

void find_plane(benchmark::State& state, const StructuralRisk& risk) {
  const std::vector<double> w = random_weights();
  StructuralPlane plane;
  for (auto _ : state) {
    risk.largest_plane(0, w, plane);
    benchmark::DoNotOptimize(plane.offset);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetComplexityN(state.range(0));
}

/// Sorting and counting alone; range(1): number of grades.
void count_pairs(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto grades = static_cast<std::size_t>(state.range(1));
  Rng rng(4);
  std::vector<double> scores(n);
  std::vector<std::uint32_t> levels(n);
  for (std::size_t i = 0; i < n; ++i) {
    scores[i] = rng.normal();
    levels[i] = static_cast<std::uint32_t>(rng.index(grades));
  }
  PairCounts counts;
  for (auto _ : state) {
    count_violated_pairs(scores, levels, grades, counts);
    benchmark::DoNotOptimize(counts.violated);
  }
  state.counters["steps"] = static_cast<double>(counts.steps);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(count_pairs)
    ->ArgsProduct({{1000, 10000, 100000, 1000000}, {2, 5, 1000}})
    ->Unit(benchmark::kMicrosecond);

void plane_of_pairs(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const DenseMatrix rows = random_rows(n);
  find_plane(state, RankingRisk(PointRows(rows.view()), one_query(n, 5)));
}
BENCHMARK(plane_of_pairs)
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->Unit(benchmark::kMicrosecond)
    ->Complexity(benchmark::oNLogN);

void plane_of_f1(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const DenseMatrix rows = random_rows(n);
  find_plane(state,
             ContingencyRisk(PointRows(rows.view()), one_query(n, 2), {.loss = TableLoss::f1}));
}
BENCHMARK(plane_of_f1)
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->Unit(benchmark::kMicrosecond)
    ->Complexity(benchmark::oNLogN);

}  // namespace
}  // namespace maxmargin
