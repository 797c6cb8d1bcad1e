// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/ranking.md
#include "maxmargin/model/structured/rank.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "maxmargin/core/require.hpp"
#include "maxmargin/data/queries.hpp"
#include "maxmargin/problem/structural/risk.hpp"
#include "model/structured/asked_primal.hpp"
#include "model/structured/rows.hpp"
#include "problem/structural/contingency_risk.hpp"

namespace maxmargin {

namespace {

/// The constant feature; orders have none, as it cancels.
double bias_of(const RankOptions& options) { return is_by_sign(options.loss) ? options.bias : 0.0; }

/// Unset: pairs.
std::optional<TableLoss> table_of(RankLoss loss) {
  switch (loss) {
    case RankLoss::pairs:
    case RankLoss::roc_area:
      return std::nullopt;
    case RankLoss::error:
      return TableLoss::error;
    case RankLoss::f1:
      return TableLoss::f1;
    case RankLoss::precision_at_k:
      return TableLoss::precision_at_k;
    case RankLoss::recall_at_k:
      return TableLoss::recall_at_k;
  }
  throw InternalError("unknown loss of rankings");
}

/// The weight that all rows of a query share.
std::vector<double> query_weights(const Dataset& data, const Queries& queries) {
  if (data.weights.empty()) return {};
  std::vector<double> weights;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const std::size_t begin = queries.begins[q];
    for (std::size_t row = begin; row < queries.begins[q + 1]; ++row) {
      if (data.weights[row] == data.weights[begin]) continue;
      throw InvalidArgument((data.source.empty() ? "the data" : data.source) + ", row " +
                            std::to_string(row) +
                            " (from 0): its weight is not that of the rows of its query before; "
                            "ranking weighs whole queries");
    }
    weights.push_back(data.weights[begin]);
  }
  return weights;
}

/// The risk looks at the rows of `data`.
std::unique_ptr<StructuralRisk> make_risk(const Dataset& data, const RankOptions& options) {
  validate(options);
  data.validate();
  require(data.size() > 0, "the data has no rows");
  Queries queries = queries_of(data);
  if (options.loss == RankLoss::roc_area) {
    for (double& grade : queries.grades) grade = grade >= options.relevant_from ? 1 : 0;
  }
  const std::vector<double> weights = query_weights(data, queries);
  const PointRows rows = data.examples.points();
  const std::optional<TableLoss> table = table_of(options.loss);
  if (!table) {
    return std::make_unique<RankingRisk>(
        rows, queries, RankingOptions{.weight = options.weight, .query_weights = weights});
  }
  return std::make_unique<ContingencyRisk>(
      rows,
      queries,
      ContingencyOptions{.loss = *table,
                         .k = options.k,
                         .relevant_from = options.relevant_from,
                         .bias = bias_of(options),
                         .weight = options.weight,
                         .query_weights = weights});
}

/// Queries of one grade have no loss.
bool has_anything_to_learn(const StructuralRisk& risk) {
  for (std::size_t q = 0; q < risk.examples(); ++q) {
    if (risk.weight(q) != 0) return true;
  }
  return false;
}

}  // namespace

void RankOptions::describe(OptionVisitor& visit) {
  solving.describe(visit, row_passes_words);
  describe_method(visit, method);
  visit.name({.name = "loss", .help = "what is lost by a wrong order of the rows of a query"},
             loss);
  visit.whole({.name = "k",
               .help = "rows that count as found, of the losses at k",
               .value = "K",
               .fallback = "relevant rows of the query; measures: 10"},
              k,
              {.least = 1});
  visit.number({.name = "relevant-from",
                .help = "rows of this grade or more are relevant",
                .value = "GRADE"},
               relevant_from,
               rules::finite);
  visit.name(
      {.name = "query-weight", .help = "queries weigh one each, or their size: pairs or rows"},
      weight);
  describe_constant(visit, bias);
}

TrainedRanking train_rank(const Dataset& data,
                          const RankOptions& options,
                          const StructuralState* start) {
  const std::unique_ptr<StructuralRisk> risk = make_risk(data, options);
  StructuralSolution solution =
      solve_structural(*risk, options.method, row_solving(options.solving, options.method), start);
  if (!has_anything_to_learn(*risk)) {
    solution.report.warnings.emplace_back(
        "no query has rows that the loss tells apart: all scores are 0");
  }
  const std::size_t d = data.features();
  LinearFunctions function{.weights = DenseMatrix(1, d), .offsets = {0.0}};
  for (std::size_t j = 0; j < d; ++j) function.weights(0, j) = solution.w[j];
  if (bias_of(options) != 0) function.offsets[0] = options.bias * solution.w[d];
  TrainedRanking trained{.report = std::move(solution.report),
                         .oracle_calls = solution.oracle_calls,
                         .weights = risk->dimension()};
  trained.model.function = std::move(function);
  trained.model.feature_names = data.feature_names;
  return trained;
}

double rank_objective(const Dataset& data,
                      const RankOptions& options,
                      const Regressor& model,
                      const Context& context) {
  const std::unique_ptr<StructuralRisk> risk = make_risk(data, options);
  const auto* linear = std::get_if<LinearFunctions>(&model.function);
  require(
      linear != nullptr && linear->weights.rows() == 1 && linear->weights.cols() == data.features(),
      "the model must be one linear function of the data's features");
  std::vector<double> w(linear->weights.values().begin(), linear->weights.values().end());
  if (bias_of(options) != 0) w.push_back(linear->offsets[0] / options.bias);
  return asked_primal(*risk, options.solving.c, w, context);
}

}  // namespace maxmargin
