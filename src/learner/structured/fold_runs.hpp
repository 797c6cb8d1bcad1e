// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "learner/fold_trainings.hpp"
#include "learner/structured/examples.hpp"
#include "learner/structured/structured.hpp"
#include "maxmargin/eval/cross_validation.hpp"
#include "maxmargin/eval/grid_search.hpp"

/// Trainings of structured learners over folds: what cross-validation and search share.
namespace maxmargin::learning {

/// A structured learner with data, options and folds to measure it on. The references must outlive
/// it.
struct StructuredFoldRun {
  const StructuredLearner& learner;
  const ExampleList& examples;
  /// Without files (options_without_files).
  const OptionTexts& options;
  const Context& context;
  FoldMeasure measure = {};
  std::vector<Fold> folds = {};
};

/// The measure of that name, or the learner's usual one. Throws InvalidArgument for an unknown one.
[[nodiscard]] FoldMeasure fold_measure_for(const StructuredLearner& learner,
                                           const std::string& name);

/// `trainings` is told of every training that was not stopped, and of the options that the first
/// fold used. Each fold is trained as by hand on its examples, with the seed of the run.
[[nodiscard]] CrossValidation run_folds(const StructuredFoldRun& run, FoldTrainings& trainings);
/// The same of every point of the grid.
[[nodiscard]] GridSearch run_grid(const StructuredFoldRun& run,
                                  const Grid& grid,
                                  GridSearchOptions options,
                                  FoldTrainings& trainings);

}  // namespace maxmargin::learning
