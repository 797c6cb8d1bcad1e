// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/ranking.md
#include "maxmargin/model/structured/rank.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "maxmargin/core/require.hpp"
#include "maxmargin/data/queries.hpp"
#include "solver/structural/block_frank_wolfe.hpp"

namespace maxmargin {

namespace {

/// The constant feature; pairs have none, as it cancels.
double bias_of(const RankOptions& options) { return options.table ? options.bias : 0.0; }

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
  options.validate();
  data.validate();
  require(data.size() > 0, "train_rank: the data has no rows");
  const Queries queries = queries_of(data);
  const std::vector<double> weights = query_weights(data, queries);
  const PointRows rows = data.examples.points();
  if (!options.table) {
    return std::make_unique<RankingRisk>(
        rows, queries, RankingOptions{.weight = options.weight, .query_weights = weights});
  }
  return std::make_unique<ContingencyRisk>(
      rows,
      queries,
      ContingencyOptions{.loss = *options.table,
                         .k = options.k,
                         .relevant_from = options.relevant_from,
                         .bias = options.bias,
                         .weight = options.weight,
                         .query_weights = weights});
}

}  // namespace

void RankOptions::validate() const {
  require_field(std::isfinite(c) && c > 0, "RankOptions.c", c, "finite and > 0");
  if (k) require_field(*k >= 1, "RankOptions.k", 0.0, ">= 1");
  require_field(!std::isnan(relevant_from), "RankOptions.relevant_from", relevant_from, "a number");
  require_field(std::isfinite(bias), "RankOptions.bias", bias, "finite");
  control.validate();
}

TrainedRegressor train_rank(const Dataset& data,
                            const RankOptions& options,
                            const StructuralSolver& solve) {
  const std::unique_ptr<StructuralRisk> risk = make_risk(data, options);
  StructuralOptions how = {.c = options.c,
                           .tolerance = options.control.tolerance,
                           .max_passes = std::numeric_limits<std::size_t>::max(),
                           .seed = options.control.seed,
                           .threads = options.control.threads,
                           .memory_limit = options.control.memory_limit,
                           .on_progress = options.control.on_progress};
  if (options.control.max_iterations) how.max_passes = *options.control.max_iterations;
  StructuralSolution solution = solve ? solve(*risk, how) : solve_block_frank_wolfe(*risk, how);
  const std::size_t d = data.features();
  LinearFunctions function{.weights = DenseMatrix(1, d), .offsets = {0.0}};
  for (std::size_t j = 0; j < d; ++j) function.weights(0, j) = solution.w[j];
  if (bias_of(options) != 0) function.offsets[0] = options.bias * solution.w[d];
  TrainedRegressor trained;
  trained.model.function = std::move(function);
  trained.model.feature_names = data.feature_names;
  trained.report = std::move(solution.report);
  return trained;
}

double rank_objective(const Dataset& data, const RankOptions& options, const Regressor& model) {
  const std::unique_ptr<StructuralRisk> risk = make_risk(data, options);
  const auto* linear = std::get_if<LinearFunctions>(&model.function);
  require(
      linear != nullptr && linear->weights.rows() == 1 && linear->weights.cols() == data.features(),
      "rank_objective: the model must be one linear function of the data's features");
  std::vector<double> w(linear->weights.values().begin(), linear->weights.values().end());
  if (bias_of(options) != 0) w.push_back(linear->offsets[0] / options.bias);
  return structural_primal(*risk, options.c, w);
}

}  // namespace maxmargin
