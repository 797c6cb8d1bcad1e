// SPDX-License-Identifier: Apache-2.0
// docs/guide/tagging.md
#include "maxmargin/model/structured/sequence_tagger.hpp"

#include <algorithm>
#include <utility>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "model/structured/sequence_baselines.hpp"

namespace maxmargin {

namespace {

void check(const SequenceData& data) {
  const std::string& source = data.source;
  require(!data.inputs.empty(), source + ": there is no sequence to learn from");
  require(!data.labels.empty(), source + ": the sequences have no labels to learn from");
  require(data.labels.size() == data.inputs.size(),
          source + ": there must be labels for every sequence");
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    require(data.labels[i].size() == data.inputs[i].size(),
            source + ": sequence " + std::to_string(i + 1) + " has " +
                std::to_string(data.inputs[i].size()) + " positions and " +
                std::to_string(data.labels[i].size()) + " labels");
  }
}

ChainTask task_of(const SequenceData& data, const SequenceTaggerOptions& options) {
  ChainOptions chain{.labels = data.label_names.size(),
                     .features = data.features,
                     .step_features = data.step_features,
                     .order = options.order};
  if (!options.label_weights.empty()) {
    require(options.label_weights.size() == data.label_names.size(),
            "SequenceTaggerOptions.label_weights: there must be one for every label");
    chain.costs = costs_of_label_weights(options.label_weights);
  }
  if (options.chunks) {
    chain.rules = chunk_rules(data.label_names, *options.chunks);
    if (const auto place = first_forbidden(chain.rules, chain.labels, data.labels)) {
      throw InvalidArgument(data.source + ": the label " +
                            data.label_names[data.labels[place->sequence][place->position]] +
                            " at position " + std::to_string(place->position + 1) +
                            " of sequence " + std::to_string(place->sequence + 1) +
                            " breaks the rules of the chunk scheme");
    }
  }
  return ChainTask(std::move(chain));
}

StructuralSolution solve(const ChainTask& task,
                         const SequenceData& data,
                         const SequenceTaggerOptions& options,
                         const StructuralState* start) {
  if (options.criterion == SequenceCriterion::hinge) {
    const StructuralHinge<ChainTask> risk(task, data.inputs, data.labels, options.rescaling);
    return solve_structural(risk, options.method, options.solving, start);
  }
  require(start == nullptr, "train_sequence_tagger: only runs with the hinge can be gone on with");
  return options.criterion == SequenceCriterion::log_loss
             ? detail::train_chain_crf(task, data, options.solving)
             : detail::train_chain_perceptron(task, data, options.solving);
}

}  // namespace

std::vector<LabelSequence> SequenceTagger::predict(std::span<const Sequence> inputs,
                                                   std::optional<std::size_t> threads) const {
  constexpr std::size_t sequences_at_once = 16;
  std::vector<LabelSequence> labels(inputs.size());
  parallel_chunks(thread_count(threads),
                  inputs.size(),
                  sequences_at_once,
                  [&](std::size_t, std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                      labels[i] = task.predict(inputs[i], weights);
                    }
                  });
  return labels;
}

TrainedSequenceTagger train_sequence_tagger(const SequenceData& data,
                                            const SequenceTaggerOptions& options,
                                            const StructuralState* start) {
  check(data);
  if (options.criterion != SequenceCriterion::hinge) detail::require_no_hinge_options(options);
  SequenceTagger tagger{.task = task_of(data, options), .label_names = data.label_names};
  StructuralSolution found = solve(tagger.task, data, options, start);
  tagger.weights = std::move(found.w);
  return {.model = std::move(tagger),
          .report = std::move(found.report),
          .oracle_calls = found.oracle_calls};
}

double sequence_objective(const SequenceTagger& tagger,
                          const SequenceData& data,
                          double c,
                          Rescaling rescaling) {
  check(data);
  const StructuralHinge<ChainTask> risk(tagger.task, data.inputs, data.labels, rescaling);
  return structural_primal(risk, c, tagger.weights);
}

double sequence_log_objective(const SequenceTagger& tagger, const SequenceData& data, double c) {
  check(data);
  return detail::plain_crf_objective(tagger.task, data, c, tagger.weights);
}

}  // namespace maxmargin
