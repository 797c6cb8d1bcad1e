// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "maxmargin/structured/tasks/multilabel.hpp"

/// Machines that give every row a set of labels: docs/algorithms/multilabel.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT MultilabelTrainingOptions {
  /// What is minimised and until when. C multiplies the sum of the rows' losses.
  StructuralOptions solving = {};
  StructuralMethod method = StructuralMethod::block_frank_wolfe;
  Rescaling rescaling = Rescaling::margin;
  /// Bias and weights of pairs of labels.
  MultilabelOptions task = {};
  void describe(OptionVisitor& visit);
};

/// A trained one.
struct MAXMARGIN_EXPORT MultilabelClassifier {
  MultilabelTask task;
  std::vector<double> weights = {};
  /// Sorted, one for each label of the task.
  std::vector<Label> labels = {};
  /// Applied to examples before anything else; empty: none.
  std::optional<Scaler> scaler = std::nullopt;
  /// Names of the features, when the data named them.
  std::vector<std::string> feature_names = {};

  /// The set of every row, sorted. Sparse rows may have fewer or more features (missing = 0, extra
  /// ignored). The result does not depend on the number of threads.
  [[nodiscard]] std::vector<std::vector<Label>> predict(
      const Examples& examples, std::optional<std::size_t> threads = std::nullopt) const;
  /// What each label adds to the score when it is there, pairs of labels aside: a row an example, a
  /// column a label.
  [[nodiscard]] DenseMatrix scores(const Examples& examples,
                                   std::optional<std::size_t> threads = std::nullopt) const;
};

struct TrainedMultilabel {
  MultilabelClassifier model;
  /// As of the solver; the dual objective bounds the objective of all weights from below.
  SolveReport report = {};
  std::uint64_t oracle_calls = 0;
};

/// Trains on rows with sets of labels (Dataset::label_sets); weights of the rows multiply C.
/// `start`: a state that `solving.on_checkpoint` was given in an earlier run with the same data and
/// options, which is resumed. Throws InvalidArgument for data without rows or labels and for
/// wrong options.
[[nodiscard]] MAXMARGIN_EXPORT TrainedMultilabel
train_multilabel(const Dataset& data,
                 const MultilabelTrainingOptions& options = {},
                 const StructuralState* start = nullptr);

/// The objective that training minimises at the weights of a model, by a loop of its own. The
/// labels of the data must be among those of the model.
[[nodiscard]] MAXMARGIN_EXPORT double multilabel_objective(const MultilabelClassifier& model,
                                                           const Dataset& data,
                                                           double c,
                                                           Rescaling rescaling,
                                                           const Context& context = {});

}  // namespace maxmargin
