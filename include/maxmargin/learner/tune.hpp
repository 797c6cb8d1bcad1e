// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/eval/cross_validation.hpp"
#include "maxmargin/eval/grid_search.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/learner/learner.hpp"

/// Cross-validation and search of the options of learners, by name: all but clusterings.
///
///   const Tuning found = tune(learner("svc"), {.data = iris()}, {}, {.grid = "C=0.1,1,10"});
///   std::cout << found.chosen << '\n';
///   save_model(*found.best->model, "iris.mm");
namespace maxmargin {

/// A measure of the answers of a learner that has measures of its own.
struct FoldMeasure {
  /// As reports of predictions call it; one at K without the number ("precision_at").
  std::string_view name = {};
  bool larger_is_better = true;
};

/// What folds measure of a structured learner, the usual one first. Empty for the others: of them
/// it is a metric of labels or targets (metric/registry.hpp).
[[nodiscard]] MAXMARGIN_EXPORT std::span<const FoldMeasure> fold_measures(const Learner& learner);

/// Says of the option metric, where it is among them, what it is with this learner: for help.
MAXMARGIN_EXPORT void say_measures(const Learner& learner, std::vector<OptionDescription>& options);

/// How a learner is measured on examples that it was not trained on: rows, or what structured
/// learners take (bags, queries, sequences, documents, pairs).
struct MAXMARGIN_EXPORT FoldOptions {
  /// Parts of the data, each tested once: grouped when the data has groups (of rows, families of
  /// proteins, parts of one document), else stratified for classes.
  std::uint64_t folds = 5;
  /// Name of a metric (metric/registry.hpp); empty: accuracy, or mse for regression. Of structured
  /// learners one of fold_measures; empty: the first.
  std::string metric = {};
  void describe(OptionVisitor& visit);
};

/// A learner on folds.
struct LearnerFolds {
  /// The metric with its standard error, by fold and, of rows, pooled; the options as the first
  /// fold used them; how the trainings ended.
  RunReport report = {};
  std::string metric = {};
  CrossValidation found = {};
};

/// Cross-validates the learner with the options of the request; options of files that a training
/// writes (checkpoints) are left out. Throws InvalidArgument for a clustering, for options, and for
/// a metric that cannot measure it or no fold has; FileError where labels cannot be measured.
[[nodiscard]] MAXMARGIN_EXPORT LearnerFolds cross_validate_learner(const Learner& learner,
                                                                   const LearnerData& data,
                                                                   const TrainingRequest& request,
                                                                   const FoldOptions& options = {});
/// The same on a table.
[[nodiscard]] MAXMARGIN_EXPORT LearnerFolds cross_validate_learner(const Learner& learner,
                                                                   const TableData& data,
                                                                   const TrainingRequest& request,
                                                                   const FoldOptions& options = {});

/// What is tried, and how the best is picked.
struct MAXMARGIN_EXPORT TuneOptions {
  /// Options of the learner and their values, as in C=0.1,1,10;gamma=0.01,0.1.
  std::string grid = {};
  FoldOptions folds = {};
  /// grid (all points), random:N or halving.
  std::string search = "grid";
  /// Take the first point within a standard error of the best.
  bool one_se = false;
  /// Train with the best point on all rows; no option by name.
  bool train_best = true;
  void describe(OptionVisitor& visit);
};

struct Tuning {
  /// Of the search and of the training with the best point, where there was one.
  RunReport report = {};
  /// What was tried: a row for every point, its values, metric and standard error.
  std::vector<ReportFields> table = {};
  std::string metric = {};
  bool larger_is_better = true;
  /// The best point, as in C=1;gamma=0.1; empty when there is none.
  std::string chosen = {};
  GridSearch search = {};
  /// Empty when the search was stopped, found nothing, or was not asked for it.
  std::optional<Training> best = std::nullopt;
};

/// Cross-validates the points of the grid and trains with the best one on all rows. Points that
/// differ in C alone are trained together where the learner can. All values are checked before
/// anything runs. Throws as cross_validate_learner does, and InvalidArgument for a grid whose axes
/// are not options of the learner, or say what the measure measures.
[[nodiscard]] MAXMARGIN_EXPORT Tuning tune(const Learner& learner,
                                           const LearnerData& data,
                                           const TrainingRequest& request,
                                           const TuneOptions& options);
/// The same on a table.
[[nodiscard]] MAXMARGIN_EXPORT Tuning tune(const Learner& learner,
                                           const TableData& data,
                                           const TrainingRequest& request,
                                           const TuneOptions& options);

}  // namespace maxmargin
