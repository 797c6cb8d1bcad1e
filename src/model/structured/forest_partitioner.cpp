// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/coreference.md
#include "maxmargin/model/structured/forest_partitioner.hpp"

#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "core/recomputation.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/metric/structured/partition.hpp"
#include "maxmargin/structured/latent_training.hpp"
#include "model/structured/asked_primal.hpp"
#include "model/structured/partition_data_checks.hpp"

namespace maxmargin {

namespace {

/// a_i of the page; empty: 1 each.
std::vector<double> weights_of(const PartitionData& data, DocumentWeight kind) {
  std::vector<double> weights;
  if (kind == DocumentWeight::one) return weights;
  for (const PartitionInput& input : data.inputs) {
    // Without items there is no loss, either.
    weights.push_back(input.items == 0 ? 1.0 : 1 / static_cast<double>(input.items));
  }
  return weights;
}

std::vector<LinkForest> chains_of(const ForestTask& task, const PartitionData& data) {
  std::vector<LinkForest> chains;
  chains.reserve(data.size());
  for (std::size_t d = 0; d < data.size(); ++d) {
    chains.push_back(task.chain(data.inputs[d], data.partitions[d]));
  }
  return chains;
}

LatentStart latent_start(ForestStart start) {
  switch (start) {
    case ForestStart::random:
      return LatentStart::random;
    case ForestStart::weights:
      return LatentStart::weights;
    case ForestStart::chain:
      break;
  }
  return LatentStart::given;
}

/// 1 - MITRE loss of what weights predict; nothing where it has no value.
std::optional<double> link_f1(const ForestPartitioner& machine,
                              const PartitionData& data,
                              std::optional<std::size_t> threads) {
  const std::vector<Partition> predicted = machine.predict(data.inputs, threads);
  PartitionScore sum;
  for (std::size_t d = 0; d < data.size(); ++d) {
    sum.add(score_partition(data.partitions[d], predicted[d]).muc);
  }
  const double f1 = sum.f1();
  return std::isnan(f1) ? std::nullopt : std::optional(f1);
}

}  // namespace

void ForestPartitionerOptions::describe(OptionVisitor& visit) {
  search.describe(visit, {});
  task.describe(visit);
  visit.name({.name = "start",
              .help = "links at the start: neighbours of a cluster, random, or those best for a "
                      "model",
              .value = "KIND"},
             start);
  visit.name({.name = "document-weight",
              .help = "what multiplies the loss of a document: 1, or 1 / its mentions",
              .value = "KIND"},
             document_weight);
}

std::vector<Partition> ForestPartitioner::predict(std::span<const PartitionInput> inputs,
                                                  std::optional<std::size_t> threads) const {
  std::vector<Partition> partitions(inputs.size());
  // Documents differ much in size: one at a time.
  parallel_chunks(thread_count(threads),
                  inputs.size(),
                  1,
                  [&](std::size_t, std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                      partitions[i] = task.predict(inputs[i], weights).clusters;
                    }
                  });
  return partitions;
}

TrainedForestPartitioner train_forest_partitioner(const PartitionData& data,
                                                  const ForestPartitionerOptions& options,
                                                  const StructuralState* start) {
  validate(options);
  require_partitions_to_learn(data);
  TrainedForestPartitioner trained{.model = {.task = ForestTask(data.features, options.task)}};
  const ForestTask& task = trained.model.task;
  LatentOptions search = options.search;
  search.start = latent_start(options.start);
  require(search.start != LatentStart::weights || search.start_weights.size() == data.features,
          "the weights to start from must be one for each feature of the data");
  search.measure = [&](std::span<const double> w) {
    return link_f1(
        {.task = task, .weights = {w.begin(), w.end()}}, data, search.solving.context.threads);
  };
  const std::vector<LinkForest> chains = chains_of(task, data);
  const std::vector<double> weights = weights_of(data, options.document_weight);
  trained.search = train_latent<ForestTask>(task, data.inputs, chains, weights, search, start);
  trained.model.weights = std::move(trained.search.w);
  trained.search.w.clear();
  return trained;
}

double forest_partitioner_objective(const ForestPartitioner& partitioner,
                                    const PartitionData& data,
                                    double c,
                                    DocumentWeight kind,
                                    const Context& context) {
  require_partitions_to_learn(data);
  const ForestTask& task = partitioner.task;
  require(data.features <= partitioner.weights.size(),
          about(data) + ": has more features than the machine");
  std::vector<LinkForest> truths = chains_of(task, data);
  for (std::size_t i = 0; i < truths.size(); ++i) {
    ask_in_verify(context);
    truths[i] = task.complete(data.inputs[i], truths[i], partitioner.weights);
  }
  const std::vector<double> weights = weights_of(data, kind);
  const StructuralHinge<ForestTask> hinge(task, data.inputs, truths, Rescaling::margin, weights);
  return asked_primal(hinge, c, partitioner.weights, context);
}

}  // namespace maxmargin
