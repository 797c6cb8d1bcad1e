// SPDX-License-Identifier: Apache-2.0
// docs/guide/aligning.md
#include "maxmargin/model/structured/aligner.hpp"

#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "model/structured/asked_primal.hpp"

namespace maxmargin {

namespace {

/// Pairs that have a loss, with references as the task's kind has them.
struct LearnablePairs {
  std::vector<SequencePair> inputs = {};
  std::vector<Alignment> references = {};
  std::size_t left_out = 0;
};

LearnablePairs learnable(const AlignmentData& data, AlignmentKind kind) {
  const std::string source = data.source.empty() ? "the data" : data.source;
  require(!data.inputs.empty(), source + ": there is no pair of sequences to learn from");
  require(!data.references.empty(), source + ": the pairs have no alignments to learn from");
  data.validate();
  LearnablePairs pairs;
  for (std::size_t k = 0; k < data.size(); ++k) {
    const Alignment& reference = data.references[k];
    if (reference.matches() == 0) {
      ++pairs.left_out;
      continue;
    }
    pairs.inputs.push_back(data.inputs[k]);
    pairs.references.push_back(kind == AlignmentKind::local ? without_end_gaps(reference)
                                                            : reference);
  }
  require(!pairs.inputs.empty(), source + ": no alignment has a match");
  return pairs;
}

}  // namespace

void AlignerOptions::describe(OptionVisitor& visit) {
  describe_method(visit, method);
  solving.describe(visit);
  alignment.describe(visit);
}

std::vector<Alignment> Aligner::predict(std::span<const SequencePair> inputs,
                                        std::optional<std::size_t> threads) const {
  std::vector<Alignment> found(inputs.size());
  parallel_chunks(
      thread_count(threads), inputs.size(), 1, [&](std::size_t k, std::size_t, std::size_t) {
        found[k] = task.predict(inputs[k], weights);
      });
  return found;
}

TrainedAligner train_aligner(const AlignmentData& data,
                             const AlignerOptions& options,
                             const StructuralState* start) {
  validate(options);
  const LearnablePairs pairs = learnable(data, options.alignment.kind);
  Aligner aligner{.task = AlignmentTask(options.alignment)};
  const StructuralHinge<AlignmentTask> risk(aligner.task, pairs.inputs, pairs.references);
  StructuralSolution found = solve_structural(risk, options.method, options.solving, start);
  aligner.weights = std::move(found.w);
  if (pairs.left_out > 0) {
    found.report.warnings.push_back(std::to_string(pairs.left_out) +
                                    " pairs without a match in their reference are left out");
  }
  return {.model = std::move(aligner),
          .report = std::move(found.report),
          .oracle_calls = found.oracle_calls};
}

double aligner_objective(const Aligner& aligner,
                         const AlignmentData& data,
                         double c,
                         const Context& context) {
  const LearnablePairs pairs = learnable(data, aligner.task.options().kind);
  const StructuralHinge<AlignmentTask> risk(aligner.task, pairs.inputs, pairs.references);
  return asked_primal(risk, c, aligner.weights, context);
}

TabledAligner table_aligner(const AlignmentData& data,
                            const TableAlignerOptions& options,
                            std::optional<std::size_t> threads) {
  const LearnablePairs pairs = learnable(data, options.alignment.kind);
  TabledAligner found{.model = {.task = AlignmentTask(options.alignment)}};
  const AlignmentTask& task = found.model.task;
  const bool counted = options.table == SubstitutionTable::log_odds;
  std::vector<double> weights =
      counted ? log_odds_weights(task, pairs.inputs, pairs.references) : blosum62_weights(task, 0);
  if (counted && !options.gaps) {
    found.gap = weights[task.constant_gap_index()];
    if (options.alignment.gap_opening) found.opening = weights[task.gap_opening_index()];
    found.model.weights = std::move(weights);
    return found;
  }
  GapGrid grid = options.gaps.value_or(usual_gap_grid(task));
  grid.rule = options.alignment.rule;
  grid.context = options.context.with_threads(threads);
  TunedGaps tuned = tune_gaps(task, weights, pairs.inputs, pairs.references, grid);
  found.gap = tuned.gap;
  found.opening = tuned.opening;
  found.tried = tuned.tried;
  found.status = tuned.status;
  found.model.weights = std::move(tuned.weights);
  return found;
}

GapGrid usual_gap_grid(const AlignmentTask& task) {
  GapGrid grid;
  if (!task.options().gap_opening) {
    for (int half = 1; half <= 20; ++half) grid.gaps.push_back(-0.5 * half);
    return grid;
  }
  grid.gaps = {-0.5, -1, -1.5, -2};
  for (int opening = 4; opening <= 14; opening += 2) grid.openings.push_back(-opening);
  return grid;
}

}  // namespace maxmargin
