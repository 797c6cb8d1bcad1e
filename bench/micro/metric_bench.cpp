// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/metric/classification.hpp"
#include "maxmargin/metric/cluster/assignment.hpp"
#include "maxmargin/metric/cluster/clustering.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "maxmargin/metric/scores.hpp"

namespace maxmargin {
namespace {

std::vector<std::int32_t> random_labels(std::size_t n, std::size_t kinds, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::int32_t> labels(n);
  for (auto& label : labels) label = static_cast<std::int32_t>(rng.index(kinds));
  return labels;
}

DenseMatrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix matrix(rows, cols);
  for (double& value : matrix.values()) value = rng.normal();
  return matrix;
}

void count_confusions(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto truth = random_labels(n, 10, 1);
  const auto predicted = random_labels(n, 10, 2);
  for (auto _ : state) benchmark::DoNotOptimize(accuracy(ConfusionMatrix(truth, predicted)));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(count_confusions)->Arg(1000000);

void area_under_curve(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto truth = random_labels(n, 2, 1);
  const DenseMatrix scores = random_matrix(n, 1, 2);
  for (auto _ : state) benchmark::DoNotOptimize(roc_auc(truth, scores.values()));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(area_under_curve)->Arg(1000000);

void match_square_matrix(benchmark::State& state) {
  const auto k = static_cast<std::size_t>(state.range(0));
  const DenseMatrix cost = random_matrix(k, k, 1);
  for (auto _ : state) benchmark::DoNotOptimize(solve_assignment(cost.view()).cost);
}
BENCHMARK(match_square_matrix)->Arg(10)->Arg(100)->Arg(1000);

void compare_partitions(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto classes = random_labels(n, 10, 1);
  const auto clusters = random_labels(n, 20, 2);
  for (auto _ : state) {
    const Contingency table(classes, clusters);
    benchmark::DoNotOptimize(misassignment(table) + adjusted_rand_index(table));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(compare_partitions)->Arg(1000000);

void inertia_of_points(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Examples points = random_matrix(n, 50, 1);
  const auto clusters = random_labels(n, 20, 2);
  for (auto _ : state) benchmark::DoNotOptimize(sum_of_squares(points, clusters).total);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(inertia_of_points)->Arg(100000);

void silhouettes(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Examples points = random_matrix(n, 50, 1);
  const auto clusters = random_labels(n, 5, 2);
  for (auto _ : state) benchmark::DoNotOptimize(silhouette(points, clusters, 1).mean);
}
BENCHMARK(silhouettes)->Arg(2000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace maxmargin
