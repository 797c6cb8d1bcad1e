// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/io/run_report.hpp"

/// Learners of structured outputs. They read files of their own, so that they share commands and
/// reports with the other learners, but not the data.
namespace maxmargin::tool {

using Measures = std::vector<std::pair<std::string, std::optional<double>>>;

/// What a training hands back.
struct StructuredTraining {
  ModelDocument document;
  SolveReport report = {};
  /// Examples, and weights that are learned.
  std::size_t examples = 0;
  std::size_t weights = 0;
  /// The learner's options as used.
  ReportFields options = {};
  Measures metrics = {};
  /// With --verify: the objective of the document's model, computed anew from the data.
  std::optional<double> recomputed_objective = std::nullopt;
  /// Whether the argmax was exact: if not, the gap is an estimate.
  bool exact_oracle = true;
};

/// What a prediction hands back.
struct StructuredPrediction {
  std::size_t examples = 0;
  std::size_t weights = 0;
  /// Lines for -o.
  std::string lines = {};
  /// Where the truth is known.
  Measures metrics = {};
  std::vector<std::pair<std::string, std::vector<ReportFields>>> tables = {};
  std::vector<std::string> warnings = {};
};

struct StructuredLearnerSpec {
  std::string_view name;
  std::string_view summary;
  /// Long names of the options of `train` that it takes.
  std::span<const std::string_view> options;
  StructuredTraining (*train)(const Arguments& arguments,
                              const ProgressCallback& progress,
                              PhaseTimer& timer);
  StructuredPrediction (*predict)(const ModelDocument& model,
                                  const Arguments& arguments,
                                  PhaseTimer& timer);
  /// Measures of a file of predictions against one of truths, for `eval --task`.
  StructuredPrediction (*evaluate)(const Arguments& arguments);
  /// The same of `predict` and `eval`, beside what all of them take.
  std::span<const std::string_view> predict_options = {};
  std::span<const std::string_view> eval_options = {};
};

/// All of them, in the order help shows them.
[[nodiscard]] std::span<const StructuredLearnerSpec> structured_learners();
/// The one of that name; nullptr when there is none.
[[nodiscard]] const StructuredLearnerSpec* structured_learner_named(std::string_view name);

/// The one that --learner names, nullptr when it names another kind of learner. Throws UsageError
/// for an option that it does not take.
[[nodiscard]] const StructuredLearnerSpec* find_structured_learner(const Arguments& arguments);

/// The families, one file each.
[[nodiscard]] const StructuredLearnerSpec& sequence_learner();
[[nodiscard]] const StructuredLearnerSpec& rank_learner();
[[nodiscard]] const StructuredLearnerSpec& multiclass_learner();
[[nodiscard]] const StructuredLearnerSpec& multilabel_learner();
[[nodiscard]] const StructuredLearnerSpec& partition_learner();
[[nodiscard]] const StructuredLearnerSpec& align_learner();

/// `train`, `predict` and `eval` for them. Throw UsageError for an option that the learner does not
/// take.
int run_structured_train(const StructuredLearnerSpec& learner, const Arguments& arguments);
[[nodiscard]] RunReport structured_prediction_report(const ModelDocument& model,
                                                     const StructuredPrediction& prediction,
                                                     const Arguments& arguments);
int run_structured_eval(const StructuredLearnerSpec& learner, const Arguments& arguments);

}  // namespace maxmargin::tool
