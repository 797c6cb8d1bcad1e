// SPDX-License-Identifier: Apache-2.0
#include "learner/clustering/clustering.hpp"

#include <algorithm>
#include <utility>

#include "core/settle.hpp"
#include "learner/clustering/choice.hpp"
#include "learner/clustering/measures.hpp"
#include "learner/clustering/points.hpp"
#include "learner/clustering/request.hpp"
#include "learner/clustering/validators.hpp"
#include "learner/csv_table.hpp"
#include "learner/data_checks.hpp"
#include "learner/data_memory.hpp"
#include "learner/feature_checks.hpp"
#include "learner/header.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/model/scaler_file.hpp"

namespace maxmargin::learning {

namespace {

struct ClusterPredictionOptions {
  bool probabilities = false;
  void describe(OptionVisitor& visit) {
    visit.yes_no({.name = "probabilities", .help = "write the probability of every cluster as CSV"},
                 probabilities);
  }
};

/// The method's options as used, then what all methods have.
ReportFields options_as_used(const Clustering& found,
                             const ClusterRequest& request,
                             const Context& context) {
  ReportFields options = found.used;
  OptionScalars common = option_values(request.shared);
  for (auto& [key, value] : option_values(context)) {
    if (key == "seed") common.emplace_back(key, std::move(value));
  }
  for (auto& [key, value] : common) {
    const std::string& name = key;  // clang 14 does not capture parts of a binding
    const bool is_there =
        std::ranges::any_of(options, [&name](const auto& field) { return field.first == name; });
    if (!is_there) options.emplace_back(key, std::move(value));
  }
  return options;
}

/// Nothing for a run without a sound answer.
std::optional<Model> model_of(const Learner& learner,
                              Clustering& found,
                              const ScaledPoints& points,
                              const ReportFields& options,
                              const Context& context) {
  if (!found.model || found.report.status == Status::numerical_failure) return std::nullopt;
  ModelDocument document =
      document_with_header(learner, options, context.seed, points.rows.size(), found.report);
  store_scaler(points.scaler, document);
  const std::vector<std::string>& names = points.rows.feature_names;
  if (!names.empty()) document.set_strings("feature_names", names);
  append_body(document, *found.model);
  return Model(std::move(document));
}

/// Methods read one triangle of a kernel matrix alone, and say themselves when it is not square.
void check_symmetry(const Dataset& rows) {
  if (rows.size() != rows.features()) return;
  const std::string problem = asymmetry_of(rows.examples.to_dense());
  if (!problem.empty()) throw InvalidArgument(name_of(rows) + " " + problem);
}

/// CSV with a header of cluster numbers.
std::string probability_lines(const Model& model, const ClusterAnswer& answer) {
  if (!answer.probabilities) {
    throw InvalidArgument("--probabilities: a clustering by " + model.header().learner +
                          " has none");
  }
  std::vector<std::string> header;
  for (std::size_t c = 0; c < answer.probabilities->cols(); ++c) {
    header.push_back(std::to_string(c));
  }
  return csv_table(header, answer.probabilities->view());
}

}  // namespace

bool ClusterLearner::takes(std::string_view option) const {
  return std::ranges::any_of(own_options(),
                             [&](const OptionDescription& own) { return is_named(own, option); });
}

std::vector<OptionDescription> ClusterLearner::options() const {
  std::vector<OptionDescription> all = own_options();
  for (OptionDescription& own : all) {
    if (own.name != cluster_count_name) continue;
    own.help += "; auto: the most stable of 2 to 10";
    own.rule += ", or auto";
    own.names.emplace_back("auto");
  }
  for (OptionDescription& shared : describe_options(SharedClusterOptions{})) {
    all.push_back(std::move(shared));
  }
  return all;
}

std::vector<OptionDescription> ClusterLearner::prediction_options() const {
  return describe_options(ClusterPredictionOptions{});
}

void ClusterLearner::check_options(const OptionTexts& options) const {
  const ClusterRequest request = read_request(*this, options);
  refuse_unknown_options(options, this->options(), "the method " + std::string(info().name));
  constexpr std::size_t any_number = 2;
  check_own_options(request.chooses_clusters ? with_cluster_count(request.own, any_number)
                                             : request.own);
}

Training ClusterLearner::train(const LearnerData& data, const TrainingRequest& request) const {
  return beside_data(
      data, request, [&](const TrainingRequest& own) { return train_and_check(data, own, {}); });
}

Training ClusterLearner::train_and_check(const LearnerData& data,
                                         const TrainingRequest& request,
                                         const ClusterChecks& checks) const {
  check_options(request.options);
  ClusterRequest asked = read_request(*this, request.options);
  const TableData& table = table_of(data, info());
  refuse_unused_kernel(table, asked.is_precomputed);
  check_strings(table.data, asks_for_strings(request.options));
  if (asked.shared.scale.kind != ScalingKind::none) {
    // One look at the data, which is not to be stopped; what follows asks again.
    (void)request.context.ask({.phase = "scale"});
  }
  const ScaledPoints points = scaled_points(table, asked.shared.scale);
  if (asked.is_precomputed) check_symmetry(points.rows);
  Clustering found;
  std::vector<ReportFields> tried;
  if (asked.chooses_clusters) {
    ChosenClusters chosen = choose_and_run(*this, points.rows, asked.own, request.context);
    found = std::move(chosen.found);
    asked.own = std::move(chosen.own);
    tried = std::move(chosen.table);
  } else {
    found = run(points.rows, asked.own, request.context);
  }

  PhaseTimer timer;
  timer.enter("measure");
  Training training{.kernel = found.kernel, .trace = std::move(found.trace)};
  RunReport& report = training.report;
  report = {.kind = "method",
            .name = std::string(info().name),
            .n = points.rows.size(),
            .d = points.rows.features(),
            .solve = found.report,
            .metrics = found.metrics,
            .options = options_as_used(found, asked, request.context),
            .tables = found.tables,
            .objects = found.objects};
  if (!request.is_part) {
    ClusterValidators validators(*this, points.rows, found, asked, request.context);
    validators.add_cheap(report, checks.validate);
    add_label_measures(table, found.labels, report);
    if (!tried.empty()) report.tables.emplace_back("tried", std::move(tried));
    if (checks.validate) validators.add_costly(report);
  }
  if (checks.verify) {
    const Verification verification = verify_found(points.rows, found, request.context);
    report.verified = verification.agrees;
    report.verify_reason = verification.complaint;
  }
  training.model = model_of(*this, found, points, report.options, request.context);
  training.clusters = std::move(found.labels);
  for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));
  return training;
}

