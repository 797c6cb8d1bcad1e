// SPDX-License-Identifier: Apache-2.0
#include "io/model/structured_file.hpp"

#include <string>
#include <utility>
#include <vector>

#include "io/model/machine_file_parts.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

std::size_t count_of(const ModelDocument& document, const std::string& name) {
  const std::int64_t value = document.integer(name);
  require(value >= 0, name + " is negative");
  return static_cast<std::size_t>(value);
}

/// The weights of pairs as one row.
void set_weights(ModelDocument& document, const std::vector<double>& weights) {
  const std::size_t size = weights.size();
  document.set_sparse("weights", to_sparse(DenseView{weights.data(), 1, size, size}));
}

std::vector<double> weights_of(const ModelDocument& document) {
  const SparseView row_of_weights = document.sparse("weights").view();
  require(row_of_weights.rows() == 1, "weights is not one row");
  demand_finite(document, "weights", row_of_weights.values);
  // How many columns there are is a claim, which no bytes of the file stand for.
  require_memory_for_numbers(1, row_of_weights.cols, "the weights of a partitioner");
  std::vector<double> weights(row_of_weights.cols, 0.0);
  const SparseRow row = row_of_weights.row(0);
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    weights[static_cast<std::size_t>(row.columns[k])] = row.values[k];
  }
  return weights;
}

/// What `load` reads; what is wrong with it is a fault of the file.
template <class Load>
auto partitioner_in(const ModelDocument& document, const Load& load) {
  try {
    return load();
  } catch (const InvalidArgument& broken) {
    throw ModelFormatError(document.source(), {}, std::string("partitioner: ") + broken.what());
  }
}

}  // namespace

void add_partitioner(ModelDocument& document, const Partitioner& partitioner) {
  const PartitionOptions& options = partitioner.task.options();
  document.set_string("loss", std::string(to_string(options.loss)));
  document.set_number("wrong_link", options.wrong_link);
  document.set_integer("exact_items", static_cast<std::int64_t>(options.exact_items));
  set_weights(document, partitioner.weights);
}

Partitioner partitioner_of(const ModelDocument& document) {
  return partitioner_in(document, [&] {
    std::vector<double> weights = weights_of(document);
    const std::size_t features = weights.size();
    return Partitioner{
        .task = PartitionTask(features,
                              {.loss = parse_name<PartitionLoss>(document.string("loss"), "loss"),
                               .wrong_link = document.number("wrong_link"),
                               .exact_items = count_of(document, "exact_items")}),
        .weights = std::move(weights)};
  });
}

void add_forest_partitioner(ModelDocument& document, const ForestPartitioner& partitioner) {
  document.set_number("wrong_link", partitioner.task.options().wrong_link);
  set_weights(document, partitioner.weights);
}

ForestPartitioner forest_partitioner_of(const ModelDocument& document) {
  return partitioner_in(document, [&] {
    std::vector<double> weights = weights_of(document);
    const std::size_t features = weights.size();
    return ForestPartitioner{
        .task = ForestTask(features, {.wrong_link = document.number("wrong_link")}),
        .weights = std::move(weights)};
  });
}

}  // namespace maxmargin
