// SPDX-License-Identifier: Apache-2.0
// Viterbi of chains in tokens a second, beside the memory's own speed for such reads
// (docs/algorithms/chain.md, "Against memory bandwidth").
#include <benchmark/benchmark.h>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/structured/tasks/chain.hpp"

namespace maxmargin {
namespace {

constexpr std::size_t length = 25;
constexpr std::size_t entries = 25;
constexpr std::size_t sentences = 400;
constexpr auto tokens = static_cast<std::int64_t>(sentences * length);

std::vector<Sequence> random_inputs(std::size_t features, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Sequence> inputs(sentences);
  for (Sequence& x : inputs) {
    for (std::size_t t = 0; t < length; ++t) {
      for (std::size_t e = 0; e < entries; ++e) {
        x.indices.push_back(static_cast<std::uint32_t>(rng.index(features)));
      }
      x.begins.push_back(x.indices.size());
    }
  }
  return inputs;
}

std::vector<double> random_weights(std::size_t size, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> w(size);
  for (double& weight : w) weight = rng.uniform(-1, 1);
  return w;
}

/// Arguments: labels, order, features. 2,000 features lie in the caches, 1,000,000 do not.
void BM_Viterbi(benchmark::State& state) {
  const ChainTask task({.labels = static_cast<std::size_t>(state.range(0)),
                        .features = static_cast<std::size_t>(state.range(2)),
                        .order = static_cast<std::size_t>(state.range(1))});
  const std::vector<double> w = random_weights(task.dimension(), 1);
  const std::vector<Sequence> inputs = random_inputs(task.options().features, 2);
  for (auto _ : state) {
    for (const Sequence& x : inputs) benchmark::DoNotOptimize(task.predict(x, w));
  }
  state.SetItemsProcessed(state.iterations() * tokens);
  state.SetBytesProcessed(state.iterations() * tokens * static_cast<std::int64_t>(entries) *
                          state.range(0) * 8);
}
BENCHMARK(BM_Viterbi)
    ->ArgsProduct({{9, 22, 48}, {1}, {2000, 1000000}})
    ->Args({22, 2, 2000})
    ->Unit(benchmark::kMillisecond);

/// The same reads of weights and nothing else: what memory allows.
void BM_ReadRows(benchmark::State& state) {
  const auto labels = static_cast<std::size_t>(state.range(0));
  const auto features = static_cast<std::size_t>(state.range(1));
  const std::vector<double> w = random_weights(features * labels, 1);
  const std::vector<Sequence> inputs = random_inputs(features, 2);
  for (auto _ : state) {
    double sum = 0;
    for (const Sequence& x : inputs) {
      // One number of every cache line.
      for (const std::uint32_t feature : x.indices) {
        double row = w[feature * labels + labels - 1];
        for (std::size_t q = 0; q < labels; q += 8) row += w[feature * labels + q];
        sum += row;
      }
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * tokens);
}
BENCHMARK(BM_ReadRows)->ArgsProduct({{9, 22, 48}, {2000, 1000000}})->Unit(benchmark::kMillisecond);

/// Arguments: labels. The loss-scaled argmax has a layer for every number of errors.
void BM_LossScaled(benchmark::State& state) {
  const ChainTask task({.labels = static_cast<std::size_t>(state.range(0)), .features = 2000});
  const std::vector<double> w = random_weights(task.dimension(), 1);
  const std::vector<Sequence> inputs = random_inputs(2000, 2);
  const LabelSequence truth(length, 1);
  for (auto _ : state) {
    for (const Sequence& x : inputs) benchmark::DoNotOptimize(task.loss_scaled_argmax(x, truth, w));
  }
  state.SetItemsProcessed(state.iterations() * tokens);
}
BENCHMARK(BM_LossScaled)->Arg(9)->Arg(22)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace maxmargin
