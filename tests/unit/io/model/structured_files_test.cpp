// SPDX-License-Identifier: Apache-2.0
// What the files of all structured machines have in common; the rest is tested beside the machines.
#include <gtest/gtest.h>

#include <limits>

#include "io/model/structured_file.hpp"
#include "maxmargin/core/error.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

/// The document of a model with 0.5 for each weight but one.
template <class Model, class Add>
ModelDocument document_of(Model model, std::size_t at, double weight, const Add& add) {
  model.weights.assign(model.task.dimension(), 0.5);
  model.weights[at] = weight;
  ModelDocument document("any", "a.model");
  add(document, model);
  return document;
}

/// Loads a model with the weight `weight` at place `at`, which is in the field `name` of the file.
template <class Model, class Add, class Load>
void expect_finite_weights(
    const Model& model, std::size_t at, const std::string& name, const Add& add, const Load& load) {
  EXPECT_EQ(load(document_of(model, at, -1.5, add)).weights[at], -1.5);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const double wrong : {infinite, -infinite, std::numeric_limits<double>::quiet_NaN()}) {
    const ModelDocument document = document_of(model, at, wrong, add);
    EXPECT_EQ(problem_of<ModelFormatError>([&] { (void)load(document); }),
              "a.model: the model's '" + name + "' holds a value that is not finite");
  }
}

TEST(StructuredFiles, WeightsThatAreNotFiniteAreRefused) {
  const SequenceTagger tagger{.task = ChainTask({.labels = 2, .features = 3}),
                              .label_names = {"a", "b"}};
  expect_finite_weights(tagger, 1, "weights", add_sequence_tagger, sequence_tagger_of);
  const Aligner aligner{.task = AlignmentTask()};
  expect_finite_weights(aligner, 23, "weights", add_aligner, aligner_of);
  const Partitioner partitioner{.task = PartitionTask(4)};
  expect_finite_weights(partitioner, 2, "weights", add_partitioner, partitioner_of);
  const ForestPartitioner forests{.task = ForestTask(4)};
  expect_finite_weights(forests, 2, "weights", add_forest_partitioner, forest_partitioner_of);
  const MultilabelClassifier labels{.task = MultilabelTask(2, 3, {.interactions = true}),
                                    .labels = {Label(1.0), Label(2.0), Label(3.0)}};
  expect_finite_weights(labels, 0, "weights", add_multilabel, multilabel_of);
  expect_finite_weights(
      labels, labels.task.dimension() - 1, "pairs", add_multilabel, multilabel_of);
}

TEST(StructuredFiles, ATaggerWithoutCostsIsRefused) {
  // They would be made: labels x labels numbers, for a file of as many names.
  ModelDocument document("sequence", "a.model");
  document.set_strings("labels", {"a", "b"});
  document.set_integer("features", 1);
  document.set_integer("step_features", 0);
  document.set_integer("order", 0);
  document.set_boolean("begin", false);
  document.set_boolean("end", false);
  document.set_numbers("costs", {});
  document.set_sparse("weights", to_sparse(DenseMatrix(1, 2, 1.0).view()));
  EXPECT_EQ(problem_of<ModelFormatError>([&] { (void)sequence_tagger_of(document); }),
            "a.model: sequence tagger: costs has not one number for every two labels");
}

}  // namespace
}  // namespace maxmargin
