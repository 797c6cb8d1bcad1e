// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/structured.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/settle.hpp"
#include "learner/data_memory.hpp"
#include "learner/header.hpp"
#include "learner/settle.hpp"
#include "learner/supervised/figures.hpp"
#include "learner/verifying.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/machine_file.hpp"

namespace maxmargin::learning {

namespace {

/// How far two computations of one objective may be apart, relative to it.
constexpr double rounding = 1e-6;

constexpr std::array<std::string_view, 3> checkpoint_keys = {
    "checkpoint", "checkpoint_every", "resume"};
/// Files that a training writes.
constexpr std::array<std::string_view, 3> written_keys = {"checkpoint", "meme", "logo"};
/// Where weights were read: those say which run it is (Fingerprint), from whatever path.
constexpr std::string_view read_key = "start_model";
/// When a run ends, not where to.
constexpr std::array<std::string_view, 2> limit_keys = {"tolerance", "max_iterations"};

template <std::size_t n>
bool is_among(const std::array<std::string_view, n>& keys, const std::string& key) {
  return std::ranges::find(keys, key) != keys.end();
}

void put(ReportFields& fields, const std::string& key, const ReportValue& value) {
  const auto at = std::ranges::find(fields, key, &ReportFields::value_type::first);
  if (std::holds_alternative<std::monostate>(value)) {
    if (at != fields.end()) fields.erase(at);
  } else if (at != fields.end()) {
    at->second = value;
  } else {
    fields.emplace_back(key, value);
  }
}

std::optional<double> bound_of(const ModelHeader& header) {
  return header.dual_objective ? header.dual_objective : header.lower_bound;
}

/// The options that a model keeps: equal trainings have equal models.
ReportFields options_of_model(ReportFields shown) {
  std::erase_if(shown, [](const auto& field) { return field.first == read_key; });
  return shown;
}

}  // namespace

OptionTexts options_without_files(const OptionTexts& options) {
  OptionTexts kept;
  for (const auto& option : options) {
    const std::string key = key_of(option.first);
    if (is_among(checkpoint_keys, key) || is_among(written_keys, key)) continue;
    kept.push_back(option);
  }
  return kept;
}

ReportFields run_of(const OptionScalars& options, const Context& context) {
  ReportFields fields;
  for (const auto& [key, value] : options) {
    // Where files are says nothing of the answer.
    if (is_among(checkpoint_keys, key) || is_among(written_keys, key) || key == read_key) continue;
    if (is_among(limit_keys, key)) continue;
    fields.emplace_back(key, value);
  }
  fields.emplace_back("seed", std::to_string(context.seed));
  return fields;
}

ReportFields shown_options(const OptionScalars& options, const ReportFields& used) {
  ReportFields fields;
  for (const auto& [key, value] : options) {
    if (!is_among(checkpoint_keys, key)) fields.emplace_back(key, value);
  }
  for (const auto& [key, value] : used) put(fields, key, value);
  return fields;
}

Training StructuredLearner::train(const LearnerData& data, const TrainingRequest& request) const {
  PhaseTimer timer;
  auto [fit, options] = beside_data(
      data, request, [&](const TrainingRequest& own) { return fit_own(data, own, timer); });
  settle(fit.report);
  Training training;
  settle_status(info(), options, fit.report, training.report.objects, training.report.tables);
  ModelDocument document = document_with_header(
      *this, options_of_model(options), request.context.seed, fit.examples, fit.report);
  append_body(document, fit.body);
  training.model.emplace(std::move(document));
  training.report = {.kind = "learner",
                     .name = std::string(info().name),
                     .n = fit.examples,
                     .d = fit.weights,
                     .solve = std::move(fit.report),
                     .metrics = std::move(fit.metrics),
                     .options = std::move(options),
                     .tables = std::move(fit.tables)};
  for (auto& field : fit.of_data) training.report.options.push_back(std::move(field));
  for (auto& [key, value] : option_values(request.context)) {
    if (key == "seed") training.report.options.emplace_back(key, std::move(value));
  }
  training.report.oracle = fit.exact_oracle ? "exact" : "inexact";
  for (auto& phase : timer.finish()) training.report.solve.seconds.push_back(std::move(phase));
  return training;
}

Prediction StructuredLearner::predict(const Model& model,
                                      const LearnerData& data,
                                      const OptionTexts& options,
                                      const Context& context) const {
  check_model(model, info());
  PhaseTimer timer;
  Prediction prediction = predict_own(model.document(), data, options, context, timer);
  prediction.report.kind = "learner";
  prediction.report.name = info().name;
  for (auto& phase : timer.finish()) prediction.report.solve.seconds.push_back(std::move(phase));
  return prediction;
}

OptionTexts StructuredLearner::written_files(const OptionTexts& options) const {
  OptionTexts files;
  for (const auto& [name, path] : options) {
    if (is_among(written_keys, name)) files.emplace_back(name, path);
  }
  return files;
}

ModelFigures StructuredLearner::figures(const Model& model) const {
  if (machine_kind(model.document()) == MachineKind::none) return Learner::figures(model);
  return blaming(model.document(), [&] { return machine_figures(model); });
}

Verification StructuredLearner::verify(const Model& model,
                                       const LearnerData& data,
                                       const Context& context) const {
  return verified_unless_stopped([&] { return verify_objective(model, data, context); });
}

Verification StructuredLearner::verify_objective(const Model& model,
                                                 const LearnerData& data,
                                                 const Context& context) const {
  check_model(model, info());
  const ModelHeader& said = model.header();
  const OptionTexts kept = kept_options(said, options());
  Verification found{.complaint = no_certificate(kept)};
  if (!found.complaint.empty()) return found;
  found.complaint = other_count(model, data);
  const std::optional<std::size_t> features = model_features(model);
  if (found.complaint.empty() && features) found.complaint = other_features(data, *features);
  if (!found.complaint.empty()) {
    found.agrees = false;
    return found;
  }
  double recomputed = 0;
  try {
    recomputed = objective(model.document(), data, kept, context);
  } catch (const NothingToVerify& reason) {
    found.complaint = reason.what();
    return found;
  }
  found.primal = recomputed;
  if (!said.primal_objective) {
    found.complaint = "stopped before there was an objective";
    return found;
  }
  const double allowed = rounding * std::abs(recomputed) + doubt(model.document(), data, kept);
  const std::optional<double> bound = bound_of(said);
  // Headers of format 1 say nothing of it.
  if (said.status == Status::solved && !bound && !said.library.empty()) {
    found.agrees = false;
    found.complaint =
        "the model's header says solved, and neither a dual objective nor a lower bound";
    return found;
  }
  const bool is_same = std::abs(recomputed - *said.primal_objective) <= allowed;
  found.agrees = is_same && !(bound && *bound > recomputed + allowed);
  if (*found.agrees) return found;
  found.complaint = "the objective is " + format_number(recomputed) + ", the solver said " +
                    format_number(*said.primal_objective) +
                    (is_same ? ", and its bound " + format_number(*bound) : "");
  return found;
}

void StructuredLearner::refuse_data() const {
  throw InvalidArgument("the learner " + std::string(info().name) + " takes " +
                        std::string(to_string(info().data)) + ", not data of another kind");
}

}  // namespace maxmargin::learning
