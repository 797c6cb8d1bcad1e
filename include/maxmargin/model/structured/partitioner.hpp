// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/partition.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "maxmargin/structured/tasks/partition.hpp"

/// Machines that divide sets of items into clusters: docs/guide/partitions.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT PartitionerOptions {
  /// What is minimised and until when. C multiplies the sum of the documents' losses.
  StructuralOptions solving = {};
  StructuralMethod method = StructuralMethod::block_frank_wolfe;
  /// The loss, and up to how many items the argmax is exact.
  PartitionOptions task = {};
  /// A document of more than task.exact_items items is an error, so that the gap is a certificate.
  bool only_exact = false;

  /// Option inference stands for exact_items and only_exact: "auto" up to the usual number of
  /// items, "greedy" never, "exact" for all documents.
  void describe(OptionVisitor& visit);
};

/// A trained one.
struct MAXMARGIN_EXPORT Partitioner {
  PartitionTask task;
  /// One for each feature of pairs.
  std::vector<double> weights = {};

  /// The clusters of every input. Features that the machine does not know count nothing. The result
  /// does not depend on the number of threads.
  [[nodiscard]] std::vector<Partition> predict(
      std::span<const PartitionInput> inputs,
      std::optional<std::size_t> threads = std::nullopt) const;
};

struct TrainedPartitioner {
  Partitioner model;
  /// As of the solver. The primal objective, and with it the gap, is an estimate from below unless
  /// exact_oracle.
  SolveReport report = {};
  std::uint64_t oracle_calls = 0;
  /// How often an argmax was below the truth, which then stood in for it.
  std::uint64_t oracle_misses = 0;
  /// Whether every document was small enough for the exact argmax.
  bool exact_oracle = false;
};

/// Trains on inputs with known partitions. `start`: a state that `solving.on_checkpoint` was given
/// in an earlier run with the same data and options, which is resumed. Throws InvalidArgument
/// when no document has two items, partitions are missing or not valid, an option is wrong, or
/// `only_exact` does not hold.
[[nodiscard]] MAXMARGIN_EXPORT TrainedPartitioner
train_partitioner(const PartitionData& data,
                  const PartitionerOptions& options = {},
                  const StructuralState* start = nullptr);

/// Whether the argmax is exact on every document, and with it the objective.
[[nodiscard]] MAXMARGIN_EXPORT bool has_exact_argmax(const PartitionData& data,
                                                     const PartitionOptions& options);

/// The objective that training minimises at given weights, by a loop of its own. Throws
/// InvalidArgument unless has_exact_argmax.
[[nodiscard]] MAXMARGIN_EXPORT double partitioner_objective(const Partitioner& partitioner,
                                                            const PartitionData& data,
                                                            double c,
                                                            const Context& context = {});

}  // namespace maxmargin
