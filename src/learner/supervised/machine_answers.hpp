// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "learner/supervised/machine.hpp"
#include "maxmargin/eval/learner.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/learner/learner.hpp"

/// What a machine's answers are written and measured as.
namespace maxmargin::learning {

/// sign(0) is +1, here as everywhere: 1 is inside, -1 outside.
[[nodiscard]] Label side_of(double value);

/// For cross-validation: the answers in terms of the classes of the whole data set.
[[nodiscard]] Predictions predictions_of(const Machine& machine,
                                         Task task,
                                         const Dataset& test,
                                         std::span<const Label> class_names);

/// One answer a line: a class, a number, or 1 (inside) and -1.
[[nodiscard]] std::string answer_lines(const Machine& machine,
                                       Task task,
                                       const MachineAnswer& answer);
/// CSV with a header: a column for every class (two classes: the larger one's score alone), or
/// `value`.
[[nodiscard]] std::string score_table(const Machine& machine, const MachineAnswer& answer);
/// CSV with a header of class names. Throws InvalidArgument when the model has no probabilities.
[[nodiscard]] std::string probability_table(const Machine& machine, const MachineAnswer& answer);

/// Adds the measures that compare the answers with the labels of the data (none without labels):
/// accuracy and error, or mse, mae and r2; of one-class machines outlier_share too. Labels that a
/// classifier never saw count as errors and are named in the warnings.
void add_machine_measures(const Machine& machine,
                          Task task,
                          const MachineAnswer& answer,
                          const Dataset& data,
                          RunReport& report);

}  // namespace maxmargin::learning
