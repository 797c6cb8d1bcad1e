// SPDX-License-Identifier: Apache-2.0
#include "io/model/structured_file.hpp"

#include <string>

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

}  // namespace

void add_partitioner(ModelDocument& document, const Partitioner& partitioner) {
  const PartitionOptions& options = partitioner.task.options();
  document.set_string("loss", std::string(to_string(options.loss)));
  document.set_number("wrong_link", options.wrong_link);
  document.set_integer("exact_items", static_cast<std::int64_t>(options.exact_items));
  const std::size_t size = partitioner.weights.size();
  document.set_sparse("weights", to_sparse(DenseView{partitioner.weights.data(), 1, size, size}));
}

Partitioner partitioner_of(const ModelDocument& document) {
  try {
    const SparseView weights = document.sparse("weights").view();
    require(weights.rows() == 1, "weights is not one row");
    demand_finite(document, "weights", weights.values);
    // How many columns there are is a claim, which no bytes of the file stand for.
    require_memory_for_numbers(1, weights.cols, "the weights of a partitioner");
    Partitioner partitioner{
        .task = PartitionTask(weights.cols,
                              {.loss = parse_name<PartitionLoss>(document.string("loss"), "loss"),
                               .wrong_link = document.number("wrong_link"),
                               .exact_items = count_of(document, "exact_items")}),
        .weights = std::vector<double>(weights.cols, 0.0)};
    const SparseRow row = weights.row(0);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      partitioner.weights[static_cast<std::size_t>(row.columns[k])] = row.values[k];
    }
    return partitioner;
  } catch (const InvalidArgument& broken) {
    throw ModelFormatError(document.source(), {}, std::string("partitioner: ") + broken.what());
  }
}

}  // namespace maxmargin
