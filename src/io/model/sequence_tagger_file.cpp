// SPDX-License-Identifier: Apache-2.0
#include "io/model/structured_file.hpp"

#include <utility>

#include "io/model/machine_file_parts.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

std::vector<double> to_numbers(const std::vector<std::uint8_t>& table) {
  return {table.begin(), table.end()};
}

std::vector<std::uint8_t> table_of(const ModelDocument& document, const std::string& name) {
  std::vector<std::uint8_t> table;
  if (!document.has(name)) return table;
  for (const double x : document.numbers(name)) {
    require(x == 0 || x == 1, name + " holds something else than 0 and 1");
    table.push_back(static_cast<std::uint8_t>(x));
  }
  return table;
}

void set_table(ModelDocument& document,
               const std::string& name,
               const std::vector<std::uint8_t>& table) {
  if (!table.empty()) document.set_numbers(name, to_numbers(table));
}

std::size_t count_of(const ModelDocument& document, const std::string& name) {
  const std::int64_t value = document.integer(name);
  require(value >= 0, name + " is negative");
  return static_cast<std::size_t>(value);
}

}  // namespace

void add_sequence_tagger(ModelDocument& document, const SequenceTagger& tagger) {
  const ChainOptions& chain = tagger.task.options();
  document.set_strings("labels", tagger.label_names);
  document.set_integer("features", static_cast<std::int64_t>(chain.features));
  document.set_integer("step_features", static_cast<std::int64_t>(chain.step_features));
  document.set_integer("order", static_cast<std::int64_t>(chain.order));
  document.set_boolean("begin", chain.begin);
  document.set_boolean("end", chain.end);
  document.set_numbers("costs", chain.costs);
  set_table(document, "rules.first", chain.rules.first);
  set_table(document, "rules.next", chain.rules.next);
  set_table(document, "rules.last", chain.rules.last);
  // Weights of one feature, or after one label, lie side by side: a row of one number a label.
  const std::size_t labels = tagger.task.labels();
  const std::size_t rows = tagger.weights.size() / labels;
  document.set_sparse("weights", to_sparse(DenseView{tagger.weights.data(), rows, labels, labels}));
}

SequenceTagger sequence_tagger_of(const ModelDocument& document) {
  try {
    std::vector<std::string> names = document.strings("labels");
    // A chain without costs would make a table of them, which no bytes of the file stand for.
    require(!document.numbers("costs").empty(), "costs has not one number for every two labels");
    SequenceTagger tagger{.task = ChainTask({.labels = names.size(),
                                             .features = count_of(document, "features"),
                                             .step_features = count_of(document, "step_features"),
                                             .order = count_of(document, "order"),
                                             .begin = document.boolean("begin"),
                                             .end = document.boolean("end"),
                                             .costs = document.numbers("costs"),
                                             .rules = {.first = table_of(document, "rules.first"),
                                                       .next = table_of(document, "rules.next"),
                                                       .last = table_of(document, "rules.last")}})};
    const SparseView weights = document.sparse("weights").view();
    require(
        weights.cols == names.size() && weights.rows() * names.size() == tagger.task.dimension(),
        "weights has not one number for every weight of the chain");
    demand_finite(document, "weights", weights.values);
    require_memory_for_numbers(weights.rows(), weights.cols, "the weights of a sequence tagger");
    tagger.weights.assign(tagger.task.dimension(), 0.0);
    for (std::size_t i = 0; i < weights.rows(); ++i) {
      const SparseRow row = weights.row(i);
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        tagger.weights[i * weights.cols + static_cast<std::size_t>(row.columns[k])] = row.values[k];
      }
    }
    tagger.label_names = std::move(names);
    return tagger;
  } catch (const InvalidArgument& broken) {
    throw ModelFormatError(document.source(), {}, std::string("sequence tagger: ") + broken.what());
  }
}

}  // namespace maxmargin
