// SPDX-License-Identifier: Apache-2.0
#include "fit.hpp"

#include <algorithm>
#include <numeric>

#include "data_source.hpp"
#include "interrupt.hpp"
#include "learner_options.hpp"
#include "machine.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/eval/cross_calibration.hpp"
#include "maxmargin/kernel/gram/mercer.hpp"

namespace maxmargin::tool {

namespace {

std::optional<CalibrationKind> calibration_of(const Arguments& arguments) {
  const std::optional<std::string> text = arguments.text("probabilities");
  if (!text) return std::nullopt;
  require_choice("probabilities", *text, {"true", "platt", "isotonic"});
  return *text == "isotonic" ? CalibrationKind::isotonic : CalibrationKind::platt;
}

/// The data scaled as --scale asks, and the scaler; `holder` keeps the scaled copy.
const Dataset& scaled(const Dataset& data,
                      const TrainingInput& input,
                      std::optional<Scaler>& scaler,
                      Dataset& holder) {
  const ScalingOptions options = scaling_of(input.arguments);
  if (options.kind == ScalingKind::none) return data;
  scaler = fit_scaler(data.examples, options);
  holder = data;
  holder.examples = scaler->apply(std::move(holder.examples));
  return holder;
}

/// The largest K(x, x) over the rows, in the kernel of the machine.
double largest_self_product(const Machine& machine, const Examples& rows) {
  const Kernel* found = kernel_of(machine);
  const Kernel kernel = found == nullptr ? Kernel(Linear{}) : *found;
  double largest = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    largest = std::max(largest, evaluate(kernel, rows.row(i), rows.row(i)));
  }
  return largest;
}

/// What the machine needs to take examples as they are in the data.
void dress(TrainingAnswer& answer, const Dataset& data, const std::optional<Scaler>& scaler) {
  std::visit(
      [&](auto& machine) {
        machine.scaler = scaler;
        machine.feature_names = data.feature_names;
      },
      answer.machine);
}

/// The path in the order of `c_values`, trained from the smallest up. A learner that is stopped may
/// leave values out: those count as stopped.
std::vector<TrainingAnswer> train_path(const LearnerSpec& learner,
                                       const Dataset& rows,
                                       const TrainingInput& input,
                                       std::span<const double> c_values) {
  std::vector<std::size_t> order(c_values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return c_values[a] < c_values[b];
  });
  std::vector<double> rising;
  for (const std::size_t i : order) rising.push_back(c_values[i]);
  std::vector<TrainingAnswer> found = learner.train_path(rows, input, rising);
  std::vector<TrainingAnswer> answers(c_values.size());
  for (TrainingAnswer& answer : answers) answer.report.status = Status::stopped_by_callback;
  for (std::size_t i = 0; i < found.size(); ++i) answers[order[i]] = std::move(found[i]);
  return answers;
}

/// Without calibration: one answer, or one for every C.
std::vector<TrainingAnswer> fit_plain(const LearnerSpec& learner,
                                      const Dataset& data,
                                      const TrainingInput& input,
                                      std::span<const double> c_values) {
  std::optional<Scaler> scaler;
  Dataset holder;
  const Stopwatch watch;
  const Dataset& rows = scaled(data, input, scaler, holder);
  const double scaling_seconds = watch.seconds();
  std::vector<TrainingAnswer> answers;
  if (c_values.size() > 1 && learner.train_path != nullptr) {
    answers = train_path(learner, rows, input, c_values);
  } else if (c_values.empty()) {
    answers.push_back(learner.train(rows, input));
  } else {
    for (const double c : c_values) {
      TrainingInput at_c = input;
      at_c.arguments.given["C"] = format_number(c);
      answers.push_back(learner.train(rows, at_c));
    }
  }
  for (TrainingAnswer& answer : answers) {
    dress(answer, data, scaler);
    if (scaler)
      answer.report.seconds.emplace(answer.report.seconds.begin(), "scale", scaling_seconds);
    answer.squared_radius = largest_self_product(answer.machine, rows.examples);
  }
  return answers;
}

/// At most so many trainings run side by side. The memory of each decides how it computes, so its
/// share must not depend on the number of threads.
constexpr std::size_t most_side_by_side = 8;

std::size_t threads_for_parts(const Arguments& arguments) {
  return std::min(most_side_by_side, thread_count(threads_of(arguments)));
}

/// The input of trainings that run side by side: no line of progress, a share of the memory, no
/// model to verify.
TrainingInput input_of_part(TrainingInput input, std::size_t parts) {
  const std::size_t side_by_side = std::min(parts, most_side_by_side);
  const std::size_t memory = TrainingControl{.memory_limit = input.memory_limit}.memory_bytes();
  input.memory_limit = std::max<std::size_t>(1, memory / std::max<std::size_t>(1, side_by_side));
  input.progress = interruptible({}, input.arguments.positive("time-limit"));
  input.arguments.given.erase("verify");  // speaks of the model that is written
  input.is_part = true;
  return input;
}

