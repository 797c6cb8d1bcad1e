// SPDX-License-Identifier: Apache-2.0
#include "learner/supervised/machine_prediction.hpp"

#include <optional>
#include <string>

#include "learner/data_checks.hpp"
#include "learner/feature_checks.hpp"
#include "learner/supervised/machine_answers.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/timer.hpp"

namespace maxmargin::learning {

namespace {

/// The machine with the kernel between the rows and the training rows.
Machine with_kernel_matrix(const PredictingMachine& of, const TableData& given) {
  const std::string name = name_of(given.data);
  if (given.kernel_matrix == nullptr) {
    throw InvalidArgument(name + " holds no values of a kernel, and the model's is precomputed");
  }
  Machine machine = of.machine;
  auto& expansion = std::get<KernelExpansion>(functions_of(machine));
  // More than the rows that were trained on, where those were some rows of a larger matrix.
  const std::size_t wanted = std::get<Precomputed>(expansion.kernel).matrix->cols();
  const std::size_t columns = given.kernel_matrix->cols();
  if (of.trained_on ? columns != wanted : columns < wanted) {
    throw FileError(name,
                    "has " + std::to_string(columns) +
                        " columns of kernel values, the training's matrix had " +
                        std::to_string(wanted) + " rows");
  }
  expansion.kernel = Precomputed{given.kernel_matrix};
  return machine;
}

/// The answers as values: one of the kinds that the task has.
void add_typed_answers(const PredictingMachine& of, MachineAnswer answer, Prediction& prediction) {
  if (const auto* classifier = std::get_if<Classifier>(&of.machine)) {
    for (const std::int32_t c : answer.classes.classes) {
      prediction.labels.push_back(classifier->classes[static_cast<std::size_t>(c)]);
    }
    prediction.classes = classifier->classes;
    prediction.scores = std::move(answer.classes.scores);
    prediction.probabilities = std::move(answer.classes.probabilities);
    return;
  }
  if (of.task == Task::detect) {
    for (const double value : answer.values) prediction.labels.push_back(side_of(value));
  }
  prediction.values = std::move(answer.values);
}

/// A sum that left the range of numbers is no answer, whatever class would follow from it.
void check_answer(const MachineAnswer& answer, const Dataset& data) {
  require_finite_scores(answer.classes.scores, data);
  for (std::size_t i = 0; i < answer.values.size(); ++i) {
    require_finite_score(answer.values[i], i, data);
  }
}

}  // namespace

void PredictionChoice::describe(OptionVisitor& visit) {
  visit.yes_no({.name = "scores", .help = "write the scores of the classes as CSV"}, scores);
  visit.yes_no({.name = "probabilities", .help = "write the probabilities of the classes as CSV"},
               probabilities);
  visit.rule(!(scores && probabilities), "--scores and --probabilities exclude each other");
}

Prediction predict_by_machine(const PredictingMachine& of,
                              const TableData& given,
                              const PredictionChoice& choice,
                              const Context& context) {
  Prediction prediction;
  RunReport& report = prediction.report;
  report = {.kind = "learner",
            .name = std::string(of.learner),
            .n = given.data.size(),
            .d = given.data.features()};
  std::optional<Machine> of_matrix;
  if (is_precomputed(of.machine)) {
    of_matrix = with_kernel_matrix(of, given);
  } else {
    refuse_unused_kernel(given, false);
    check_features(given.data, features_of(of.machine), report.solve.warnings);
    check_names(given.data, feature_names_of(of.machine));
  }
  const Machine& machine = of_matrix ? *of_matrix : of.machine;
  PhaseTimer timer;
  timer.enter("predict");
  // Labels do not depend on the precision; numbers that are shown do.
  const bool labels_alone = of.task == Task::classify && !choice.scores && !choice.probabilities;
  MachineAnswer answer =
      answer_of(machine,
                given.data.examples,
                {.context = context,
                 .precision = labels_alone ? ValuePrecision::fast : ValuePrecision::exact});
  check_answer(answer, given.data);
  timer.enter("measure");
  add_machine_measures(machine, of.task, answer, given.data, report);
  prediction.lines = choice.scores          ? score_table(machine, answer)
                     : choice.probabilities ? probability_table(machine, answer)
                                            : answer_lines(machine, of.task, answer);
  if (labels_alone) {
    answer.classes.scores = {};
    answer.classes.probabilities = {};
  }
  add_typed_answers(of, std::move(answer), prediction);
  report.solve.seconds = timer.finish();
  return prediction;
}

}  // namespace maxmargin::learning