Prediction ClusterLearner::predict(const Model& model,
                                   const LearnerData& data,
                                   const OptionTexts& options,
                                   const Context& context) const {
  check_model(model, info());
  ClusterPredictionOptions wanted;
  set_options(wanted, options, "a model of " + model.header().learner);
  const TableData& table = table_of(data, info());
  refuse_unused_kernel(table, has_precomputed_kernel(model.document()));
  Dataset rows = points_of(table);
  Prediction prediction{.report = {.kind = "learner",
                                   .name = model.header().learner,
                                   .n = rows.size(),
                                   .d = rows.features()}};
  RunReport& report = prediction.report;
  check_features(rows, features(model.document()), report.solve.warnings);
  if (model.document().has("feature_names")) {
    check_names(rows, model.document().strings("feature_names"));
  }
  PhaseTimer timer;
  timer.enter("predict");
  rows.examples = load_scaler(model.document()).apply(std::move(rows.examples));
  ClusterAnswer answered = answer(model.document(), rows, context);
  timer.enter("measure");
  add_label_measures(table, answered.clusters, report);
  prediction.lines =
      wanted.probabilities ? probability_lines(model, answered) : cluster_lines(answered.clusters);
  prediction.clusters = std::move(answered.clusters);
  if (answered.probabilities) prediction.probabilities = std::move(*answered.probabilities);
  report.solve.seconds = timer.finish();
  return prediction;
}

}  // namespace maxmargin::learning
