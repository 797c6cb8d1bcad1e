// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/solver/structural_method.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "maxmargin/structured/tasks/chain.hpp"

/// Machines that label the positions of sequences: docs/guide/tagging.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT SequenceTaggerOptions {
  /// What is minimised and until when. C multiplies the sum of the sequences' losses.
  StructuralOptions solving = {};
  StructuralMethod method = StructuralMethod::block_frank_wolfe;
  /// Neighbouring labels that have weights: pairs, or triples, too.
  std::size_t order = 1;
  Rescaling rescaling = Rescaling::margin;
  /// What a wrong label costs by the true one, one for each label name; empty: 1.
  std::vector<double> label_weights = {};
  /// Predictions keep the rules of these chunk tags. Unset: any label may follow any other.
  std::optional<ChunkScheme> chunks = std::nullopt;
};

/// A trained one.
struct MAXMARGIN_EXPORT SequenceTagger {
  ChainTask task;
  std::vector<double> weights = {};
  /// One for each label of the task.
  std::vector<std::string> label_names = {};

  /// The labels of every sequence. The result does not depend on the number of threads.
  [[nodiscard]] std::vector<LabelSequence> predict(
      std::span<const Sequence> inputs, std::optional<std::size_t> threads = std::nullopt) const;
};

struct TrainedSequenceTagger {
  SequenceTagger model;
  /// As of the solver; the dual objective bounds the objective of all taggers from below.
  SolveReport report = {};
  std::uint64_t oracle_calls = 0;
};

/// Trains on labelled sequences. `start`: a state that `solving.on_checkpoint` was given in an
/// earlier run with the same data and options, which is gone on with. Throws InvalidArgument when
/// there is nothing to learn from, labels and inputs do not fit together, the labels break the
/// rules of `chunks`, or an option is wrong.
[[nodiscard]] MAXMARGIN_EXPORT TrainedSequenceTagger
train_sequence_tagger(const SequenceData& data,
                      const SequenceTaggerOptions& options = {},
                      const StructuralState* start = nullptr);

/// The objective that training minimises at given weights, by a loop of its own.
[[nodiscard]] MAXMARGIN_EXPORT double sequence_objective(const SequenceTagger& tagger,
                                                         const SequenceData& data,
                                                         double c,
                                                         Rescaling rescaling);

}  // namespace maxmargin
