// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/ranking.md
#include "maxmargin/model/structured/rank.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/data/queries.hpp"
#include "maxmargin/problem/structural/risk.hpp"
#include "model/structured/asked_primal.hpp"
#include "model/structured/rank_search.hpp"
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

/// The risk looks at the rows of `data`.
std::unique_ptr<StructuralRisk> make_risk(const Dataset& data, const RankOptions& options) {
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

void check(const Dataset& data, const RankOptions& options) {
  validate(options);
  data.validate();
  require(data.size() > 0, "the data has no rows");
}

/// Queries of one grade have no loss.
bool has_anything_to_learn(const StructuralRisk& risk) {
  for (std::size_t q = 0; q < risk.examples(); ++q) {
    if (risk.weight(q) != 0) return true;
  }
  return false;
}

constexpr const char* nothing_to_learn =
    "no query has rows that the loss tells apart: all scores are 0";

TrainedRanking with_model(const Dataset& data,
                          std::span<const double> w,
                          double bias,
                          TrainedRanking trained) {
  const std::size_t d = data.features();
  LinearFunctions function{.weights = DenseMatrix(1, d), .offsets = {0.0}};
  for (std::size_t j = 0; j < d; ++j) function.weights(0, j) = w[j];
  if (bias != 0) function.offsets[0] = bias * w[d];
  trained.weights = w.size();
  trained.model.function = std::move(function);
  trained.model.feature_names = data.feature_names;
  return trained;
}

/// The weights that a latent training begins with; none, where it begins with lists.
struct FirstWeights {
  std::vector<double> w = {};
  /// Of the training that found them.
  Status status = Status::solved;
};

FirstWeights weights_to_begin_with(const Dataset& data, const RankOptions& options) {
  if (options.start == RankStart::random) return {};
  if (options.start == RankStart::weights) return {.w = options.search.start_weights};
  RankOptions own{.relevant_from = options.relevant_from, .weight = options.weight};
  own.loss = options.start == RankStart::pairs ? RankLoss::pairs : RankLoss::error;
  own.solving.c = options.solving.c;
  own.solving.tolerance = options.solving.tolerance;
  own.solving.max_passes = options.solving.max_passes;
  own.solving.context = options.solving.context;
  const TrainedRanking trained = train_rank(data, own);
  const auto& weights = std::get<LinearFunctions>(trained.model.function).weights.values();
  return {.w = {weights.begin(), weights.end()}, .status = trained.report.status};
}

TrainedRanking train_latent_rank(const Dataset& data,
                                 const RankOptions& options,
                                 const StructuralState* start) {
  const Stopwatch watch;
  const HiddenTops problem(data, options);
  // A resumed run has its weights, and those before them are of no use.
  const FirstWeights first = start != nullptr && options.start != RankStart::weights
                                 ? FirstWeights{.w = std::vector<double>(data.features(), 0.0)}
                                 : weights_to_begin_with(data, options);
  const double seconds = watch.seconds();
  TrainedRanking trained;
  if (was_stopped(first.status)) {
    // Whoever stopped the first training has stopped this one, before it had an objective.
    trained.report.status = first.status;
    trained.report.seconds.emplace_back("start", seconds);
    trained.search.emplace();
    trained.search->report = trained.report;
    return with_model(data, first.w, 0, std::move(trained));
  }
  if (start == nullptr && first.w.size() == data.features()) {
    trained.start_objective = problem.objective(first.w, {});
  }
  LatentSolution found = problem.search(first.w, start);
  if (problem.size() == 0) found.report.warnings.emplace_back(nothing_to_learn);
  if (first.status != Status::solved) {
    found.report.warnings.emplace_back("the training of the weights to begin with ended with " +
                                       std::string(to_string(first.status)));
  }
  found.report.seconds.emplace_back("start", seconds);
  trained.report = found.report;
  trained.oracle_calls = found.oracle_calls;
  const std::vector<double> w = std::exchange(found.w, {});
  trained.search = std::move(found);
  return with_model(data, w, 0, std::move(trained));
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
  visit.yes_no(
      {.name = "latent",
       .help = "which relevant rows come first is hidden: a bound of the loss precision-at-k, "
               "and no convex problem"},
      latent);
  visit.name(
      {.name = "start",
       .help = "weights to begin with: of --loss error, of --loss pairs, none, or of a model (with "
               "--latent)",
       .value = "KIND"},
      start);
  search.describe_runs(visit, " (with --latent)");
  visit.rule(!latent || loss == RankLoss::precision_at_k,
             "--latent: belongs to --loss precision-at-k");
  visit.rule(!latent || k, "--latent: needs -k, as without it no row is hidden");
  visit.rule(latent || start == RankStart::classifier, "--start: belongs to --latent");
  const LatentOptions usual;
  visit.rule(latent || search.restarts == usual.restarts, "--restarts: belongs to --latent");
  visit.rule(latent || search.outer_iterations == usual.outer_iterations,
             "--outer-iterations: belongs to --latent");
  visit.rule(latent || !search.cold_start, "--cold-start: belongs to --latent");
  visit.rule(!search.cold_start || has_checkpoints(method),
             "--cold-start: --solver " + std::string(to_string(method)) + " keeps no planes");
}

TrainedRanking train_rank(const Dataset& data,
                          const RankOptions& options,
                          const StructuralState* start) {
  check(data, options);
  if (options.latent) return train_latent_rank(data, options, start);
  const std::unique_ptr<StructuralRisk> risk = make_risk(data, options);
  StructuralSolution solution =
      solve_structural(*risk, options.method, row_solving(options.solving, options.method), start);
  if (!has_anything_to_learn(*risk)) solution.report.warnings.emplace_back(nothing_to_learn);
  return with_model(data,
                    solution.w,
                    bias_of(options),
                    {.report = std::move(solution.report), .oracle_calls = solution.oracle_calls});
}

double rank_objective(const Dataset& data,
                      const RankOptions& options,
                      const Regressor& model,
                      const Context& context) {
  check(data, options);
  const auto* linear = std::get_if<LinearFunctions>(&model.function);
  require(
      linear != nullptr && linear->weights.rows() == 1 && linear->weights.cols() == data.features(),
      "the model must be one linear function of the data's features");
  std::vector<double> w(linear->weights.values().begin(), linear->weights.values().end());
  if (options.latent) return HiddenTops(data, options).objective(w, context);
  const std::unique_ptr<StructuralRisk> risk = make_risk(data, options);
  if (bias_of(options) != 0) w.push_back(linear->offsets[0] / options.bias);
  return asked_primal(*risk, options.solving.c, w, context);
}

}  // namespace maxmargin
