// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/dual-coordinate-descent.md, docs/algorithms/multiclass-reductions.md
#include "maxmargin/model/linear/svc.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "model/choose_code.hpp"
#include "model/describe.hpp"
#include "model/linear/training.hpp"

namespace maxmargin {

namespace {

/// Trains all functions of a code for all values of C.
class LinearCodeTrainer {
 public:
  LinearCodeTrainer(const Dataset& data,
                    const LinearSvcOptions& options,
                    std::span<const double> cs)
      : data_(data),
        options_(options),
        cs_(cs),
        task_(classification_task(data, options.class_weights, options.allow_one_class)),
        code_(choose_code(
            options.multiclass, options.code, task_.classes.count(), options.control.context.seed)),
        machines_(code_.functions, std::vector<std::optional<LinearSolution>>(cs.size())) {}

  [[nodiscard]] std::vector<TrainedClassifier> train() {
    require_memory_for_numbers(
        code_.functions * cs_.size(), data_.features() + 1, "the weights of linear machines");
    const std::size_t chains = chains_of_path();
    parallel_chunks(thread_count(options_.control.context.threads),
                    code_.functions * chains,
                    1,
                    [&](std::size_t task, std::size_t, std::size_t) {
                      train_chain(task / chains, task % chains, chains);
                    });
    const std::size_t settings = solved_settings();
    std::vector<TrainedClassifier> result;
    for (std::size_t s = 0; s < settings; ++s) result.push_back(assemble(s));
    return result;
  }

 private:
  /// Into how many interleaved chains a path is cut: the first, third, ... value and the second,
  /// fourth, ... keep two threads busy where there are few functions.
  [[nodiscard]] std::size_t chains_of_path() const {
    constexpr std::size_t enough_functions = 4;
    return code_.functions < enough_functions && cs_.size() > 1 ? 2 : 1;
  }

  /// Values of C, from the first, for which every function has its solution.
  [[nodiscard]] std::size_t solved_settings() const {
    std::size_t settings = cs_.size();
    for (const auto& path : machines_) {
      const auto missing =
          std::find_if(path.begin(), path.end(), [](const auto& solution) { return !solution; });
      settings = std::min(settings, static_cast<std::size_t>(missing - path.begin()));
    }
    return settings;
  }

  /// Solves one function for every `chains`-th value of C from `first` on; coefficients are
  /// dropped unless they are asked for.
  void train_chain(std::size_t function, std::size_t first, std::size_t chains) {
    std::vector<double> cs;
    for (std::size_t s = first; s < cs_.size(); s += chains) cs.push_back(cs_[s]);
    const std::vector<std::int8_t> signs = code_.labels_of(function, task_.classes.of_row);
    std::vector<double> targets(signs.begin(), signs.end());
    std::vector<double> weights = task_.weights;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      if (signs[i] == 0) weights[i] = 0;
    }
    LinearOptions options =
        linear_options(options_.control, options_.kkt_tolerance, options_.solver);
    options.context.on_progress =
        one_at_a_time(options_.control.context.on_progress, progress_mutex_);
    const LinearRisk problem{.examples = matrix_of(data_.examples),
                             .targets = targets,
                             .weights = weights,
                             .c = cs_.front(),
                             .loss = options_.loss,
                             .penalty = options_.penalty,
                             .epsilon = 0,
                             .bias = bias()};
    std::vector<LinearSolution> path = solve_linear_path(problem, cs, options);
    for (std::size_t k = 0; k < path.size(); ++k) {
      if (!options_.control.keep_dual) path[k].coefficients = {};
      machines_[function][first + k * chains] = std::move(path[k]);
    }
  }

