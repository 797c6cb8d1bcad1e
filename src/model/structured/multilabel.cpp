// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/multilabel.md
#include "maxmargin/model/structured/multilabel.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "model/structured/asked_primal.hpp"
#include "model/structured/rows.hpp"
#include "structured/tasks/multiclass.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t rows_at_once = 64;

std::string name_of(const Dataset& data) { return data.source.empty() ? "the data" : data.source; }

void check(const Dataset& data) {
  data.validate();
  require(data.size() > 0, name_of(data) + " has no rows to learn from");
  require(data.label_sets.size() == data.size(),
          name_of(data) + " has no sets of labels to learn from");
}

/// All labels that occur, sorted.
std::vector<Label> labels_of(const Dataset& data) {
  std::vector<Label> labels;
  for (const std::vector<Label>& set : data.label_sets) {
    labels.insert(labels.end(), set.begin(), set.end());
  }
  std::ranges::sort(labels);
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  require(!labels.empty(), name_of(data) + " has no row with a label");
  return labels;
}

std::vector<LabelFlags> flags_of(const Dataset& data, std::span<const Label> labels) {
  std::vector<LabelFlags> all;
  all.reserve(data.size());
  for (const std::vector<Label>& set : data.label_sets) {
    LabelFlags flags(labels.size(), 0);
    for (const Label& label : set) {
      const std::optional<std::int32_t> at = find_class(labels, label);
      require(at.has_value(), "the model has no label \"" + label.text() + "\"");
      flags[static_cast<std::size_t>(*at)] = 1;
    }
    all.push_back(std::move(flags));
  }
  return all;
}

/// Calls visit(i, row) for every row as the model sees it, in parallel.
template <class Visit>
void for_each_row(const MultilabelClassifier& model,
                  const Examples& examples,
                  std::optional<std::size_t> threads,
                  const Visit& visit) {
  require(!examples.is_dense() || examples.cols() == model.task.features(),
          "dense examples must have as many columns as the model features");
  std::optional<Examples> scaled;
  if (model.scaler) scaled = model.scaler->apply(examples);
  const Examples& seen = scaled ? *scaled : examples;
  parallel_chunks(thread_count(threads),
                  seen.rows(),
                  rows_at_once,
                  [&](std::size_t, std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) visit(i, seen.row(i));
                  });
}

}  // namespace

std::vector<std::vector<Label>> MultilabelClassifier::predict(
    const Examples& examples, std::optional<std::size_t> threads) const {
  std::vector<std::vector<Label>> sets(examples.rows());
  for_each_row(*this, examples, threads, [&](std::size_t i, const Row& row) {
    const LabelFlags flags = task.predict(row, weights);
    for (std::size_t l = 0; l < flags.size(); ++l) {
      if (flags[l] != 0) sets[i].push_back(labels[l]);
    }
  });
  return sets;
}

DenseMatrix MultilabelClassifier::scores(const Examples& examples,
                                         std::optional<std::size_t> threads) const {
  DenseMatrix all(examples.rows(), labels.size());
  for_each_row(*this, examples, threads, [&](std::size_t i, const Row& row) {
    std::ranges::copy(task.label_scores(row, weights), all.row(i).begin());
  });
  return all;
}

void MultilabelTrainingOptions::describe(OptionVisitor& visit) {
  solving.describe(visit, row_passes_words);
  describe_method(visit, method);
  describe_rescaling(visit, rescaling);
  visit.yes_no({.name = "interactions", .help = "weights of pairs of labels, at most 20 labels"},
               task.interactions);
  describe_constant(visit, task.bias);
}

TrainedMultilabel train_multilabel(const Dataset& data,
                                   const MultilabelTrainingOptions& options,
                                   const StructuralState* start) {
  validate(options);
  check(data);
  std::vector<Label> labels = labels_of(data);
  MultilabelClassifier model{.task = MultilabelTask(data.features(), labels.size(), options.task),
                             .labels = std::move(labels),
                             .feature_names = data.feature_names};
  const std::vector<Row> rows = rows_of(data);
  const std::vector<LabelFlags> outputs = flags_of(data, model.labels);
  StructuralSolution found;
  {
    const StructuralHinge<MultilabelTask> risk(
        model.task, rows, outputs, options.rescaling, data.weights);
    found =
        solve_structural(risk, options.method, row_solving(options.solving, options.method), start);
  }
  model.weights = std::move(found.w);
  return {.model = std::move(model),
          .report = std::move(found.report),
          .oracle_calls = found.oracle_calls};
}

double multilabel_objective(const MultilabelClassifier& model,
                            const Dataset& data,
                            double c,
                            Rescaling rescaling,
                            const Context& context) {
  check(data);
  require(!model.scaler, "scale the data, not the model");
  const std::vector<Row> rows = rows_of(data);
  const std::vector<LabelFlags> outputs = flags_of(data, model.labels);
  const StructuralHinge<MultilabelTask> risk(model.task, rows, outputs, rescaling, data.weights);
  return asked_primal(risk, c, model.weights, context);
}

}  // namespace maxmargin
