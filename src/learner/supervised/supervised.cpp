// SPDX-License-Identifier: Apache-2.0
#include "learner/supervised/supervised.hpp"

#include <algorithm>

#include "learner/data_checks.hpp"
#include "learner/data_memory.hpp"
#include "learner/header.hpp"
#include "learner/supervised/fitting.hpp"
#include "learner/supervised/machine_prediction.hpp"
#include "learner/supervised/model_document.hpp"
#include "learner/supervised/supervised_report.hpp"
#include "maxmargin/core/timer.hpp"

namespace maxmargin::learning {

namespace {

/// Machines that are trained side by side spend more seconds together than pass meanwhile: each
/// phase is given its share of those.
void limit_to(double passed, std::vector<std::pair<std::string, double>>& seconds) {
  double spent = 0;
  for (const auto& phase : seconds) spent += phase.second;
  if (spent <= passed) return;
  for (auto& phase : seconds) phase.second *= passed / spent;
}

}  // namespace

const SupervisedLearner& SupervisedLearner::effective(const OptionTexts& options) const {
  return static_cast<const SupervisedLearner&>(effective_learner(*this, options));
}

std::vector<OptionDescription> SupervisedLearner::options() const {
  std::vector<OptionDescription> all = own_options();
  for (OptionDescription& option : describe_shared(calibrates_)) {
    all.push_back(std::move(option));
  }
  return all;
}

std::vector<OptionDescription> SupervisedLearner::prediction_options() const {
  return describe_options(PredictionChoice{});
}

void SupervisedLearner::check_options(const OptionTexts& options) const {
  if (const SupervisedLearner& other = effective(options); &other != this) {
    other.check_options(options);
    return;
  }
  refuse_unknown_options(options, this->options(), "the learner " + std::string(info().name));
  OptionTexts own = options;
  (void)take_shared(own, calibrates_);
  check_own_options(own);
}

Training SupervisedLearner::train(const LearnerData& data, const TrainingRequest& request) const {
  return beside_data(data, request, [&](const TrainingRequest& own) {
    return train_on(table_of(data, info()), own);
  });
}

Training SupervisedLearner::train_on(const TableData& given, const TrainingRequest& request) const {
  if (const SupervisedLearner& other = effective(request.options); &other != this) {
    return other.train_on(given, request);
  }
  check_options(request.options);
  const Stopwatch whole;
  Fit found = fit(given.data, request.options, fit_input(given, request));
  limit_to(whole.seconds(), found.report.seconds);
  // What is solved to no tolerance is a closed formula, or takes what comes.
  const bool solves = std::ranges::any_of(
      own_options(), [](const OptionDescription& own) { return is_named(own, "tolerance"); });
  if (solves) warn_of_ranges(found, given.data);
  warn_of_default_limit(found, request.options);
  const Stopwatch watch;
  Training training{.report = training_report(info(), found, given, request.context),
                    .row_weights = std::move(found.row_weights)};
  training.model = Model(document_of(*this, found, given.data, request.context.seed));
  training.report.solve.seconds.emplace_back("measure", watch.seconds());
  return training;
}

Prediction SupervisedLearner::predict(const Model& model,
                                      const LearnerData& data,
                                      const OptionTexts& options,
                                      const Context& context) const {
  check_model(model, info());
  const TableData& given = table_of(data, info());
  PredictionChoice choice;
  set_options(choice, options, "a model of " + std::string(info().name));
  validate(choice);
  const std::string& name = model.document().learner();
  const Machine& kept = machine_of(model, info().task);
  // Where what predicts is not the model's own.
  std::optional<Machine> changed;
  if (model.is_foreign()) {
    ForeignModel foreign{.learner = name, .machine = kept};
    widen_features(foreign, given.data.features());
    changed = std::move(foreign.machine);
  }
  if (model.calibrates_on_demand() && !choice.probabilities) {
    if (!changed) changed = kept;
    if (auto* const classifier = std::get_if<Classifier>(&*changed))
      classifier->calibration.reset();
  }
  PredictingMachine of{.learner = name, .task = info().task, .machine = changed ? *changed : kept};
  if (model.header().examples > 0) of.trained_on = model.header().examples;
  return predict_by_machine(of, given, choice, context);
}

}  // namespace maxmargin::learning
