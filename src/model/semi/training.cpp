// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/s3vm.md
#include "model/semi/training.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "core/settle.hpp"
#include "core/weights.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "model/kernel/proof.hpp"
#include "model/kernel/training.hpp"

namespace maxmargin {

namespace {

/// How many rows may be of a class with this share of the labelled ones.
SignWindow class_window(double share, std::size_t rows, double balance) {
  const double wanted = share * static_cast<double>(rows);
  // A product that should be whole may miss it by rounding.
  const double rounding = 1e-9 * static_cast<double>(rows);
  const double least = std::floor((1 - balance) * wanted + rounding);
  const double most = std::ceil((1 + balance) * wanted - rounding);
  return {static_cast<std::size_t>(std::max(least, 0.0)),
          std::min(static_cast<std::size_t>(std::max(most, 0.0)), rows)};
}

std::string place(const Dataset& data) { return data.source.empty() ? "" : data.source + ": "; }

/// The mean of the given rows.
std::vector<double> mean_row(const Examples& examples, std::span<const std::size_t> rows) {
  std::vector<double> mean(examples.cols(), 0.0);
  const double share = 1 / static_cast<double>(rows.size());
  for (const std::size_t row : rows) examples.row(row).axpy_into(share, mean);
  return mean;
}

/// Trains the functions of a code one after the other: each solve uses all threads, and kernel rows
/// are shared.
class SemiTrainer {
 public:
  SemiTrainer(const Dataset& data, const SemiTerms& terms, const RuleOfFunction& rule_of)
      : data_(data),
        terms_(terms),
        rule_of_(rule_of),
        task_(semi_task(data, terms.class_weights)),
        code_(one_vs_rest_code(task_.classes.count())) {
    for (const std::size_t row : task_.unlabelled) {
      unlabelled_weights_.push_back(task_.weights[row]);
    }
  }

  [[nodiscard]] TrainedSemiSupervised train() {
    prepare();
    for (std::size_t f = 0; f < code_.functions; ++f) results_.push_back(train_function(f));
    TrainedSemiSupervised trained;
    trained.labelled = task_.labelled.size();
    trained.unlabelled = task_.unlabelled.size();
    trained.semi_supervised = assemble(&SemiResult::semi_supervised);
    trained.supervised = assemble(&SemiResult::supervised);
    describe(trained);
    for (std::size_t f = 0; f < results_.size(); ++f) {
      trained.signs.push_back(std::move(results_[f].signs));
      for (SemiStep& step : results_[f].steps) {
        step.function = f;
        trained.steps.push_back(step);
      }
    }
    return trained;
  }

 private:
  [[nodiscard]] bool features() const {
    return resolve_solver(terms_.solver, terms_.kernel, data_.size()) == SemiSolver::features;
  }

  /// What all functions share: kernel rows, the origin of the balance.
  void prepare() {
    if (features()) {
      require_memory_for_numbers(
          2 * code_.functions + 4, data_.features() + 1, "the weights of linear machines");
      if (terms_.hold_mean) centre_ = mean_row(data_.examples, task_.unlabelled);
      return;
    }
    matrix_ = kernel_matrix(terms_.kernel,
                            data_.examples,
                            terms_.control.context.memory_bytes(),
                            thread_count(terms_.control.context.threads),
                            terms_.hold_mean ? CentredMatrix::rows_for_one : 1);
    if (terms_.hold_mean) {
      centred_ = std::make_unique<CentredMatrix>(
          *matrix_, task_.unlabelled, terms_.control.context.on_progress);
      prepared_ = centred_->status();
    }
  }

  [[nodiscard]] std::unique_ptr<TwoClassEngine> plain_engine() const {
    return features() ? linear_engine(data_.examples, terms_.control)
                      : kernel_engine(*matrix_, terms_.control);
  }
  [[nodiscard]] std::unique_ptr<TwoClassEngine> balanced_engine(double mean) const {
    return features() ? balanced_linear_engine(data_.examples, centre_, mean, terms_.control)
                      : balanced_kernel_engine(*centred_, mean, terms_.control);
  }

