// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fold_trainings.hpp"
#include "learners.hpp"
#include "maxmargin/eval/cross_validation.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/io/run_report.hpp"
#include "supervised_data.hpp"

/// What train and tune report and write alike.
namespace maxmargin::tool {

/// A report of a learner on data with the options that every run has: data, those of the learner,
/// scale, threads and limits.
[[nodiscard]] RunReport learner_report(const LearnerSpec& learner,
                                       const Dataset& data,
                                       const Arguments& arguments,
                                       ReportFields learner_options);

/// A report of a cross-validation: the metric with its standard error and by fold, the options as
/// the first fold used them, and how the trainings ended.
[[nodiscard]] RunReport fold_report(const LearnerSpec& learner,
                                    const Dataset& data,
                                    const Arguments& arguments,
                                    const Metric& metric,
                                    const CrossValidation& found,
                                    const FoldTrainings& trainings);

/// Adds how the training ended, what the machine says about its training data, and its size.
void add_training(const LearnerSpec& learner,
                  const TrainingAnswer& answer,
                  const Dataset& data,
                  const Arguments& arguments,
                  RunReport& report);

/// With --labeled-rows: the error on the rows whose labels were hidden, of the machine and, where
/// the learner knows it, of the one trained on the labelled rows alone.
void add_transductive_errors(const TrainingAnswer& answer,
                             const SupervisedData& given,
                             const Arguments& arguments,
                             RunReport& report);

/// --verify: recomputes the certificate from the document that is written; a difference is named
/// in the warnings. Where no machine exists (primal_infeasible) there is nothing to recompute.
void add_verification(const ModelDocument& document,
                      const SupervisedData& given,
                      const Arguments& arguments,
                      RunReport& report);

/// --model-format.
[[nodiscard]] ModelFormat model_format_of(const Arguments& arguments);

}  // namespace maxmargin::tool
