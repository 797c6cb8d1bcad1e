// SPDX-License-Identifier: Apache-2.0
#include "io/model/structured_file.hpp"

#include <span>
#include <utility>

#include "io/model/machine_file_parts.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/io/model/scaler_file.hpp"

namespace maxmargin {

namespace {

/// Numbers of one label: its features and, with a bias, one more.
std::size_t block_of(const MultilabelTask& task) {
  return task.features() + (task.options().bias != 0 ? 1 : 0);
}

void require_order(const std::vector<Label>& labels) {
  require(!labels.empty(), "there are no labels");
  for (std::size_t l = 1; l < labels.size(); ++l) {
    require(labels[l - 1] < labels[l], "the labels are not sorted, each once");
  }
}

}  // namespace

void add_multilabel(ModelDocument& document, const MultilabelClassifier& model) {
  const MultilabelTask& task = model.task;
  const std::size_t block = block_of(task);
  document.set_labels("labels", model.labels);
  document.set_integer("features", static_cast<std::int64_t>(task.features()));
  document.set_number("bias", task.options().bias);
  document.set_boolean("interactions", task.options().interactions);
  document.set_sparse("weights",
                      to_sparse(DenseView{model.weights.data(), task.labels(), block, block}));
  if (task.options().interactions) {
    const std::span pairs = std::span(model.weights).subspan(task.labels() * block);
    document.set_numbers("pairs", std::vector<double>(pairs.begin(), pairs.end()));
  }
  if (!model.feature_names.empty()) document.set_strings("feature_names", model.feature_names);
  if (model.scaler) store_scaler(*model.scaler, document);
}

MultilabelClassifier multilabel_of(const ModelDocument& document) {
  try {
    std::vector<Label> labels = document.labels("labels");
    require_order(labels);
    const std::int64_t features = document.integer("features");
    require(features >= 0, "features is negative");
    MultilabelClassifier model{
        .task = MultilabelTask(
            static_cast<std::size_t>(features),
            labels.size(),
            {.bias = document.number("bias"), .interactions = document.boolean("interactions")}),
        .labels = std::move(labels)};
    const SparseView weights = document.sparse("weights").view();
    const std::size_t block = block_of(model.task);
    require(weights.rows() == model.labels.size() && weights.cols == block,
            "weights has not one number for every label and feature");
    demand_finite(document, "weights", weights.values);
    // How many features there are is a claim, which no bytes of the file stand for.
    require_memory_for_numbers(model.labels.size(), block, "the weights of label sets");
    model.weights.assign(model.labels.size() * block, 0.0);
    for (std::size_t l = 0; l < weights.rows(); ++l) {
      const SparseRow row = weights.row(l);
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        model.weights[l * block + static_cast<std::size_t>(row.columns[k])] = row.values[k];
      }
    }
    if (model.task.options().interactions) {
      const std::vector<double>& pairs = document.numbers("pairs");
      demand_finite(document, "pairs", pairs);
      model.weights.insert(model.weights.end(), pairs.begin(), pairs.end());
    }
    require(model.weights.size() == model.task.dimension(),
            "pairs has not one number for every pair of labels");
    if (document.has("feature_names")) {
      model.feature_names = document.strings("feature_names");
      require(model.feature_names.size() == model.task.features(),
              "feature_names has not one name for every feature");
    }
    if (Scaler scaler = load_scaler(document); scaler.options.kind != ScalingKind::none) {
      require(scaler.features() == model.task.features(), "the scaler has other features");
      model.scaler = std::move(scaler);
    }
    return model;
  } catch (const InvalidArgument& broken) {
    throw ModelFormatError(document.source(), {}, std::string("label sets: ") + broken.what());
  }
}

}  // namespace maxmargin
