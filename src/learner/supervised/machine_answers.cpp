// SPDX-License-Identifier: Apache-2.0
#include "learner/supervised/machine_answers.hpp"

#include <algorithm>
#include <optional>

#include "io/table/label_lines.hpp"
#include "learner/csv_table.hpp"
#include "learner/defined.hpp"
#include "learner/feature_checks.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/metric/classification.hpp"
#include "maxmargin/metric/confusion.hpp"
#include "maxmargin/metric/registry.hpp"

namespace maxmargin::learning {

namespace {

std::vector<std::string> class_texts(const Classifier& model) {
  std::vector<std::string> texts;
  for (const Label& label : model.classes) texts.push_back(label.text());
  return texts;
}

Predictions class_predictions(const Classifier& model,
                              const Examples& examples,
                              std::span<const Label> class_names) {
  ClassifierAnswer answer = model.answer(examples);
  std::vector<std::int32_t> index_of;
  for (const Label& label : model.classes) {
    index_of.push_back(find_class(class_names, label).value_or(-1));
  }
  Predictions predictions;
  for (const std::int32_t c : answer.classes) {
    predictions.labels.push_back(index_of[static_cast<std::size_t>(c)]);
  }
  if (class_names.size() == 2 && model.classes.size() == 2) {
    const std::size_t last = answer.scores.cols() - 1;
    for (std::size_t i = 0; i < answer.scores.rows(); ++i) {
      const double other = last == 0 ? 0 : answer.scores(i, 0);
      predictions.scores.push_back(answer.scores(i, last) - other);
    }
  }
  if (answer.probabilities.rows() > 0) {
    predictions.probabilities = DenseMatrix(answer.probabilities.rows(), class_names.size());
    for (std::size_t i = 0; i < answer.probabilities.rows(); ++i) {
      for (std::size_t c = 0; c < index_of.size(); ++c) {
        if (index_of[c] < 0) continue;
        predictions.probabilities(i, static_cast<std::size_t>(index_of[c])) =
            answer.probabilities(i, c);
      }
    }
  }
  return predictions;
}

}  // namespace

Label side_of(double value) { return Label(value >= 0 ? 1.0 : -1.0); }

Predictions predictions_of(const Machine& machine,
                           Task task,
                           const Dataset& test,
                           std::span<const Label> class_names) {
  if (const auto* classifier = std::get_if<Classifier>(&machine)) {
    return class_predictions(*classifier, test.examples, class_names);
  }
  Predictions predictions;
  predictions.targets = std::get<Regressor>(machine).predict(test.examples);
  if (task == Task::detect) {
    for (const double value : predictions.targets) {
      predictions.labels.push_back(find_class(class_names, side_of(value)).value_or(-1));
    }
    predictions.scores = predictions.targets;
  }
  return predictions;
}

std::string answer_lines(const Machine& machine, Task task, const MachineAnswer& answer) {
  std::string lines;
  if (const auto* classifier = std::get_if<Classifier>(&machine)) {
    std::vector<std::string> line_of;
    for (const Label& label : classifier->classes) line_of.push_back(label_line(label) + '\n');
    for (const std::int32_t c : answer.classes.classes)
      lines += line_of[static_cast<std::size_t>(c)];
    return lines;
  }
  for (const double value : answer.values) {
    lines += task == Task::detect ? side_of(value).text() : format_number(value);
    lines += '\n';
  }
  return lines;
}

std::string score_table(const Machine& machine, const MachineAnswer& answer) {
  const auto* classifier = std::get_if<Classifier>(&machine);
  if (classifier == nullptr) {
    return csv_table({"value"}, {answer.values.data(), answer.values.size(), 1, 1});
  }
  std::vector<std::string> header = class_texts(*classifier);
  if (answer.classes.scores.cols() == 1) header.erase(header.begin(), header.end() - 1);
  return csv_table(header, answer.classes.scores.view());
}

std::string probability_table(const Machine& machine, const MachineAnswer& answer) {
  const auto* classifier = std::get_if<Classifier>(&machine);
  if (classifier == nullptr || !classifier->calibration) {
    throw InvalidArgument(
        "--probabilities: the model has none; train a classifier with --probabilities");
  }
  return csv_table(class_texts(*classifier), answer.classes.probabilities.view());
}

namespace {

/// Labels in the data that the model never saw, each once.
void warn_of_unseen(const std::vector<Label>& unseen, RunReport& report) {
  if (unseen.empty()) return;
  constexpr std::size_t most_named = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(unseen.size(), most_named); ++i) {
    names += (i > 0 ? ", " : "") + unseen[i].text();
  }
  if (unseen.size() > most_named) names += ", ...";
  report.solve.warnings.push_back("labels that the model never saw count as errors: " + names);
}

void add_accuracy(std::span<const Label> answers,
                  std::span<const std::int32_t> answer_of_row,
                  const Dataset& data,
                  RunReport& report) {
  const Classes truth = classes_of(data.labels);
  std::vector<std::int32_t> class_of_answer;
  for (const Label& label : answers) {
    class_of_answer.push_back(find_class(truth.names, label).value_or(-1));
  }
  std::vector<std::int32_t> predicted;
  for (const std::int32_t a : answer_of_row) {
    predicted.push_back(class_of_answer[static_cast<std::size_t>(a)]);
  }
  const ConfusionMatrix confusion(truth.of_row, predicted, data.weights, truth.count());
  report.metrics.emplace_back("accuracy", defined(accuracy(confusion)));
  report.metrics.emplace_back("error", defined(error_rate(confusion)));
  std::vector<Label> unseen;
  for (const Label& label : truth.names) {
    if (std::ranges::find(answers, label) == answers.end()) unseen.push_back(label);
  }
  warn_of_unseen(unseen, report);
}

void add_regression_measures(std::span<const double> values,
                             const Dataset& data,
                             RunReport& report) {
  if (!data.labels.all_numbers()) {
    report.solve.warnings.push_back(name_of(data) + " has labels that are no numbers: no measures");
    return;
  }
  const Outcome outcome{
      .targets = data.labels.numbers(), .predicted_targets = values, .weights = data.weights};
  for (const char* const name : {"mse", "mae", "r2", "squared_correlation"}) {
    const double value = metric_by_name(name).value(outcome);
    report.metrics.emplace_back(name, defined(value));
  }
}

/// One-class machines know 1 and -1; other labels are no truth for them.
void add_one_class_measures(std::span<const double> values,
                            const Dataset& data,
                            RunReport& report) {
  const auto outside = std::ranges::count_if(values, [](double value) { return value < 0; });
  if (!values.empty()) {
    report.metrics.emplace_back("outlier_share",
                                static_cast<double>(outside) / static_cast<double>(values.size()));
  }
  const std::vector<Label> sides = {Label(-1.0), Label(1.0)};
  const Classes truth = classes_of(data.labels);
  const bool are_sides = std::ranges::all_of(truth.names, [&](const Label& name) {
    return std::ranges::find(sides, name) != sides.end();
  });
  if (truth.count() == 0 || !are_sides) return;
  std::vector<std::int32_t> of_row;
  for (const double value : values) of_row.push_back(value >= 0 ? 1 : 0);
  add_accuracy(sides, of_row, data, report);
}

}  // namespace

void add_machine_measures(const Machine& machine,
                          Task task,
                          const MachineAnswer& answer,
                          const Dataset& data,
                          RunReport& report) {
  if (task == Task::detect) {
    add_one_class_measures(answer.values, data, report);
    return;
  }
  if (data.labels.labelled_count() == 0) return;
  if (const auto* classifier = std::get_if<Classifier>(&machine)) {
    add_accuracy(classifier->classes, answer.classes.classes, data, report);
  } else {
    add_regression_measures(answer.values, data, report);
  }
}

}  // namespace maxmargin::learning
