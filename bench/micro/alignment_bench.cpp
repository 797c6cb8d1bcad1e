// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/structured/tasks/alignment.hpp"

namespace maxmargin {
namespace {

/// The loss-augmented argmax of a pair; items are cells.
void align(benchmark::State& state, SubstitutionModel model, GapModel gaps, bool opening) {
  const AlignmentData data =
      generate_alignments({.pairs = 1, .length = static_cast<std::size_t>(state.range(0))});
  const AlignmentTask task({.substitution = model, .gaps = gaps, .gap_opening = opening});
  Rng rng(1);
  std::vector<double> w(task.dimension());
  for (double& weight : w) weight = rng.normal();
  const auto& [target, known] = data.inputs.front();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        task.loss_augmented_argmax(data.inputs.front(), data.references.front(), w));
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(target.size() * known.size()));
}
BENCHMARK_CAPTURE(align, residues, SubstitutionModel::residues, GapModel::constant, false)
    ->Arg(100)
    ->Arg(500);
BENCHMARK_CAPTURE(align, residues_opening, SubstitutionModel::residues, GapModel::constant, true)
    ->Arg(100)
    ->Arg(500);
BENCHMARK_CAPTURE(
    align, residue_windows, SubstitutionModel::residue_windows, GapModel::constant, true)
    ->Arg(500);
BENCHMARK_CAPTURE(align, simple, SubstitutionModel::simple, GapModel::context, false)->Arg(500);
BENCHMARK_CAPTURE(align, window, SubstitutionModel::window, GapModel::context, false)->Arg(500);
BENCHMARK_CAPTURE(align, profile, SubstitutionModel::profile, GapModel::context, false)->Arg(500);

}  // namespace
}  // namespace maxmargin