void calibrate(TrainingAnswer& answer,
               CalibrationKind kind,
               const LearnerSpec& learner,
               const Dataset& data,
               const TrainingInput& input) {
  constexpr std::size_t folds = 5;
  const Stopwatch watch;
  const TrainingInput of_fold = input_of_part(input, folds);
  FoldTrainings trainings;
  const ClassifierTrainer trainer = [&](const Dataset& train) {
    TrainingAnswer part = std::move(fit_plain(learner, train, of_fold, {}).front());
    if (!was_stopped(part.report.status)) trainings.add(part.report);
    return TrainedClassifier{.model = std::move(std::get<Classifier>(part.machine)),
                             .report = std::move(part.report)};
  };
  auto& model = std::get<Classifier>(answer.machine);
  CrossCalibration found = cross_calibrate(model,
                                           data,
                                           trainer,
                                           {.kind = kind,
                                            .folds = folds,
                                            .seed = input.arguments.whole("seed", 0).value_or(0),
                                            .threads = threads_for_parts(input.arguments),
                                            .progress = input.progress});
  answer.options.emplace_back("probabilities", std::string(to_string(kind)));
  if (found.calibration) {
    model.calibration = std::move(found.calibration);
  } else {
    answer.report.status = worse(answer.report.status, found.status);
    answer.report.warnings.emplace_back(
        "stopped before the scores for --probabilities were there: the model has none");
  }
  SolveReport of_folds;
  trainings.add_to(of_folds);
  answer.report.status = worse(answer.report.status, of_folds.status);
  for (const std::string& warning : of_folds.warnings) {
    answer.report.warnings.push_back("calibration: " + warning);
  }
  answer.report.seconds.emplace_back("calibrate", watch.seconds());
}

void warn_of_ranges(TrainingAnswer& answer, const Dataset& data, const TrainingInput& input) {
  const Kernel* kernel = kernel_of(answer.machine);
  if (kernel == nullptr || !std::holds_alternative<Rbf>(*kernel)) return;
  if (scaling_of(input.arguments).kind != ScalingKind::none) return;
  constexpr double much = 100;
  const double ratio = feature_range_ratio(data.examples);
  if (ratio <= much) return;
  answer.report.warnings.push_back("feature ranges differ by a factor of " +
                                   format_number(ratio, 3) +
                                   ": an rbf kernel sees the wide ones alone; try --scale range");
}

TrainingAnswer fit_calibrated(const LearnerSpec& learner,
                              const Dataset& data,
                              const TrainingInput& input) {
  const std::optional<CalibrationKind> calibration = calibration_of(input.arguments);
  TrainingAnswer answer = std::move(fit_plain(learner, data, input, {}).front());
  if (calibration) calibrate(answer, *calibration, learner, data, input);
  return answer;
}

/// What a fold's machine says of the test rows; `trainings` is told of it. Options and the ranges
/// of `all` rows are looked at in the first fold alone.
Predictions predictions_of_fold(TrainingAnswer& answer,
                                const LearnerSpec& learner,
                                const Dataset& all,
                                const Dataset& test,
                                const TrainingInput& input,
                                const FoldContext& context,
                                const std::string& point,
                                FoldTrainings& trainings) {
  if (was_stopped(answer.report.status)) return {.unfinished = true};
  if (context.fold == 0) {
    warn_of_ranges(answer, all, input);
    trainings.keep_options(point, answer.options);
  }
  trainings.add(answer.report);
  return predictions_of(answer.machine, learner.task, test, context.class_names);
}

}  // namespace

TrainingInput training_input(const Arguments& arguments,
                             const SupervisedData& data,
                             ProgressCallback progress) {
  TrainingInput input{.arguments = arguments,
                      .kernel_matrix = data.kernel_matrix,
                      .progress = std::move(progress),
                      .memory_limit = memory_limit_of(arguments)};
  // Once for all folds: a part of a positive semidefinite matrix is one, too.
  const bool asked = !arguments.has("allow-indefinite") || arguments.text("multiclass") == "direct";
  if (input.kernel_matrix != nullptr && asked) {
    input.negative_eigenvalue =
        negative_eigenvalue(input.kernel_matrix->view(), thread_count(threads_of(arguments)));
  }
  return input;
}

TrainingAnswer fit_machine(const LearnerSpec& learner,
                           const Dataset& data,
                           const TrainingInput& input) {
  TrainingAnswer answer = fit_calibrated(learner, data, input);
  warn_of_ranges(answer, data, input);
  return answer;
}