  [[nodiscard]] TrainedClassifier assemble(std::size_t setting) {
    TrainedClassifier trained;
    LinearFunctions functions{.weights = DenseMatrix(code_.functions, data_.features()),
                              .offsets = std::vector<double>(code_.functions)};
    for (std::size_t f = 0; f < code_.functions; ++f) {
      LinearSolution& solution = *machines_[f][setting];
      set_function(functions, f, solution, bias());
      trained.machines.push_back(machine_report(solution));
      solution.w = {};
      if (options_.control.keep_dual) {
        trained.dual_coefficients.push_back(std::move(solution.coefficients));
      }
    }
    trained.model.classes = task_.classes.names;
    trained.model.code = code_;
    trained.model.functions = std::move(functions);
    trained.model.feature_names = data_.feature_names;
    trained.report = sum_of_reports(trained.machines);
    return trained;
  }

  [[nodiscard]] double bias() const { return options_.bias ? options_.bias_scale : 0.0; }

  const Dataset& data_;
  const LinearSvcOptions& options_;
  std::span<const double> cs_;
  ClassificationTask task_;
  OutputCode code_;
  /// One row a function, one entry a value of C.
  std::vector<std::vector<std::optional<LinearSolution>>> machines_;
  std::mutex progress_mutex_;
};

/// The penalty l1 has one loss alone, which is its default.
class PenaltyValue final : public detail::NameChoice {
 public:
  PenaltyValue(LinearPenalty& penalty, LinearLoss& loss)
      : NameChoice(all_names<LinearPenalty>()), penalty_(penalty), loss_(loss) {}
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<LinearPenalty> value = value_named<LinearPenalty>(text);
    if (!value) return false;
    penalty_ = *value;
    if (penalty_ == LinearPenalty::l1) loss_ = LinearLoss::squared_hinge;
    return true;
  }
  [[nodiscard]] bool holds() const override { return to_string(penalty_) != "unknown"; }
  [[nodiscard]] OptionScalar scalar() const override { return std::string(to_string(penalty_)); }

 private:
  LinearPenalty& penalty_;
  LinearLoss& loss_;
};

}  // namespace

void LinearSvcOptions::describe(OptionVisitor& visit) {
  describe_cost(visit, c);
  PenaltyValue chosen_penalty(penalty, loss);
  visit.option({.name = "penalty", .help = "size of the weights: l2, or l1 for few of them"},
               chosen_penalty);
  visit.name({.name = "loss",
              .help = "loss of rows within the margin",
              .fallback = "hinge; squared-hinge with --penalty l1"},
             loss,
             {LinearLoss::hinge, LinearLoss::squared_hinge, LinearLoss::logistic});
  visit.rule(penalty == LinearPenalty::l2 || loss == LinearLoss::squared_hinge,
             "--penalty l1 goes with --loss squared-hinge alone");
  visit.rule(solver != ConvexMethod::interior_point ||
                 (penalty == LinearPenalty::l2 && loss != LinearLoss::logistic),
             "--solver interior-point goes with --penalty l2 and a hinge loss");
  describe_linear_bias(visit, bias, bias_scale);
  describe_class_weights(visit, class_weights);
  describe_multiclass(visit,
                      multiclass,
                      code,
                      {MulticlassKind::one_vs_one,
                       MulticlassKind::one_vs_rest,
                       MulticlassKind::ecoc,
                       MulticlassKind::direct});
  describe_one_class(visit, allow_one_class);
  control.describe(visit);
  describe_eps(visit, control, kkt_tolerance, solver);
}

TrainedClassifier train_linear_svc(const Dataset& data, const LinearSvcOptions& options) {
  return std::move(train_linear_path(data, options, {&options.c, 1}).front());
}

std::vector<TrainedClassifier> train_linear_path(const Dataset& data,
                                                 const LinearSvcOptions& options,
                                                 std::span<const double> cs) {
  validate(options);
  require(!cs.empty(), "a path needs at least one value of C");
  for (const double c : cs) {
    if (!rules::positive.holds(c)) {
      throw InvalidArgument(breach("C", format_number(c), rules::positive.words));
    }
  }
  return LinearCodeTrainer(data, options, cs).train();
}

}  // namespace maxmargin
