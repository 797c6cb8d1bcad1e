// SPDX-License-Identifier: Apache-2.0
#include "learner/supervised/robust_answer.hpp"

#include <string>
#include <utility>
#include <vector>

#include "learner/supervised/report_values.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin::learning {

namespace {

ReportFields row_of(const Outlier& outlier) {
  return {{"row", whole(outlier.row)},
          {"function", whole(outlier.function)},
          {"eta", outlier.eta},
          {"margin", outlier.margin}};
}

/// Machine and report, and how the descent ended; not yet the outliers.
Fit fit_without_rows(TrainedRobustClassifier& trained) {
  std::vector<std::pair<std::string, std::optional<double>>> metrics = {
      {"outliers", static_cast<double>(trained.outlier_rows())},
      {"stationary_gap", trained.stationary_gap},
      {"rounds", static_cast<double>(trained.rounds)}};
  Fit fit = fit_of(std::move(static_cast<TrainedClassifier&>(trained)));
  fit.metrics = std::move(metrics);
  return fit;
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
std::vector<ReportFields> weight_rows(const TrainedRelaxedClassifier& trained,
                                      const Dataset& data) {
  const Classes classes = classes_of(data.labels);
  std::vector<ReportFields> rows;
  for (std::size_t f = 0; f < trained.relaxed_weights.size(); ++f) {
    const std::vector<std::int8_t> signs = trained.model.code.labels_of(f, classes.of_row);
    for (std::size_t i = 0; i < signs.size(); ++i) {
      if (signs[i] == 0) continue;
      rows.push_back({{"row", whole(i)},
                      {"function", whole(f)},
                      {"relaxed_eta", trained.relaxed_weights[f][i]}});
    }
  }
  return rows;
}

}  // namespace

Fit robust_fit(TrainedRobustClassifier trained) {
  Fit fit = fit_without_rows(trained);
  std::vector<ReportFields> rows;
  for (const Outlier& outlier : trained.outliers) rows.push_back(row_of(outlier));
  fit.tables.emplace_back("outliers", std::move(rows));
  return fit;
}

Fit relaxed_fit(TrainedRelaxedClassifier trained, const Dataset& data, const FitInput& input) {
  std::vector<ReportFields> weights;
  if (!input.is_part) weights = weight_rows(trained, data);
  Fit fit = fit_without_rows(trained);
  std::vector<ReportFields> rows;
  for (const Outlier& outlier : trained.outliers) {
    ReportFields row = row_of(outlier);
    row.emplace_back("relaxed_eta", trained.relaxed_weights[outlier.function][outlier.row]);
    rows.push_back(std::move(row));
  }
  fit.tables.emplace_back("outliers", std::move(rows));
  fit.row_weights = std::move(weights);
  if (!input.is_part && !was_stopped(fit.report.status)) warn_of_weakness(fit.report);
  const WeightRelaxation& relaxation = trained.relaxation;
  fit.objects.emplace_back(
      "relaxation",
      relaxation_fields(relaxation, fit.report.primal_objective, joined(relaxation.winners)));
  return fit;
}

}  // namespace maxmargin::learning
