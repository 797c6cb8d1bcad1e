// SPDX-License-Identifier: Apache-2.0
//
// partition: items divided into clusters (docs/guide/partitions.md).
#include <utility>

#include "io/model/structured_file.hpp"
#include "learner/header.hpp"
#include "learner/structured/checkpoints.hpp"
#include "learner/structured/fold_measures.hpp"
#include "learner/structured/partition_answers.hpp"
#include "learner/structured/partition_data.hpp"
#include "learner/structured/partition_measures.hpp"
#include "learner/structured/rows.hpp"
#include "learner/structured/structured.hpp"
#include "maxmargin/model/structured/partitioner.hpp"
#include "maxmargin/structured/mention_pairs.hpp"

namespace maxmargin::learning {

namespace {

struct PartitionChoice {
  PartitionerOptions partitioner = {};
  MentionPairOptions pairs = {};
  CheckpointChoice checkpoints = {};

  void describe(OptionVisitor& visit) {
    partitioner.describe(visit);
    pairs.describe(visit);
    checkpoints.describe(visit);
  }
};

ModelDocument body_of(PartitionFormat format,
                      const MentionPairOptions& pairs,
                      const TrainedPartitioner& trained) {
  ModelDocument body("partition");
  keep_pairs(body, format, pairs);
  add_partitioner(body, trained.model);
  body.set_string("oracle", trained.exact_oracle ? "exact" : "inexact");
  return body;
}

StructuredFit train(const PartitionCollection& given,
                    const PartitionChoice& choice,
                    const StructuredInput& input) {
  input.timer.enter("prepare");
  const PairedItems items = items_to_learn_from(given, choice.pairs);
  const PartitionData& data = items.data();
  PartitionerOptions options = choice.partitioner;
  options.solving.context = input.context;
  Checkpoints checkpoints(
      choice.checkpoints, options.method, input.run, fingerprint(data), options.solving);
  input.timer.leave();
  TrainedPartitioner trained = train_partitioner(data, options, checkpoints.start());
  checkpoints.add_warnings(trained.report);
  input.timer.enter("measure");
  const std::vector<Partition> predicted =
      trained.model.predict(data.inputs, input.context.threads);
  PartitionMeasures measures;
  for (std::size_t d = 0; d < data.size(); ++d) measures.add(data.partitions[d], predicted[d]);
  RunReport own;
  measures.add_to(own);
  own.metrics.emplace_back("listed_pairs", share_of_listed_pairs(data));
  own.metrics.emplace_back("oracle_calls", static_cast<double>(trained.oracle_calls));
  own.metrics.emplace_back("oracle_misses", static_cast<double>(trained.oracle_misses));
  StructuredFit fit{.body = body_of(given.format, choice.pairs, trained),
                    .report = std::move(trained.report),
                    .examples = data.size(),
                    .weights = trained.model.task.dimension(),
                    .metrics = std::move(own.metrics),
                    .of_data = {{"format", std::string(to_string(given.format))}},
                    .exact_oracle = trained.exact_oracle};
  if (options.task.loss != PartitionLoss::links)
    fit.used.emplace_back("wrong_link", std::monostate{});
  return fit;
}

Prediction predict(const ModelDocument& model,
                   const PartitionCollection& given,
                   const NoOptions& /*choice*/,
                   const Context& context,
                   PhaseTimer& timer) {
  const Partitioner partitioner = partitioner_of(model);
  return partition_prediction(model,
                              partitioner.task.dimension(),
                              given,
                              timer,
                              [&](std::span<const PartitionInput> inputs) {
                                return partitioner.predict(inputs, context.threads);
                              });
}

std::string inexact_search() {
  return "the search for the worst partitions is not exact on this data, so there is no "
         "certificate to recompute; --inference exact takes documents of at most " +
         std::to_string(PartitionTask::most_exact_items) + " items";
}

double objective(const ModelDocument& model,
                 const PartitionCollection& given,
                 const PartitionChoice& choice,
                 const Context& context) {
  const Partitioner partitioner = partitioner_of(model);
  const PairedItems items(given, known_pairs(model, partitioner.task.dimension(), given));
  // How large documents are is known here first.
  if (!has_exact_argmax(items.data(), partitioner.task.options())) {
    throw NothingToVerify(inexact_search());
  }
  return partitioner_objective(partitioner, items.data(), choice.partitioner.solving.c, context);
}

std::size_t features_of_pairs(const ModelDocument& model) {
  return partitioner_of(model).task.dimension();
}

std::string no_certificate(const PartitionChoice& choice) {
  // Without an exact search for any document, whatever the data.
  if (choice.partitioner.task.exact_items == 0) return inexact_search();
  return no_certificate_of(choice.partitioner.method);
}

}  // namespace

void add_partition(LearnerList& list) {
  using Entry =
      StructuredEntry<PartitionCollection, PartitionChoice, NoOptions, PartitionSourceOptions>;
  using Functions =
      StructuredFunctions<PartitionCollection, PartitionChoice, NoOptions, PartitionSourceOptions>;
  list.push_back(std::make_unique<Entry>(
      LearnerInfo{.name = "partition",
                  .summary = "clusters of items, from features of pairs",
                  .task = Task::partition,
                  .data = DataKind::partitions,
                  .formula = "min 1/2 |w|^2 + C sum_i max_y (loss(y_i, y) - "
                             "w.(Phi(x_i, y_i) - Phi(x_i, y)))",
                  .page = "docs/algorithms/partition.md",
                  .example = "builtin:shelves",
                  .class_name = "Partitioner"},
      Functions{train, predict, objective, no_certificate, evaluate_partitions, features_of_pairs},
      measures_of_partitions));
}

}  // namespace maxmargin::learning
