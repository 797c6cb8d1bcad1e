// SPDX-License-Identifier: Apache-2.0
// docs/guide/partitions.md
#include "maxmargin/model/structured/partitioner.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "model/structured/asked_primal.hpp"
#include "model/structured/partition_data_checks.hpp"

namespace maxmargin {

namespace {

/// The first document with more items than the exact argmax takes; their number when there is none.
std::size_t first_large(const PartitionData& data, std::size_t exact_items) {
  const auto is_large = [&](const PartitionInput& input) { return input.items > exact_items; };
  return static_cast<std::size_t>(std::ranges::find_if(data.inputs, is_large) -
                                  data.inputs.begin());
}

/// Up to how many items the argmax is exact, by name.
class InferenceValue final : public detail::NameChoice {
 public:
  explicit InferenceValue(PartitionerOptions& options)
      : NameChoice({automatic, greedy, exact}), options_(options) {}
  [[nodiscard]] bool set(std::string_view text) override {
    if (text != automatic && text != greedy && text != exact) return false;
    options_.only_exact = text == exact;
    options_.task.exact_items = text == exact    ? PartitionTask::most_exact_items
                                : text == greedy ? 0
                                                 : PartitionOptions{}.exact_items;
    return true;
  }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override {
    if (options_.only_exact) return std::string(exact);
    return std::string(options_.task.exact_items == 0 ? greedy : automatic);
  }
  /// A number of items of its own has no name.
  [[nodiscard]] bool has_text() const override {
    const std::size_t items = options_.task.exact_items;
    if (options_.only_exact) return items == PartitionTask::most_exact_items;
    return items == 0 || items == PartitionOptions{}.exact_items;
  }

 private:
  static constexpr std::string_view automatic = "auto";
  static constexpr std::string_view greedy = "greedy";
  static constexpr std::string_view exact = "exact";

  PartitionerOptions& options_;
};

template <class Task>
void train(const Task& task,
           const PartitionData& data,
           const PartitionerOptions& options,
           const StructuralState* start,
           TrainedPartitioner& trained) {
  const StructuralHinge<Task> risk(task, data.inputs, data.partitions);
  StructuralSolution found = solve_structural(risk, options.method, options.solving, start);
  trained.model.weights = std::move(found.w);
  trained.report = std::move(found.report);
  trained.oracle_calls = found.oracle_calls;
  trained.oracle_misses = risk.misses();
  trained.exact_oracle = risk.is_exact();
}

}  // namespace

void PartitionerOptions::describe(OptionVisitor& visit) {
  describe_method(visit, method);
  solving.describe(visit);
  task.describe(visit);
  InferenceValue inference(*this);
  visit.option({.name = "inference",
                .help = "worst partitions: auto is exact up to 12 items, exact takes at most 16"},
               inference);
}

std::vector<Partition> Partitioner::predict(std::span<const PartitionInput> inputs,
                                            std::optional<std::size_t> threads) const {
  std::vector<Partition> partitions(inputs.size());
  // Documents differ much in size: one at a time.
  parallel_chunks(thread_count(threads),
                  inputs.size(),
                  1,
                  [&](std::size_t, std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                      partitions[i] = task.predict(inputs[i], weights);
                    }
                  });
  return partitions;
}

TrainedPartitioner train_partitioner(const PartitionData& data,
                                     const PartitionerOptions& options,
                                     const StructuralState* start) {
  validate(options);
  require_partitions_to_learn(data);
  const std::size_t large = first_large(data, options.task.exact_items);
  if (options.only_exact && large < data.size()) {
    throw InvalidArgument(about(data) + ": document " + std::to_string(large + 1) + " has " +
                          std::to_string(data.inputs[large].items) +
                          " items, the exact argmax takes at most " +
                          std::to_string(options.task.exact_items));
  }
  TrainedPartitioner trained{.model = {.task = PartitionTask(data.features, options.task)}};
  if (large == data.size()) {
    train(ExactPartitionTask(data.features, options.task), data, options, start, trained);
  } else {
    train(trained.model.task, data, options, start, trained);
  }
  return trained;
}

bool has_exact_argmax(const PartitionData& data, const PartitionOptions& options) {
  return first_large(data, options.exact_items) == data.size();
}

double partitioner_objective(const Partitioner& partitioner,
                             const PartitionData& data,
                             double c,
                             const Context& context) {
  require_partitions_to_learn(data);
  const PartitionOptions& options = partitioner.task.options();
  require(has_exact_argmax(data, options),
          about(data) + ": a document has more items than the exact argmax takes, " +
              std::to_string(options.exact_items));
  const ExactPartitionTask task(partitioner.task.dimension(), options);
  const StructuralHinge<ExactPartitionTask> risk(task, data.inputs, data.partitions);
  return asked_primal(risk, c, partitioner.weights, context);
}

}  // namespace maxmargin