const Metric& metric_of(const Arguments& arguments, TaskKind task) {
  const bool regression = task == TaskKind::regression;
  const std::string name = arguments.text_or("metric", regression ? "mse" : "accuracy");
  std::vector<std::string> fitting;
  for (const Metric& metric : all_metrics()) {
    const bool of_targets = metric.input == MetricInput::targets;
    const bool of_classes =
        metric.input == MetricInput::labels || metric.input == MetricInput::scores ||
        (metric.input == MetricInput::probabilities && arguments.has("probabilities"));
    if (regression ? of_targets : of_classes) fitting.push_back(metric.name);
  }
  require_choice("metric", name, fitting);
  return metric_by_name(name);
}

void require_measurable(const Metric& metric, TaskKind task, const Dataset& data) {
  if (task == TaskKind::regression) return;
  const Classes classes = classes_of(data.labels);
  const bool are_sides = std::ranges::all_of(
      classes.names, [](const Label& name) { return name == Label(1.0) || name == Label(-1.0); });
  if (task == TaskKind::one_class && !are_sides) {
    throw FileError(data.source, "labels must be 1 and -1 to measure a one-class machine");
  }
  if (metric.input == MetricInput::scores && classes.count() != 2) {
    throw UsageError("--metric " + metric.name + ": needs two classes, " + data.source + " has " +
                     std::to_string(classes.count()));
  }
}

std::vector<Fold> folds_of(const Arguments& arguments,
                           const Dataset& data,
                           TaskKind task,
                           std::size_t k) {
  const std::uint64_t seed = arguments.whole("seed", 0).value_or(0);
  if (!data.groups.empty()) return grouped_folds(data.groups, k, seed);
  if (task == TaskKind::classification) {
    return stratified_folds(classes_of(data.labels).of_row, k, seed);
  }
  return plain_folds(data.size(), k, seed);
}

CrossValidation cross_validate_learner(const LearnerSpec& learner,
                                       const Dataset& data,
                                       const TrainingInput& input,
                                       std::span<const Fold> folds,
                                       const Metric& metric,
                                       FoldTrainings& trainings) {
  const TrainingInput of_fold = input_of_part(input, folds.size());
  const Learner at_fold =
      [&](const Dataset& train, const Dataset& test, const FoldContext& context) {
        TrainingAnswer answer = fit_calibrated(learner, train, of_fold);
        return predictions_of_fold(answer, learner, data, test, of_fold, context, {}, trainings);
      };
  return cross_validate(data,
                        folds,
                        at_fold,
                        metric,
                        {.seed = input.arguments.whole("seed", 0).value_or(0),
                         .threads = threads_for_parts(input.arguments),
                         .progress = input.progress});
}

Arguments at_point(Arguments arguments, const GridPoint& point) {
  for (const auto& [name, value] : point.entries()) arguments.given[name] = value;
  return arguments;
}

GridSearch search_grid(const LearnerSpec& learner,
                       const Dataset& data,
                       const TrainingInput& input,
                       std::span<const Fold> folds,
                       const Grid& grid,
                       const Metric& metric,
                       GridSearchOptions options,
                       FoldTrainings& trainings) {
  const TrainingInput of_fold = input_of_part(input, folds.size() * grid.size());
  const GridPathLearner along_path = [&](std::span<const GridPoint> points,
                                         const Dataset& train,
                                         const Dataset& test,
                                         const FoldContext& context) {
    std::vector<TrainingAnswer> answers;
    // With probabilities every point is calibrated by itself.
    if (points.size() > 1 && !of_fold.arguments.has("probabilities")) {
      std::vector<double> c_values;
      for (const GridPoint& point : points) c_values.push_back(parse_cost(point.text("C"), true));
      TrainingInput at_first = of_fold;
      at_first.arguments = at_point(of_fold.arguments, points.front());
      answers = fit_plain(learner, train, at_first, c_values);
    } else {
      for (const GridPoint& point : points) {
        TrainingInput here = of_fold;
        here.arguments = at_point(of_fold.arguments, point);
        answers.push_back(fit_calibrated(learner, train, here));
      }
    }
    std::vector<Predictions> predictions;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      TrainingInput here = of_fold;
      here.arguments = at_point(of_fold.arguments, points[i]);
      predictions.push_back(predictions_of_fold(
          answers[i], learner, data, test, here, context, points[i].describe(), trainings));
    }
    return predictions;
  };
  options.seed = input.arguments.whole("seed", 0).value_or(0);
  options.threads = threads_for_parts(input.arguments);
  options.progress = input.progress;
  return grid_search_paths(data, folds, grid, "C", along_path, metric, options);
}

}  // namespace maxmargin::tool