  [[nodiscard]] SemiResult train_function(std::size_t function) const {
    SemiProblem problem{.signs = code_.labels_of(function, task_.classes.of_row),
                        .costs = std::vector<double>(data_.size(), 0.0),
                        .unlabelled = task_.unlabelled,
                        .weights = unlabelled_weights_};
    double positive = 0;
    for (const std::size_t row : task_.labelled) {
      problem.costs[row] = terms_.c * task_.weights[row];
      positive += problem.signs[row] > 0 ? 1 : 0;
    }
    const double share = positive / static_cast<double>(task_.labelled.size());
    const SemiRule rule = rule_of_(share, task_.unlabelled.size());
    const auto plain = plain_engine();
    problem.prepared = prepared_;
    if (terms_.hold_mean) problem.mean = 2 * share - 1;
    const bool can_hold = terms_.hold_mean && !was_stopped(prepared_);
    const auto balanced = can_hold ? balanced_engine(*problem.mean) : nullptr;
    return search_signs(
        problem, rule, *plain, balanced ? *balanced : *plain, terms_.control.tolerance);
  }

  /// One of the two machines of every function as a classifier.
  [[nodiscard]] TrainedClassifier assemble(TwoClassPoint SemiResult::*point) const {
    TrainedClassifier trained;
    trained.model.classes = task_.classes.names;
    trained.model.code = code_;
    trained.model.feature_names = data_.feature_names;
    trained.training_values = DenseMatrix(data_.size(), code_.functions);
    for (std::size_t f = 0; f < code_.functions; ++f) {
      const TwoClassPoint& machine = results_[f].*point;
      trained.machines.push_back(report_of(machine));
      for (std::size_t i = 0; i < data_.size(); ++i) {
        trained.training_values(i, f) = machine.values[i];
      }
    }
    trained.model.functions = features() ? on_weights(point) : on_rows(point);
    return trained;
  }

  /// The reports: of the one a search with its bound, of the other a convex solve.
  void describe(TrainedSemiSupervised& trained) const {
    for (std::size_t f = 0; f < results_.size(); ++f) {
      const SemiResult& result = results_[f];
      SolveReport& report = trained.semi_supervised.machines[f].report;
      report.status = result.status;
      if (report.status == Status::solved || !result.message.empty()) {
        report.message = result.message;
      }
      report.iterations = result.iterations;
      report.primal_objective = result.objective;
      report.dual_objective = std::nullopt;
      // A dual value proves nothing about a kernel that need not be positive semidefinite.
      report.lower_bound = is_psd(terms_.kernel) ? result.lower_bound : std::nullopt;
      if (report.status == Status::numerical_failure) claim_nothing(report);
      settle(report);
      if (!terms_.control.keep_dual) continue;
      trained.semi_supervised.dual_coefficients.push_back(result.bound_dual);
      trained.supervised.dual_coefficients.push_back(result.supervised.dual);
    }
    trained.stationary_gap = stationary_gap();
    trained.semi_supervised.report = sum_of_reports(trained.semi_supervised.machines);
    trained.supervised.report = sum_of_reports(trained.supervised.machines);
    if (!lacks_proof(terms_.kernel)) return;
    for (TrainedClassifier* machine : {&trained.semi_supervised, &trained.supervised}) {
      take_back_proof(machine->machines, machine->report);
    }
  }

  [[nodiscard]] std::optional<double> stationary_gap() const {
    if (!is_psd(terms_.kernel)) return std::nullopt;
    double largest = 0;
    for (const SemiResult& result : results_) {
      if (!result.stationary_gap) return std::nullopt;
      largest = std::max(largest, *result.stationary_gap);
    }
    return largest;
  }

  [[nodiscard]] static MachineReport report_of(const TwoClassPoint& machine) {
    const std::vector<double>& used =
        machine.coefficients.empty() ? machine.dual : machine.coefficients;
    MachineReport report;
    report.report = machine.report;
    report.support_vectors =
        static_cast<std::size_t>(std::ranges::count_if(used, [](double b) { return b != 0; }));
    report.squared_norm = machine.squared_norm;
    return report;
  }

  [[nodiscard]] DecisionFunction on_weights(TwoClassPoint SemiResult::*point) const {
    LinearFunctions functions{.weights = DenseMatrix(code_.functions, data_.features()),
                              .offsets = {}};
    for (std::size_t f = 0; f < code_.functions; ++f) {
      const TwoClassPoint& machine = results_[f].*point;
      std::ranges::copy(machine.w, functions.weights.row(f).begin());
      functions.offsets.push_back(machine.offset);
    }
    return functions;
  }

  [[nodiscard]] DecisionFunction on_rows(TwoClassPoint SemiResult::*point) const {
    std::vector<std::vector<double>> coefficients;
    std::vector<double> offsets;
    for (const SemiResult& result : results_) {
      coefficients.push_back((result.*point).coefficients);
      offsets.push_back((result.*point).offset);
    }
    return make_expansion(terms_.kernel, data_.examples, coefficients, std::move(offsets));
  }

