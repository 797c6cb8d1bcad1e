// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "maxmargin/structured/tasks/chain.hpp"

/// Machines that label the positions of sequences: docs/guide/tagging.md.
namespace maxmargin {

/// What weights are to do on the training data.
enum class SequenceCriterion {
  hinge,      ///< least structural hinge, by a StructuralMethod
  log_loss,   ///< most probable labels, a CRF by L-BFGS: docs/algorithms/chain-crf.md
  perceptron  ///< no criterion; a baseline: docs/algorithms/structural-online.md
};
/// As the option solver has them, beside the names of methods.
template <>
inline constexpr auto names_of<SequenceCriterion> =
    name_table<SequenceCriterion>({{"hinge", SequenceCriterion::hinge},
                                   {"crf", SequenceCriterion::log_loss},
                                   {"perceptron", SequenceCriterion::perceptron}});

struct MAXMARGIN_EXPORT SequenceTaggerOptions {
  SequenceCriterion criterion = SequenceCriterion::hinge;
  /// What is minimised and until when. C multiplies the sum of the sequences' losses. The
  /// perceptron looks at max_passes, seed, memory_limit and on_progress alone. Only the hinge has
  /// checkpoints.
  StructuralOptions solving = {};
  /// Of the hinge alone.
  StructuralMethod method = StructuralMethod::block_frank_wolfe;
  /// Neighbouring labels that have weights: pairs, or with 2 triples, too; with 0 neither.
  /// log_loss: 1. Unset: 1.
  std::optional<std::uint64_t> order = std::nullopt;
  /// Of the hinge alone.
  Rescaling rescaling = Rescaling::margin;
  /// What a wrong label costs by the true one, one for each label name; empty: 1. Of the hinge
  /// alone: the others know right and wrong only.
  std::vector<double> label_weights = {};
  /// Predictions keep the rules of these chunk tags. Unset: any label may follow any other. The
  /// probabilities of log_loss are those without rules.
  std::optional<ChunkScheme> chunks = std::nullopt;

  /// Option solver stands for criterion and method. label_weights have no names here: the option
  /// for them belongs to who knows the labels.
  void describe(OptionVisitor& visit);
  /// The name of criterion and method: "bcfw", "crf".
  [[nodiscard]] std::string_view solver() const noexcept;
  /// Whether the objective in the report is that of the weights in the model.
  [[nodiscard]] bool reports_objective() const noexcept;
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
  /// As of the solver. hinge: the dual objective bounds the objective of all taggers from below.
  /// log_loss: lower_bound does. perceptron: the objective is the loss met in the last pass, and
  /// there is no bound.
  SolveReport report = {};
  /// Argmaxes; log_loss: sums over all labellings of a sequence.
  std::uint64_t oracle_calls = 0;
};

/// Trains on labelled sequences. `start`: a state that `solving.on_checkpoint` was given in an
/// earlier run with the same data and options, which is resumed. Throws InvalidArgument when
/// there is nothing to learn from, labels and inputs do not fit together, the labels break the
/// rules of `chunks`, or an option is wrong. log_loss has no features of steps; data with some is
/// refused.
[[nodiscard]] MAXMARGIN_EXPORT TrainedSequenceTagger
train_sequence_tagger(const SequenceData& data,
                      const SequenceTaggerOptions& options = {},
                      const StructuralState* start = nullptr);

/// The objective that training with the hinge minimises, at the tagger's weights, by a loop of its
/// own.
[[nodiscard]] MAXMARGIN_EXPORT double sequence_objective(const SequenceTagger& tagger,
                                                         const SequenceData& data,
                                                         double c,
                                                         Rescaling rescaling,
                                                         const Context& context = {});
/// The same of log_loss: 1/2 |w|^2 - C sum_i log p(y_i | x_i), computed in logs. Throws
/// InvalidArgument for a tagger of order 2 or with features of steps.
[[nodiscard]] MAXMARGIN_EXPORT double sequence_log_objective(const SequenceTagger& tagger,
                                                             const SequenceData& data,
                                                             double c,
                                                             const Context& context = {});

}  // namespace maxmargin
