// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learners.hpp"
#include "maxmargin/eval/learner.hpp"
#include "maxmargin/io/run_report.hpp"

/// What a trained machine says about examples, and what it is written and measured as.
namespace maxmargin::tool {

/// One of the two parts is filled, as the machine is a classifier or not.
struct MachineAnswer {
  ClassifierAnswer classes = {};
  /// Real predictions, or the values of a one-class machine.
  std::vector<double> values = {};
};

[[nodiscard]] MachineAnswer answer_of(const Machine& machine,
                                      const Examples& examples,
                                      const DecisionOptions& options = {});

/// The functions underneath.
[[nodiscard]] const DecisionFunction& functions_of(const Machine& machine);
[[nodiscard]] DecisionFunction& functions_of(Machine& machine);
/// Features of the examples it takes: of its scaler, else of its functions.
[[nodiscard]] std::size_t features_of(const Machine& machine);
[[nodiscard]] const std::vector<std::string>& feature_names_of(const Machine& machine);
/// The kernel, of kernel machines.
[[nodiscard]] const Kernel* kernel_of(const Machine& machine);

/// For cross-validation: the answers in terms of the classes of the whole data set.
[[nodiscard]] Predictions predictions_of(const Machine& machine,
                                         TaskKind task,
                                         const Dataset& test,
                                         std::span<const Label> class_names);

/// One answer a line: a class, a number, or 1 (inside) and -1.
[[nodiscard]] std::string answer_lines(const Machine& machine,
                                       TaskKind task,
                                       const MachineAnswer& answer);
/// CSV with a header, numbers printed shortest.
[[nodiscard]] std::string csv_table(const std::vector<std::string>& header, DenseView values);
/// CSV with a header: a column for every class (two classes: the larger one's score alone), or
/// `value`.
[[nodiscard]] std::string score_table(const Machine& machine, const MachineAnswer& answer);
/// CSV with a header of class names. Throws UsageError when the model has no probabilities.
[[nodiscard]] std::string probability_table(const Machine& machine, const MachineAnswer& answer);

/// Adds the measures that compare the answers with the labels of the data (none without labels):
/// accuracy and error, or mse, mae and r2; of one-class machines outlier_share too. Labels that a
/// classifier never saw count as errors and are named in the warnings.
void add_machine_measures(const Machine& machine,
                          TaskKind task,
                          const MachineAnswer& answer,
                          const Dataset& data,
                          RunReport& report);

}  // namespace maxmargin::tool
