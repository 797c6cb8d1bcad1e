// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "fold_trainings.hpp"
#include "learners.hpp"
#include "maxmargin/eval/cross_validation.hpp"
#include "maxmargin/eval/grid_search.hpp"
#include "supervised_data.hpp"

/// From data and options to a trained machine, once or over folds.
namespace maxmargin::tool {

/// The input of a training of the whole data.
[[nodiscard]] TrainingInput training_input(const Arguments& arguments,
                                           const SupervisedData& data,
                                           ProgressCallback progress);

/// Fits the scaling of --scale on these rows, trains, and calibrates with --probabilities. The
/// machine takes examples as they are in the data.
[[nodiscard]] TrainingAnswer fit_machine(const LearnerSpec& learner,
                                         const Dataset& data,
                                         const TrainingInput& input);

/// The metric of --metric for that task; its default is accuracy, or mse for regression. Throws
/// UsageError for several, an unknown one, and one that the task has no values for.
[[nodiscard]] const Metric& metric_of(const Arguments& arguments, TaskKind task);

/// Throws when the metric cannot measure such machines on the labels of the data: one-class
/// machines know 1 and -1 alone, and metrics of scores need two classes.
void require_measurable(const Metric& metric, TaskKind task, const Dataset& data);

/// K folds by the seed: grouped when the data has groups, else stratified for classes, else plain.
[[nodiscard]] std::vector<Fold> folds_of(const Arguments& arguments,
                                         const Dataset& data,
                                         TaskKind task,
                                         std::size_t k);

/// Cross-validates the learner as the options say. `trainings` is told of every training that was
/// not stopped, and of the options that the first fold used.
[[nodiscard]] CrossValidation cross_validate_learner(const LearnerSpec& learner,
                                                     const Dataset& data,
                                                     const TrainingInput& input,
                                                     std::span<const Fold> folds,
                                                     const Metric& metric,
                                                     FoldTrainings& trainings);

/// Searches the grid; its axes are options of the learner. Points that differ in C alone are
/// trained together. `trainings` is told the same as above, with options by the point's
/// description.
[[nodiscard]] GridSearch search_grid(const LearnerSpec& learner,
                                     const Dataset& data,
                                     const TrainingInput& input,
                                     std::span<const Fold> folds,
                                     const Grid& grid,
                                     const Metric& metric,
                                     GridSearchOptions options,
                                     FoldTrainings& trainings);

/// The options with those of a grid point in place of what was given.
[[nodiscard]] Arguments at_point(Arguments arguments, const GridPoint& point);

}  // namespace maxmargin::tool
