// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/linear/perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "linalg/blas.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "model/choose_code.hpp"
#include "model/describe.hpp"

namespace maxmargin {

namespace {

/// One two-class problem: signs +1, -1, or 0 for rows that are left out.
class Perceptron {
 public:
  Perceptron(const Examples& examples,
             std::vector<std::int8_t> signs,
             std::span<const double> weights,
             bool bias)
      : examples_(examples),
        signs_(std::move(signs)),
        weights_(weights),
        bias_(bias),
        vector_(examples.cols(), 0.0),
        mistaken_(examples.rows(), false) {
    for (std::size_t i = 0; i < signs_.size(); ++i) {
      if (signs_[i] != 0 && weights_[i] > 0) rows_.push_back(i);
    }
  }

  /// One pass in the given order; the number of mistakes.
  std::size_t pass(Rng rng) {
    rng.shuffle(std::span<std::size_t>(rows_));
    std::size_t mistakes = 0;
    for (const std::size_t i : rows_) {
      if (margin(i) > 0) continue;
      const double step = weights_[i] * signs_[i];
      examples_.row(i).axpy_into(step, vector_);
      if (bias_) offset_ += step;
      moved_ += weights_[i];
      mistaken_[i] = true;
      ++mistakes;
    }
    return mistakes;
  }

  /// Least sign x value over the examples; +inf without any.
  [[nodiscard]] double least_margin() const {
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t i : rows_) least = std::min(least, margin(i));
    return least;
  }
  [[nodiscard]] double squared_norm() const { return dot(vector_, vector_) + offset_ * offset_; }
  /// Sum of the weights of all mistakes.
  [[nodiscard]] double moved() const noexcept { return moved_; }
  [[nodiscard]] std::size_t mistaken() const {
    return static_cast<std::size_t>(std::count(mistaken_.begin(), mistaken_.end(), true));
  }
  [[nodiscard]] std::span<const double> vector() const noexcept { return vector_; }
  [[nodiscard]] double offset() const noexcept { return offset_; }
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }

 private:
  [[nodiscard]] double margin(std::size_t i) const {
    return signs_[i] * (examples_.row(i).dot(vector_) + offset_);
  }

  const Examples& examples_;
  std::vector<std::int8_t> signs_;
  std::span<const double> weights_;
  bool bias_;
  std::vector<double> vector_;
  double offset_ = 0;
  std::vector<std::size_t> rows_ = {};
  double moved_ = 0;
  std::vector<bool> mistaken_;
};

/// perceptron.md, "What the certificate proves".
void certify(const Perceptron& machine, bool separated, MachineReport& report) {
  const double norm = machine.squared_norm();
  report.squared_norm = norm;
  report.support_vectors = machine.mistaken();
  if (norm > 0) report.report.dual_objective = machine.moved() * machine.moved() / (2 * norm);
  const double least = machine.least_margin();
  if (separated && least > 0 && std::isfinite(least)) {
    report.report.primal_objective = norm / (2 * least * least);
  } else if (separated && machine.empty()) {
    report.report.primal_objective = report.report.dual_objective = 0.0;
  }
}

MachineReport run(Perceptron& machine, const PerceptronOptions& options, std::size_t function) {
  MachineReport report;
  PhaseTimer timer;
  timer.enter("passes");
  const std::uint64_t most = std::min<std::uint64_t>(
      options.passes, options.control.max_iterations.value_or(options.passes));
  report.report.status = Status::iteration_limit;
  bool separated = machine.empty();
  while (!separated && report.report.iterations < most) {
    const Continue answer = options.control.context.ask(
        {.phase = "passes", .iteration = report.report.iterations, .max_iterations = most});
    if (answer != Continue::yes) {
      report.report.status = status_of(answer);
      break;
    }
    const std::uint64_t stream = function * (std::uint64_t{1} << 32) + report.report.iterations;
    separated = machine.pass(Rng(options.control.context.seed, "perceptron", stream)) == 0;
    ++report.report.iterations;
    if (!std::isfinite(machine.squared_norm())) {
      report.report.status = Status::numerical_failure;
      report.report.message = "the weights overflow: scale the features";
      break;
    }
  }
  if (separated) report.report.status = Status::solved;
  if (report.report.status == Status::iteration_limit) {
    report.report.message = "no pass was free of mistakes: the classes may not be separable";
  }
  certify(machine, separated, report);
  report.report.seconds = timer.finish();
  return report;
}

}  // namespace

void PerceptronOptions::describe(OptionVisitor& visit) {
  describe_bias(visit, bias);
  describe_class_weights(visit, class_weights);
  describe_multiclass(visit, multiclass, code);
  describe_one_class(visit, allow_one_class);
  visit.whole({.name = "max-iterations",
               .help = "upper limit on the passes over the data",
               .fallback = "1000"},
              control.max_iterations,
              {.least = 1});
  visit.threads(control.context.threads);
  visit.rule(passes >= 1, "a perceptron needs at least one pass over the data");
}

TrainedClassifier train_perceptron(const Dataset& data, const PerceptronOptions& options) {
  validate(options);
  data.validate();
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  TrainedClassifier trained;
  trained.model.classes = task.classes.names;
  trained.model.code = choose_code(
      options.multiclass, options.code, task.classes.count(), options.control.context.seed);
  trained.model.feature_names = data.feature_names;
  const OutputCode& code = trained.model.code;
  require_memory_for_numbers(code.functions, data.features(), "the weights");
  LinearFunctions functions{.weights = DenseMatrix(code.functions, data.features())};
  for (std::size_t f = 0; f < code.functions; ++f) {
    Perceptron machine(
        data.examples, code.labels_of(f, task.classes.of_row), task.weights, options.bias);
    trained.machines.push_back(run(machine, options, f));
    std::ranges::copy(machine.vector(), functions.weights.row(f).begin());
    functions.offsets.push_back(machine.offset());
  }
  trained.model.functions = std::move(functions);
  trained.report = sum_of_reports(trained.machines);
  return trained;
}

}  // namespace maxmargin