  const Dataset& data_;
  const SemiTerms& terms_;
  const RuleOfFunction& rule_of_;
  SemiTask task_;
  OutputCode code_;
  std::vector<double> unlabelled_weights_ = {};
  std::unique_ptr<SymmetricMatrix> matrix_ = nullptr;
  std::unique_ptr<CentredMatrix> centred_ = nullptr;
  Status prepared_ = Status::solved;
  std::vector<double> centre_ = {};
  std::vector<SemiResult> results_ = {};
};

/// Labels -1, 0 and 1: 0 is SVM-light's mark of unlabelled rows, which no reader can know.
bool has_svmlight_zero(const LabelColumn& labels) {
  const std::vector<Label> marks = {Label(-1.0), Label(0.0), Label(1.0)};
  return classes_of(labels).names == marks;
}

}  // namespace

SemiSolver resolve_solver(SemiSolver solver, const Kernel& kernel, std::size_t rows) noexcept {
  if (solver != SemiSolver::automatic) return solver;
  const bool features = std::holds_alternative<Linear>(kernel) && rows > rows_for_features;
  return features ? SemiSolver::features : SemiSolver::kernel;
}

SignWindow share_window(double positive_share, std::size_t rows, double balance) {
  const SignWindow positive = class_window(positive_share, rows, balance);
  const SignWindow negative = class_window(1 - positive_share, rows, balance);
  // Both hold the wanted number, so there is a place where both classes are within their windows.
  return {.least = std::max(positive.least, rows - negative.most),
          .most = std::min(positive.most, rows - negative.least)};
}

SemiTask semi_task(const Dataset& data, const ClassWeights& class_weights) {
  data.validate();
  require(data.size() > 0, place(data) + "no examples to train on");
  require(data.label_sets.empty(),
          place(data) + "label sets, but this learner wants one label a row");
  SemiTask task;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool known = data.has_labels() && data.labels.is_labelled(i);
    (known ? task.labelled : task.unlabelled).push_back(i);
  }
  require(!task.labelled.empty(),
          place(data) + "no row has a label; clustering wants none, this learner some");
  if (task.unlabelled.empty()) {
    throw InvalidArgument(
        place(data) +
        "every row has a label; this learner wants rows without one (label ?), and "
        "without them it would be a plain svc" +
        (has_svmlight_zero(data.labels)
             ? "; if 0 beside -1 and 1 means no label, set --unlabeled to 0"
             : ""));
  }
  const ClassificationTask supervised =
      classification_task(data.select(task.labelled), class_weights);
  task.classes = classes_of(data.labels);
  task.weights.resize(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) task.weights[i] = weight_of(data.weights, i);
  for (std::size_t k = 0; k < task.labelled.size(); ++k) {
    task.weights[task.labelled[k]] = supervised.weights[k];
  }
  return task;
}

void describe_semi(OptionVisitor& visit,
                   double& c,
                   std::optional<double>& unlabelled_c,
                   KernelChoice& kernel,
                   bool& allow_indefinite,
                   SemiSolver& solver) {
  describe_cost(visit, c);
  visit.number({.name = "unlabeled-cost",
                .help = "weight of an unlabelled row's loss; 0 is the supervised machine",
                .value = "COST",
                .fallback = "as -C"},
               unlabelled_c,
               rules::not_negative);
  kernel.describe(visit, allow_indefinite);
  visit.name(
      {.name = "solver", .help = "kernel: any kernel; features: the linear one on many rows"},
      solver);
  visit.rule(solver != SemiSolver::features || std::holds_alternative<Linear>(kernel.kernel()),
             "--solver features: the kernel " + kernel_name(kernel.kernel()) + " is not linear");
}

void describe_balance(OptionVisitor& visit, std::optional<double>& balance) {
  visit.number({.name = "balance",
                .help = "how far class sizes may be from the labelled shares; none: any",
                .value = "SHARE|none"},
               balance,
               rules::share_below_one,
               "none");
}

TrainedSemiSupervised train_semi_supervised(const Dataset& data,
                                            const SemiTerms& terms,
                                            const RuleOfFunction& rule_of) {
  const Stopwatch watch;
  TrainedSemiSupervised trained = SemiTrainer(data, terms, rule_of).train();
  trained.semi_supervised.report.seconds = {{"solve", watch.seconds()}};
  settle_end(trained.semi_supervised.report, Ending::search, terms.control.tolerance);
  return trained;
}

}  // namespace maxmargin
