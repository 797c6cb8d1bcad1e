// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "learner/fold_trainings.hpp"
#include "learner/supervised/supervised.hpp"
#include "maxmargin/data/splits.hpp"
#include "maxmargin/eval/cross_validation.hpp"
#include "maxmargin/eval/grid_search.hpp"
#include "maxmargin/metric/registry.hpp"

/// Trainings over folds: what cross-validation and search share.
namespace maxmargin::learning {

/// A learner from labelled rows with data, options and folds to measure it on. The references must
/// outlive it.
struct FoldRun {
  const SupervisedLearner& learner;
  const TableData& given;
  const OptionTexts& options;
  const FitInput& input;
  const Metric& metric;
  std::vector<Fold> folds = {};
};

/// The metric of that name, or the task's default. Throws InvalidArgument for an unknown one and
/// for one that the task has no values for, and for one of probabilities where not all machines
/// that are measured have them.
[[nodiscard]] const Metric& metric_for(Task task, const std::string& name, bool has_probabilities);

/// Do all machines with these options, and with each point of the grid, have probabilities?
[[nodiscard]] bool are_calibrated(const OptionTexts& options, const Grid* grid = nullptr);

/// Throws when the metric cannot measure such machines on the labels of the data: one-class
/// machines know 1 and -1 alone, and metrics of scores need two classes.
void require_measurable(const Metric& metric, Task task, const Dataset& data);

/// K folds by the seed: grouped when the data has groups, else stratified for classes, else plain.
[[nodiscard]] std::vector<Fold> folds_of(const Dataset& data,
                                         Task task,
                                         std::size_t k,
                                         std::uint64_t seed);

/// `trainings` is told of every training that was not stopped, and of the options that the first
/// fold used.
[[nodiscard]] CrossValidation run_folds(const FoldRun& run, FoldTrainings& trainings);

/// The same at every point of the grid; `trainings` knows the options by the point's description.
[[nodiscard]] GridSearch run_grid(const FoldRun& run,
                                  const Grid& grid,
                                  GridSearchOptions options,
                                  FoldTrainings& trainings);

}  // namespace maxmargin::learning
