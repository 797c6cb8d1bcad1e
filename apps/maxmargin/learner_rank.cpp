// SPDX-License-Identifier: Apache-2.0
//
// --learner rank: scores that order the rows of queries (docs/guide/ranking.md).
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "checkpoints.hpp"
#include "data_source.hpp"
#include "feature_checks.hpp"
#include "learner_options.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/io/table/read_labels.hpp"
#include "maxmargin/model/structured/rank.hpp"
#include "rank_measures.hpp"
#include "structured_options.hpp"
#include "structured_rows.hpp"

namespace maxmargin::tool {

namespace {

constexpr auto rank_options = joined(solving_options,
                                     names("loss",
                                           "k",
                                           "relevant-from",
                                           "query-weight",
                                           "no-bias",
                                           "scale",
                                           "groups",
                                           "weight",
                                           "format",
                                           "label",
                                           "header",
                                           "labels"));
/// Of `predict` and `eval`.
constexpr std::array rank_measure_options =
    names("k", "relevant-from", "groups", "format", "label", "header", "labels", "unlabeled");

/// What --loss names.
struct RankLoss {
  std::string_view name;
  /// Unset: pairs.
  std::optional<TableLoss> table = std::nullopt;
  /// Rows are relevant or not: all other differences of grades are dropped.
  bool two_grades = false;
  /// Rows of a positive score are called relevant.
  bool by_sign = false;
  /// A fixed number of rows is.
  bool by_count = false;
};

constexpr std::array rank_losses = {
    RankLoss{.name = "pairs"},
    RankLoss{.name = "roc-area", .two_grades = true},
    RankLoss{.name = "error", .table = TableLoss::error, .by_sign = true},
    RankLoss{.name = "f1", .table = TableLoss::f1, .by_sign = true},
    RankLoss{.name = "precision-at-k", .table = TableLoss::precision_at_k, .by_count = true},
    RankLoss{.name = "recall-at-k", .table = TableLoss::recall_at_k, .by_count = true}};

const RankLoss& loss_named(const std::string& name) {
  std::vector<std::string> known;
  for (const RankLoss& loss : rank_losses) known.emplace_back(loss.name);
  require_choice("loss", name, known);
  return *std::ranges::find(rank_losses, name, &RankLoss::name);
}

/// Rows in queries; those of a query stand together.
ReadOptions query_options(const Arguments& arguments) {
  ReadOptions options = read_options(arguments, Purpose::look);
  options.whole_groups = true;
  return options;
}

/// The same to learn from: a query has one weight.
Dataset load_training_queries(const Arguments& arguments) {
  ReadOptions options = query_options(arguments);
  options.group_weights = true;
  return read_data(arguments.positionals.at(0), options);
}

/// 1 for relevant rows, 0 for the others; labels that are no grades stay, and are refused later.
void keep_two_grades(Dataset& data, double relevant_from) {
  if (!data.labels.all_numbers()) return;
  std::vector<double> grades(data.labels.numbers().begin(), data.labels.numbers().end());
  for (double& grade : grades) {
    if (grade == grade) grade = grade >= relevant_from ? 1 : 0;
  }
  data.labels = LabelColumn::from_numbers(std::move(grades));
}

RankOptions rank_options_of(const Arguments& arguments, const RankLoss& loss) {
  const RankTerms terms = rank_terms_of(arguments);
  RankOptions options;
  options.c = parse_cost(arguments.text_or("C", "1"), false);
  options.table = loss.table;
  options.relevant_from = terms.relevant_from;
  if (arguments.has("k")) {
    if (!loss.by_count) {
      throw UsageError("-k: belongs to --loss precision-at-k and recall-at-k");
    }
    options.k = terms.k;
  }
  if (arguments.has("no-bias") && !loss.by_sign) {
    throw UsageError("--no-bias: belongs to --loss error and f1, other orders have no bias");
  }
  options.bias = loss.by_sign && !arguments.has("no-bias") ? 1 : 0;
  options.weight = arguments.choice_or("query-weight", "one", {"one", "size"}) == "size"
                       ? QueryWeight::size
                       : QueryWeight::one;
  return options;
}

/// What, with the data, decides the answer but for how exact it is.
ReportFields shown_options(StructuralMethod method,
                           const StructuralOptions& solving,
                           const RankOptions& options,
                           const RankLoss& loss,
                           const RankTerms& terms,
                           const Arguments& arguments) {
  ReportFields fields = shown_solving(method, solving);
  fields.emplace_back("loss", std::string(loss.name));
  if (options.k) fields.emplace_back("k", whole(*options.k));
  fields.emplace_back("relevant_from", terms.relevant_from);
  fields.emplace_back("query_weight", arguments.text_or("query-weight", "one"));
  fields.emplace_back("bias", options.bias != 0);
  fields.emplace_back("scale", arguments.text_or("scale", "none"));
  return fields;
}

/// Queries of one grade have no loss.
bool has_anything_to_learn(const StructuralRisk& risk) {
  for (std::size_t q = 0; q < risk.examples(); ++q) {
    if (risk.weight(q) != 0) return true;
  }
  return false;
}

StructuredTraining train_rank_learner(const Arguments& arguments,
                                      const ProgressCallback& progress,
                                      PhaseTimer& timer) {
  const RankLoss& loss = loss_named(arguments.text_or("loss", "pairs"));
  const RankOptions options = rank_options_of(arguments, loss);
  RankTerms terms = rank_terms_of(arguments);
  terms.by_sign = loss.by_sign;
  const StructuralMethod method = structural_method_of(arguments);
  StructuralOptions solving = row_solving_of(arguments, method);
  timer.enter("read");
  Dataset data = load_training_queries(arguments);
  const LabelColumn grades = data.labels;
  const std::optional<Scaler> scaler = scale_rows(arguments, data);
  if (loss.two_grades) keep_two_grades(data, terms.relevant_from);
  ReportFields shown = shown_options(method, solving, options, loss, terms, arguments);
  Checkpoints checkpoints(arguments, method, shown, fingerprint(data), solving);
  shown.emplace_back("tolerance", solving.tolerance);
  solving.on_progress = progress;
  timer.leave();

  std::uint64_t oracle_calls = 0;
  std::size_t weights = 0;
  TrainedRegressor trained =
      train_rank(data, options, [&](const StructuralRisk& risk, const StructuralOptions&) {
        StructuralSolution found = solve_structural(risk, method, solving, checkpoints.start());
        if (!has_anything_to_learn(risk)) {
          found.report.warnings.emplace_back(
              "no query has rows that the loss tells apart: all scores are 0");
        }
        oracle_calls = found.oracle_calls;
        weights = risk.dimension();
        return found;
      });
  timer.enter("measure");
  StructuredTraining result{.document = ModelDocument("rank"),
                            .report = trained.report,
                            .examples = data.size(),
                            .weights = weights};
  checkpoints.add_warnings(result.report);
  if (arguments.has("verify")) {
    result.recomputed_objective = rank_objective(data, options, trained.model);
  }
  StructuredPrediction own;
  const DecisionOptions exact{.threads = threads_of(arguments), .precision = ValuePrecision::exact};
  data.labels = grades;
  add_rank_measures(data, trained.model.predict(data.examples, exact), terms, own);
  own.metrics.emplace_back("oracle_calls", static_cast<double>(oracle_calls));
  result.metrics = std::move(own.metrics);
  trained.model.scaler = scaler;
  // `info` and `convert` see the function as that of a regression.
  result.document.set_string("task", "regression");
  add_regressor(result.document, std::move(trained.model));
  keep_training(result.report, shown, result.document);
  result.options = std::move(shown);
  timer.leave();
  return result;
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
  if (model.has("option.loss")) terms.by_sign = loss_named(model.string("option.loss")).by_sign;
  return terms;
}

StructuredPrediction predict_rank(const ModelDocument& model,
                                  const Arguments& arguments,
                                  PhaseTimer& timer) {
  const RankTerms terms = rank_terms_of(arguments, terms_of(model));
  const Regressor regressor = regressor_of(model);
  const std::size_t features = feature_count(regressor.function);
  ReadOptions reading = query_options(arguments);
  reading.model_features = features;
  const Dataset data = read_data(arguments.positionals.at(1), reading);
  StructuredPrediction prediction{.examples = data.size(), .weights = features};
  check_features(data, features, prediction.warnings);
  check_names(data, regressor.feature_names);
  timer.enter("predict");
  const std::vector<double> scores = regressor.predict(
      data.examples, {.threads = threads_of(arguments), .precision = ValuePrecision::exact});
  for (const double score : scores) prediction.lines.append(format_number(score)).append("\n");
  timer.enter("measure");
  add_rank_measures(data, scores, terms, prediction);
  return prediction;
}

StructuredPrediction evaluate_rank(const Arguments& arguments) {
  const RankTerms terms = rank_terms_of(arguments);
  const std::string& truth = arguments.positionals.at(0);
  const std::string& predicted = arguments.positionals.at(1);
  const Dataset data = read_data(truth, query_options(arguments));
  if (!data.has_labels()) throw FileError(truth, "has no grades");
  const std::vector<double> scores = read_scores(predicted, {.threads = threads_of(arguments)});
  if (scores.size() != data.size()) {
    throw FileError(predicted,
                    "holds " + std::to_string(scores.size()) + " scores, but " + truth + " has " +
                        std::to_string(data.size()) + " rows");
  }
  StructuredPrediction found{.examples = data.size()};
  add_rank_measures(data, scores, terms, found);
  return found;
}

}  // namespace

const StructuredLearnerSpec& rank_learner() {
  static constexpr StructuredLearnerSpec spec{"rank",
                                              "scores that order the rows of queries",
                                              rank_options,
                                              train_rank_learner,
                                              predict_rank,
                                              evaluate_rank,
                                              rank_measure_options,
                                              rank_measure_options};
  return spec;
}

}  // namespace maxmargin::tool
