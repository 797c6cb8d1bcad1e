// SPDX-License-Identifier: Apache-2.0
//
// rank: scores that order the rows of queries (docs/guide/ranking.md).
#include "maxmargin/model/structured/rank.hpp"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <variant>

#include "learner/feature_checks.hpp"
#include "learner/header.hpp"
#include "learner/structured/checkpoints.hpp"
#include "learner/structured/fingerprint.hpp"
#include "learner/structured/fold_measures.hpp"
#include "learner/structured/latent.hpp"
#include "learner/structured/rank_measures.hpp"
#include "learner/structured/rows.hpp"
#include "learner/structured/sources.hpp"
#include "learner/structured/start_scale.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/io/table/read_labels.hpp"
#include "maxmargin/learner/model.hpp"

namespace maxmargin::learning {

namespace {

struct RankChoice {
  RankOptions machine = {};
  StartModelChoice start_model = {};
  ScalingOptions scale = {};
  CheckpointChoice checkpoints = {};

  void describe(OptionVisitor& visit) {
    machine.describe(visit);
    start_model.describe(visit, machine.start == RankStart::weights);
    describe_scaling(visit, scale);
    checkpoints.describe(visit);
    visit.rule(!machine.k || is_by_count(machine.loss),
               "-k: belongs to --loss precision-at-k and recall-at-k");
    visit.rule(machine.bias != 0 || is_by_sign(machine.loss),
               "--no-bias: belongs to --loss error and f1, other orders have no bias");
  }
};

struct RankPredictionChoice {
  RankTermsChoice terms = {};
  void describe(OptionVisitor& visit) {
    terms.describe(visit, "that of the training, else 10", "that of the training");
  }
};

struct RankEvaluationChoice {
  RankTermsChoice terms = {};
  QueriesReading reading = {};
  void describe(OptionVisitor& visit) {
    terms.describe(visit);
    reading.describe(visit);
  }
};

/// The weights of a model for rows as this training scales them. What the scalings move adds the
/// same to all scores, and no order sees it.
std::vector<double> weights_in(const StartModelChoice& choice,
                               const std::optional<Scaler>& scaler,
                               std::size_t features) {
  constexpr std::array<std::string_view, 1> learners = {"rank"};
  const Regressor regressor = regressor_of(choice.load(learners).document());
  const auto& weights = std::get<LinearFunctions>(regressor.function).weights.values();
  require_start_weights(*choice.path, weights.size(), features);
  return rescaled(weights, regressor.scaler, scaler).weights;
}

/// What only a latent training has, and what one that is none hides.
void add_search_of(const TrainedRanking& trained, std::size_t k, StructuredFit& fit) {
  if (!trained.search) {
    fit.metrics.emplace_back("oracle_calls", static_cast<double>(trained.oracle_calls));
    for (const char* const key : {"start", "restarts", "outer_iterations", "cold_start"}) {
      fit.used.emplace_back(key, std::monostate{});
    }
    return;
  }
  add_search(*trained.search, "precision_at_" + std::to_string(k), fit);
  fit.metrics.emplace_back("start_objective", trained.start_objective);
}

StructuredFit train(const TableData& table,
                    const RankChoice& choice,
                    const StructuredInput& input) {
  RankOptions options = choice.machine;
  options.solving.context = input.context;
  const ScaledRows scaled(table.data, choice.scale);
  const Dataset& data = scaled.rows();
  std::uint64_t print = fingerprint(data);
  if (choice.start_model.path) {
    std::vector<double>& weights = options.search.start_weights;
    weights = weights_in(choice.start_model, scaled.scaler(), data.features());
    Fingerprint both;
    both.mix(print);
    both.mix(std::span<const double>(weights));
    print = both.value();
  }
  Checkpoints checkpoints(choice.checkpoints, options.method, input.run, print, options.solving);
  TrainedRanking trained = train_rank(data, options, checkpoints.start());
  input.timer.enter("measure");
  const RankTerms terms{.k = options.k.value_or(RankTerms{}.k),
                        .relevant_from = options.relevant_from,
                        .by_sign = is_by_sign(options.loss)};
  const DecisionOptions exact{.context = input.context, .precision = ValuePrecision::exact};
  RunReport own;
  add_rank_measures(data, trained.model.predict(data.examples, exact), terms, own);
  StructuredFit fit{
      .body = ModelDocument("rank"),
      .report = std::move(trained.report),
      .examples = data.size(),
      .weights = trained.weights,
      .metrics = std::move(own.metrics),
      .used = {{"bias",
                terms.by_sign ? ReportValue(options.bias != 0) : ReportValue(std::monostate{})}}};
  add_search_of(trained, terms.k, fit);
  checkpoints.add_warnings(fit.report);
  trained.model.scaler = scaled.scaler();
  add_regressor(fit.body, std::move(trained.model));
  return fit;
}

/// What the model was trained to order by.
RankTerms terms_of(const ModelDocument& model) {
  RankTerms terms;
  const auto demand = [&](bool holds, const char* problem) {
    if (!holds) throw ModelFormatError(model.source(), {}, problem);
  };
  if (model.has("option.relevant_from")) {
    terms.relevant_from = model.number("option.relevant_from");
    demand(std::isfinite(terms.relevant_from), "option.relevant_from is not finite");
  }
  if (model.has("option.k")) {
    const std::int64_t k = model.integer("option.k");
    demand(k >= 1, "option.k is below 1");
    terms.k = static_cast<std::size_t>(k);
  }
  if (model.has("option.loss")) {
    const std::optional<RankLoss> loss = value_named<RankLoss>(model.string("option.loss"));
    demand(loss.has_value(), "option.loss is not known");
    terms.by_sign = is_by_sign(*loss);
  }
  return terms;
}

Prediction predict(const ModelDocument& model,
                   const TableData& table,
                   const RankPredictionChoice& choice,
                   const Context& context,
                   PhaseTimer& timer) {
  const RankTerms terms = choice.terms.over(terms_of(model));
  const Regressor regressor = regressor_of(model);
  const std::size_t features = feature_count(regressor.function);
  const Dataset& data = table.data;
  Prediction prediction;
  prediction.report.n = data.size();
  prediction.report.d = features;
  check_features(data, features, prediction.report.solve.warnings);
  check_names(data, regressor.feature_names);
  timer.enter("predict");
  prediction.values =
      regressor.predict(data.examples, {.context = context, .precision = ValuePrecision::exact});
  for (std::size_t i = 0; i < prediction.values.size(); ++i) {
    require_finite_score(prediction.values[i], i, data);
  }
  for (const double score : prediction.values) {
    prediction.lines.append(format_number(score)).append("\n");
  }
  timer.enter("measure");
  add_rank_measures(data, prediction.values, terms, prediction.report);
  return prediction;
}

double objective(const ModelDocument& model,
                 const TableData& table,
                 const RankChoice& choice,
                 const Context& context) {
  RankOptions options = choice.machine;
  options.solving.context = context;
  Regressor regressor = regressor_of(model);
  const ScaledRows scaled(table.data, regressor.scaler);
  regressor.scaler.reset();
  return rank_objective(scaled.rows(), options, regressor, context);
}

std::string no_certificate(const RankChoice& choice) {
  // A search knows its objective whatever the solver.
  return choice.machine.latent ? std::string() : no_certificate_of(choice.machine.method);
}

RunReport evaluate(const std::string& truth,
                   const std::string& predicted,
                   const RankEvaluationChoice& choice,
                   const Context& context) {
  const Dataset data = read_queries(truth, choice.reading, context).data;
  if (!data.has_labels()) throw FileError(truth, "has no grades");
  const std::vector<double> scores = read_scores(predicted, {.context = context});
  if (scores.size() != data.size()) {
    throw FileError(predicted,
                    "holds " + std::to_string(scores.size()) + " scores, but " + truth + " has " +
                        std::to_string(data.size()) + " rows");
  }
  RunReport report{.n = data.size()};
  add_rank_measures(data, scores, choice.terms.over({}), report);
  return report;
}

}  // namespace

void add_rank(LearnerList& list) {
  using Functions =
      StructuredFunctions<TableData, RankChoice, RankPredictionChoice, RankEvaluationChoice>;
  list.push_back(
      std::make_unique<
          StructuredEntry<TableData, RankChoice, RankPredictionChoice, RankEvaluationChoice>>(
          LearnerInfo{.name = "rank",
                      .summary = "scores that order the rows of queries",
                      .task = Task::rank,
                      .data = DataKind::queries,
                      .formula = "min 1/2 |w|^2 + C sum_q max over wrong orders of "
                                 "(loss - w.(Phi(truth) - Phi(wrong)))",
                      .page = "docs/algorithms/ranking.md",
                      .example = "builtin:gaussians",
                      .class_name = "Ranker"},
          Functions{train, predict, objective, no_certificate, evaluate, kept_features},
          measures_of_rankings));
}

}  // namespace maxmargin::learning
