// SPDX-License-Identifier: Apache-2.0
//
// coreference: items divided into clusters by hidden links (docs/guide/partitions.md).
#include <array>
#include <string_view>
#include <utility>

#include "io/model/structured_file.hpp"
#include "learner/header.hpp"
#include "learner/structured/checkpoints.hpp"
#include "learner/structured/fingerprint.hpp"
#include "learner/structured/fold_measures.hpp"
#include "learner/structured/latent.hpp"
#include "learner/structured/partition_answers.hpp"
#include "learner/structured/partition_data.hpp"
#include "learner/structured/partition_measures.hpp"
#include "learner/structured/structured.hpp"
#include "maxmargin/learner/model.hpp"
#include "maxmargin/model/structured/forest_partitioner.hpp"

namespace maxmargin::learning {

namespace {

struct CoreferenceChoice {
  ForestPartitionerOptions partitioner = {};
  StartModelChoice start_model = {};
  MentionPairOptions pairs = {};
  CheckpointChoice checkpoints = {};

  void describe(OptionVisitor& visit) {
    partitioner.describe(visit);
    start_model.describe(visit, partitioner.start == ForestStart::weights);
    pairs.describe(visit);
    checkpoints.describe(visit);
  }
};

/// The weights of a model for data that was read as it was trained.
std::vector<double> weights_in(const StartModelChoice& choice,
                               const PartitionCollection& given,
                               std::size_t features) {
  constexpr std::array<std::string_view, 2> learners = {"coreference", "partition"};
  const ModelDocument document = choice.load(learners).document();
  const bool is_own = document.learner() == learners[0];
  std::vector<double> weights =
      is_own ? forest_partitioner_of(document).weights : partitioner_of(document).weights;
  (void)known_pairs(document, weights.size(), given);
  require_start_weights(*choice.path, weights.size(), features);
  return weights;
}

ModelDocument body_of(PartitionFormat format,
                      const MentionPairOptions& pairs,
                      const ForestPartitioner& machine) {
  ModelDocument body("coreference");
  keep_pairs(body, format, pairs);
  add_forest_partitioner(body, machine);
  return body;
}

StructuredFit train(const PartitionCollection& given,
                    const CoreferenceChoice& choice,
                    const StructuredInput& input) {
  input.timer.enter("prepare");
  const PairedItems items = items_to_learn_from(given, choice.pairs);
  const PartitionData& data = items.data();
  ForestPartitionerOptions options = choice.partitioner;
  StructuralOptions& solving = options.search.solving;
  solving.context = input.context;
  Fingerprint hash;
  hash.mix(fingerprint(data));
  if (choice.start_model.path) {
    options.search.start_weights = weights_in(choice.start_model, given, data.features);
    hash.mix(std::span<const double>(options.search.start_weights));
  }
  Checkpoints checkpoints(
      choice.checkpoints, options.search.method, input.run, hash.value(), solving);
  input.timer.leave();
  TrainedForestPartitioner trained = train_forest_partitioner(data, options, checkpoints.start());
  input.timer.enter("measure");
  const std::vector<Partition> predicted =
      trained.model.predict(data.inputs, input.context.threads);
  PartitionMeasures measures;
  for (std::size_t d = 0; d < data.size(); ++d) measures.add(data.partitions[d], predicted[d]);
  RunReport own;
  measures.add_to(own);
  own.metrics.emplace_back("listed_pairs", share_of_listed_pairs(data));
  StructuredFit fit{.body = body_of(given.format, choice.pairs, trained.model),
                    .examples = data.size(),
                    .weights = trained.model.task.dimension(),
                    .metrics = std::move(own.metrics),
                    .of_data = {{"format", std::string(to_string(given.format))}}};
  add_search(trained.search, "muc_f1", fit);
  checkpoints.add_warnings(fit.report);
  return fit;
}

Prediction predict(const ModelDocument& model,
                   const PartitionCollection& given,
                   const NoOptions& /*choice*/,
                   const Context& context,
                   PhaseTimer& timer) {
  const ForestPartitioner machine = forest_partitioner_of(model);
  return partition_prediction(
      model, machine.task.dimension(), given, timer, [&](std::span<const PartitionInput> inputs) {
        return machine.predict(inputs, context.threads);
      });
}

double objective(const ModelDocument& model,
                 const PartitionCollection& given,
                 const CoreferenceChoice& choice,
                 const Context& context) {
  const ForestPartitioner machine = forest_partitioner_of(model);
  const PairedItems items(given, known_pairs(model, machine.task.dimension(), given));
  return forest_partitioner_objective(machine,
                                      items.data(),
                                      choice.partitioner.search.solving.c,
                                      choice.partitioner.document_weight,
                                      context);
}

std::size_t features_of_pairs(const ModelDocument& model) {
  return forest_partitioner_of(model).task.dimension();
}

}  // namespace

void add_coreference(LearnerList& list) {
  using Entry =
      StructuredEntry<PartitionCollection, CoreferenceChoice, NoOptions, PartitionSourceOptions>;
  using Functions = StructuredFunctions<PartitionCollection,
                                        CoreferenceChoice,
                                        NoOptions,
                                        PartitionSourceOptions>;
  list.push_back(std::make_unique<Entry>(
      LearnerInfo{.name = "coreference",
                  .summary = "clusters of items that hang together by hidden links",
                  .task = Task::partition,
                  .data = DataKind::partitions,
                  .formula = "min 1/2 |w|^2 + C sum_i a_i (max_h (loss(y_i, h) + w.Phi(x_i, h)) - "
                             "max_h of y_i w.Phi(x_i, h))",
                  .page = "docs/algorithms/coreference.md",
                  .example = "builtin:shelves",
                  .class_name = "ForestPartitioner",
                  .ending = Ending::search},
      Functions{train, predict, objective, nullptr, evaluate_partitions, features_of_pairs},
      measures_of_partitions));
}

}  // namespace maxmargin::learning
