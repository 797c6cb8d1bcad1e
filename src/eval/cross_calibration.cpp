// SPDX-License-Identifier: Apache-2.0
#include "eval/cross_calibration.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "eval/task_runner.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/data/splits.hpp"

namespace maxmargin {

void CrossCalibrationOptions::describe(OptionVisitor& visit) {
  visit.whole(
      {.name = "folds", .help = "parts of the cross-validation; more take longer and vary less"},
      folds,
      {.least = 2});
  visit.threads(context.threads);
}

namespace {

void require_trainable_classes(const Classifier& model, const Classes& classes) {
  require(classes.names == model.classes, "the classes of the data are not those of the model");
  const std::vector<std::size_t> sizes = classes.sizes();
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    require(sizes[c] >= 2,
            "probabilities need at least two examples of every class; class " +
                classes.names[c].text() + " has " + std::to_string(sizes[c]));
  }
}

/// The values of all functions, as the model computes them for a new example.
DenseMatrix values_of(const Classifier& model,
                      const Examples& examples,
                      std::optional<std::size_t> threads) {
  const DecisionOptions exact{.context = {.threads = threads}, .precision = ValuePrecision::exact};
  if (!model.scaler) return decision_values(model.functions, examples, exact);
  return decision_values(model.functions, model.scaler->apply(examples), exact);
}

}  // namespace

CrossCalibration cross_calibrate(const Classifier& model,
                                 const Dataset& data,
                                 const ClassifierTrainer& trainer,
                                 const CrossCalibrationOptions& options) {
  validate(options);
  require(static_cast<bool>(trainer), "the trainer is empty");
  const Classes classes = classes_of(data.labels);
  require_trainable_classes(model, classes);
  const std::size_t rows = data.labels.labelled_count();
  const auto folds =
      stratified_folds(classes.of_row, std::min(options.folds, rows), options.context.seed);

  DenseMatrix held_out(data.size(), model.code.functions);
  TaskRunner runner(thread_count(options.context.threads),
                    "calibration",
                    folds.size(),
                    options.context.on_progress);
  runner.run(folds.size(), [&](std::size_t f) -> std::size_t {
    const TrainedClassifier fit = trainer(data.select(folds[f].train));
    if (was_stopped(fit.report.status)) return 0;
    require(fit.model.classes == model.classes && fit.model.code.signs == model.code.signs,
            "a fold's machine has another output code than the model");
    const DenseMatrix values =
        values_of(fit.model, data.select(folds[f].test).examples, options.context.threads);
    for (std::size_t i = 0; i < folds[f].test.size(); ++i) {
      std::ranges::copy(values.row(i), held_out.row(folds[f].test[i]).begin());
    }
    return 1;
  });
  if (runner.status() != Status::solved) return {.status = runner.status()};
  return {.calibration = fit_calibration(
              options.kind, model.code, held_out.view(), classes.of_row, data.weights)};
}

}  // namespace maxmargin
