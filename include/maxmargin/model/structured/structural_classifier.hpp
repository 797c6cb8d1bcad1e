// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/taxonomy.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "maxmargin/structured/structural_hinge.hpp"

/// Classifiers trained as structural machines: docs/algorithms/cutting-plane.md ("Classes") and
/// docs/algorithms/hierarchy.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT StructuralClassifierOptions {
  /// What is minimised and until when. C multiplies the sum of the rows' losses.
  StructuralOptions solving = {};
  StructuralMethod method = StructuralMethod::block_frank_wolfe;
  Rescaling rescaling = Rescaling::margin;
  /// Value of a constant feature of every class, or node; finite, 0: none.
  double bias = 1;
  /// They multiply C, as do the weights of the rows.
  ClassWeights class_weights = {};
  bool allow_one_class = false;
  /// What predicting the column costs where the row is true, classes in the order of labels;
  /// empty: 1. Not together with a tree.
  DenseMatrix losses = {};
  /// Classes are the leaves of this tree, those that no row has included; they share weights along
  /// their paths, and the loss is half the edges between two. It must outlive the call.
  const Taxonomy* tree = nullptr;
  /// Inner nodes of the tree are classes, too.
  bool inner_nodes = false;
  /// Tree and losses are no options of users, who name files that hold them.
  void describe(OptionVisitor& visit);
};

struct TrainedStructuralClassifier {
  /// One linear function a class. In a tree it is the sum over the nodes of the path.
  Classifier model = {};
  /// As of the solver; the dual objective bounds the objective of all weights from below.
  SolveReport report = {};
  std::uint64_t oracle_calls = 0;
  /// What the solver found, of every class (or node) one after the other.
  std::vector<double> weights = {};
};

/// Trains on labelled rows. `start`: a state that `solving.on_checkpoint` was given in an earlier
/// run with the same data and options, which is resumed. Throws InvalidArgument as
/// classification_task does, for a label that is no class of the tree, and for wrong options.
[[nodiscard]] MAXMARGIN_EXPORT TrainedStructuralClassifier
train_structural_classifier(const Dataset& data,
                            const StructuralClassifierOptions& options = {},
                            const StructuralState* start = nullptr);

/// The objective that training minimises at given weights (TrainedStructuralClassifier::weights),
/// by a loop of its own.
[[nodiscard]] MAXMARGIN_EXPORT double structural_classifier_objective(
    const Dataset& data,
    const StructuralClassifierOptions& options,
    std::span<const double> weights,
    const Context& context = {});

}  // namespace maxmargin
