// SPDX-License-Identifier: Apache-2.0
#include "robust_answer.hpp"

#include "learner_options.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin::tool {

namespace {

ReportFields row_of(const Outlier& outlier) {
  return {{"row", whole(outlier.row)},
          {"function", whole(outlier.function)},
          {"eta", outlier.eta},
          {"margin", outlier.margin}};
}

/// Machine, report and options, and how the descent ended; not yet the outliers.
TrainingAnswer answer_without_rows(TrainedRobustClassifier& fit, ReportFields options) {
  TrainingAnswer answer;
  answer.metrics = {{"outliers", static_cast<double>(fit.outlier_rows())},
                    {"stationary_gap", fit.stationary_gap},
                    {"rounds", static_cast<double>(fit.rounds)}};
  answer.machine = std::move(fit.model);
  answer.report = std::move(fit.report);
  answer.machines = std::move(fit.machines);
  answer.options = std::move(options);
  answer.training_values = std::move(fit.training_values);
  answer.dual_coefficients = std::move(fit.dual_coefficients);
  return answer;
}

/// One name, or the functions' names in their order.
std::string joined(const std::vector<std::string>& winners) {
  std::string text;
  for (const std::string& winner : winners) text += (text.empty() ? "" : "; ") + winner;
  return text;
}

/// Names a bound that is below the objective by much.
void warn_of_weakness(SolveReport& report) {
  constexpr double much = 0.5;
  const std::optional<double> gap = report.relative_gap();
  if (!gap || *gap <= much) return;
  report.warnings.push_back(
      "the bound is weak: it proves that no choice of outliers has an objective below " +
      format_number(*report.lower_bound) + ", this one has " +
      format_number(*report.primal_objective) + "; a smaller C often has a better bound");
}

/// The relaxed weight of every row in every function that looks at it.
std::vector<ReportFields> weight_rows(const TrainedRelaxedClassifier& fit, const Dataset& data) {
  const Classes classes = classes_of(data.labels);
  std::vector<ReportFields> rows;
  for (std::size_t f = 0; f < fit.relaxed_weights.size(); ++f) {
    const std::vector<std::int8_t> signs = fit.model.code.labels_of(f, classes.of_row);
    for (std::size_t i = 0; i < signs.size(); ++i) {
      if (signs[i] == 0) continue;
      rows.push_back(
          {{"row", whole(i)}, {"function", whole(f)}, {"relaxed_eta", fit.relaxed_weights[f][i]}});
    }
  }
  return rows;
}

}  // namespace

TrainingAnswer robust_answer(TrainedRobustClassifier fit, ReportFields options) {
  TrainingAnswer answer = answer_without_rows(fit, std::move(options));
  std::vector<ReportFields> rows;
  for (const Outlier& outlier : fit.outliers) rows.push_back(row_of(outlier));
  answer.tables.emplace_back("outliers", std::move(rows));
  return answer;
}

TrainingAnswer relaxed_answer(TrainedRelaxedClassifier fit,
                              ReportFields options,
                              const Dataset& data,
                              const TrainingInput& input) {
  std::vector<ReportFields> weights;
  if (input.arguments.has("weights-output")) weights = weight_rows(fit, data);
  TrainingAnswer answer = answer_without_rows(fit, std::move(options));
  std::vector<ReportFields> rows;
  for (const Outlier& outlier : fit.outliers) {
    ReportFields row = row_of(outlier);
    row.emplace_back("relaxed_eta", fit.relaxed_weights[outlier.function][outlier.row]);
    rows.push_back(std::move(row));
  }
  answer.tables.emplace_back("outliers", std::move(rows));
  answer.row_weights = std::move(weights);
  if (!input.is_part && !was_stopped(answer.report.status)) warn_of_weakness(answer.report);
  const WeightRelaxation& relaxation = fit.relaxation;
  answer.objects.emplace_back(
      "relaxation",
      ReportFields{{"value", relaxation.value},
                   {"lower_bound", relaxation.lower_bound},
                   {"relative_gap", relaxation.relative_gap},
                   {"rank", whole(relaxation.rank)},
                   {"roundings", whole(relaxation.roundings)},
                   {"winner", joined(relaxation.winners)},
                   {"bound", std::string(relaxation.lower_bound > 0 ? "certified" : "vacuous")}});
  return answer;
}

}  // namespace maxmargin::tool
