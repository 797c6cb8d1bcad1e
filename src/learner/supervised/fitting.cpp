// SPDX-License-Identifier: Apache-2.0
#include "learner/supervised/fitting.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "core/parts_of_run.hpp"
#include "eval/cross_calibration.hpp"
#include "learner/data_checks.hpp"
#include "learner/fold_trainings.hpp"
#include "learner/option_texts.hpp"
#include "learner/part_of_run.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/kernel/gram/mercer.hpp"

namespace maxmargin::learning {

namespace {

/// probabilities[=KIND]: platt where no kind is said.
class CalibrationValue final : public OptionValue {
 public:
  explicit CalibrationValue(std::optional<CalibrationKind>& kind) : kind_(kind) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::name; }
  [[nodiscard]] std::string rule() const override { return "platt or isotonic"; }
  [[nodiscard]] std::vector<std::string_view> names() const override {
    return all_names<CalibrationKind>();
  }
  [[nodiscard]] bool set(std::string_view text) override {
    if (text == "false") {
      kind_.reset();
      return true;
    }
    const auto kind = text == "true" ? CalibrationKind::platt : value_named<CalibrationKind>(text);
    if (kind) kind_ = kind;
    return kind.has_value();
  }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override {
    return kind_ ? OptionScalar(std::string(to_string(*kind_))) : OptionScalar{};
  }

 private:
  std::optional<CalibrationKind>& kind_;
};

/// The shared options as one value that describes itself.
struct DescribedShared {
  SharedOptions shared = {};
  bool calibrates = false;
  void describe(OptionVisitor& visit) { shared.describe(visit, calibrates); }
};

}  // namespace

void SharedOptions::describe(OptionVisitor& visit, bool calibrates) {
  if (calibrates) {
    CalibrationValue value(probabilities);
    visit.option({.name = "probabilities",
                  .help = "calibrate on cross-validated scores: platt (the default) or isotonic",
                  .value = "[=KIND]",
                  .fallback = "none"},
                 value);
  }
  scale.describe(visit);
}

std::vector<OptionDescription> describe_shared(bool calibrates) {
  return describe_options(DescribedShared{.calibrates = calibrates});
}

SharedOptions take_shared(OptionTexts& options, bool calibrates) {
  DescribedShared described{.calibrates = calibrates};
  const std::vector<OptionDescription> known = describe_options(described);
  const auto own_end =
      std::stable_partition(options.begin(), options.end(), [&](const auto& option) {
        return std::ranges::find(known, option.first, &OptionDescription::name) == known.end();
      });
  set_options(described, {own_end, options.end()}, "a learner");
  options.erase(own_end, options.end());
  drop_overridden(options, "multiclass");
  return described.shared;
}

FitInput fit_input(const TableData& given, const TrainingRequest& request) {
  FitInput input{.context = request.context,
                 .kernel_matrix = given.kernel_matrix,
                 .keep_dual = request.keep_certificate,
                 .is_part = request.is_part};
  if (input.kernel_matrix == nullptr) return input;
  refuse_unused_kernel(given, last_of(request.options, "kernel") == "precomputed");
  check_training_kernel(given);
  // Once for all folds: a part of a positive semidefinite matrix is one, too. Where an indefinite
  // one is allowed, it decides what can be proved.
  input.negative_eigenvalue =
      negative_eigenvalue(input.kernel_matrix->view(), thread_count(request.context.threads));
  return input;
}

FitInput input_of_part(FitInput input, std::size_t parts, const ProgressCallback& progress) {
  input.context = context_of_part(std::move(input.context), parts, progress);
  input.keep_dual = false;
  input.is_part = true;
  return input;
}

void calibrate(Fit& fit,
               CalibrationKind kind,
               const Dataset& data,
               const FitInput& input,
               const std::function<Fit(const Dataset& rows, const FitInput& input)>& train) {
  constexpr std::size_t folds = 5;
  const Stopwatch watch;
  const ProgressCallback progress = called_in_turn(input.context.on_progress);
  const FitInput of_fold = input_of_part(input, folds, progress);
  FoldTrainings trainings;
  const ClassifierTrainer trainer = [&](const Dataset& rows) {
    Fit part = train(rows, of_fold);
    if (!was_stopped(part.report.status)) trainings.add(part.report);
    return TrainedClassifier{.model = std::move(std::get<Classifier>(part.machine)),
                             .report = std::move(part.report)};
  };
  auto& model = std::get<Classifier>(fit.machine);
  CrossCalibration found = cross_calibrate(
      model,
      data,
      trainer,
      {.kind = kind,
       .folds = folds,
       .context =
           input.context.with_threads(threads_for_parts(input.context)).with_progress(progress)});
  if (found.calibration) {
    model.calibration = std::move(found.calibration);
  } else {
    fit.report.status = worse(fit.report.status, found.status);
    fit.report.warnings.emplace_back(
        "stopped before the scores for --probabilities were there: the model has none");
  }
  SolveReport of_folds;
  trainings.add_to(of_folds);
  fit.report.status = worse(fit.report.status, of_folds.status);
  for (const std::string& warning : of_folds.warnings) {
    fit.report.warnings.push_back("calibration: " + warning);
  }
  fit.report.seconds.emplace_back("calibrate", watch.seconds());
}

std::string remark_on_ranges(const Dataset& data, const Kernel* kernel) {
  constexpr double much = 100;
  const double ratio = feature_range_ratio(data.examples);
  if (ratio <= much) return {};
  // A sum with another kernel has something to say of narrow features, too.
  const bool is_rbf = kernel != nullptr && std::holds_alternative<Rbf>(*kernel);
  return "feature ranges differ by a factor of " + format_number(ratio, 3) +
         (is_rbf ? ": an rbf kernel sees the wide ones alone; try --scale range"
                 : ": the wide ones count most, and a solve may take long; try --scale range");
}

void warn_of_ranges(Fit& fit, const Dataset& data) {
  const Kernel* const kernel = kernel_of(fit.machine);
  const bool has_features =
      !data.holds_strings && (kernel == nullptr || !std::holds_alternative<Precomputed>(*kernel));
  const bool is_scaled =
      std::visit([](const auto& machine) { return machine.scaler.has_value(); }, fit.machine);
  if (!has_features || is_scaled) return;
  std::string remark = remark_on_ranges(data, kernel);
  if (!remark.empty()) fit.report.warnings.push_back(std::move(remark));
}

void warn_of_default_limit(Fit& fit, const OptionTexts& options) {
  if (fit.report.status != Status::iteration_limit || last_of(options, "max-iterations")) return;
  fit.report.warnings.emplace_back(
      "ended by the limit that stands where none is given: --max-iterations allows more steps; "
      "--scale range, a smaller -C or a larger --tolerance needs fewer");
}

}  // namespace maxmargin::learning
