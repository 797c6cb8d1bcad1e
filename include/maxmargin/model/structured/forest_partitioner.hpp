// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/partition.hpp"
#include "maxmargin/solver/structural/latent.hpp"
#include "maxmargin/structured/tasks/forest.hpp"

/// Machines that divide sets of items into clusters by hidden links: docs/guide/partitions.md,
/// docs/algorithms/coreference.md.
namespace maxmargin {

/// The links that a training begins with.
enum class ForestStart {
  chain,   ///< every item with the next one of its cluster
  random,  ///< from the seed
  weights  ///< those that are best for given weights
};
template <>
inline constexpr auto names_of<ForestStart> =
    name_table<ForestStart>({{"chain", ForestStart::chain},
                             {"random", ForestStart::random},
                             {"weights", ForestStart::weights}});

/// What multiplies the loss of a document.
enum class DocumentWeight {
  one,  ///< nothing: long documents weigh more
  size  ///< 1 / its number of items
};
template <>
inline constexpr auto names_of<DocumentWeight> =
    name_table<DocumentWeight>({{"one", DocumentWeight::one}, {"size", DocumentWeight::size}});

struct MAXMARGIN_EXPORT ForestPartitionerOptions {
  /// Its `start` has no effect, `start` below has; `start_weights` are those of
  /// ForestStart::weights.
  LatentOptions search = {.method = StructuralMethod::block_frank_wolfe};
  ForestOptions task = {};
  ForestStart start = ForestStart::chain;
  DocumentWeight document_weight = DocumentWeight::one;

  void describe(OptionVisitor& visit);
};

/// A trained one.
struct MAXMARGIN_EXPORT ForestPartitioner {
  ForestTask task;
  /// One for each feature of pairs.
  std::vector<double> weights = {};

  /// The clusters of every input. Features that the machine does not know count nothing. The result
  /// does not depend on the number of threads.
  [[nodiscard]] std::vector<Partition> predict(
      std::span<const PartitionInput> inputs,
      std::optional<std::size_t> threads = std::nullopt) const;
};

struct TrainedForestPartitioner {
  ForestPartitioner model;
  /// Report, runs (their measure is the F1 of links) and trace; w is empty, as the model has it.
  LatentSolution search = {};
};

/// Trains on inputs with known partitions. `start`: a state that `search.solving.on_checkpoint`
/// was given in an earlier run with the same data and options, which is resumed. Throws
/// InvalidArgument when no document has two items, partitions are missing or not valid, or an
/// option is wrong.
[[nodiscard]] MAXMARGIN_EXPORT TrainedForestPartitioner
train_forest_partitioner(const PartitionData& data,
                         const ForestPartitionerOptions& options = {},
                         const StructuralState* start = nullptr);

/// The objective that training minimises at given weights: completes every truth and finds every
/// rival anew, one document after the other. Throws Stopped when told to stop.
[[nodiscard]] MAXMARGIN_EXPORT double forest_partitioner_objective(
    const ForestPartitioner& partitioner,
    const PartitionData& data,
    double c,
    DocumentWeight weight,
    const Context& context = {});

}  // namespace maxmargin
