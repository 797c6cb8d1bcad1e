// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, "From the relaxation to a machine"
#include "maxmargin/model/robust/robust_svc.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/memory_limit.hpp"
#include "core/parallel.hpp"
#include "kernel/gram/stoppable.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/sizes.hpp"
#include "model/choose_code.hpp"
#include "model/describe.hpp"
#include "model/kernel/code_trainer.hpp"
#include "model/kernel/training.hpp"
#include "model/robust/kernel_step.hpp"
#include "model/robust/relaxed_descent.hpp"
#include "model/robust/result.hpp"
#include "problem/borrowed_matrix.hpp"

namespace maxmargin {

namespace {

/// Where choose_rho looks.
constexpr std::array shares = {
    0.98, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2};
/// Tolerance of its relaxations at most: a weight is told from whole_weight by it.
constexpr double rho_tolerance = 1e-5;

/// What robust-svc and outlier-svc share of their options.
struct RelaxedTraining {
  const char* learner;
  /// What to take instead when memory does not suffice.
  const char* instead;
  const Dataset& data;
  const Kernel& kernel;
  const TrainingControl& control;
  double cost;
  KernelBias bias;
  std::optional<double> rho;
  std::size_t restarts;
  std::size_t max_rounds;
};

/// What the trainings of both begin with.
struct RelaxedTask {
  ClassificationTask task = {};
  OutputCode code = {};
};

/// What stays of the relaxation of a function.
struct RelaxedFunction {
  RobustFunction robust;
  WeightRelaxation relaxation;
  std::vector<double> weights;
};

/// The common weight of all examples.
double common_weight(const ClassificationTask& task, const char* learner) {
  const double weight = task.weights.front();
  const bool equal =
      weight > 0 && std::ranges::all_of(task.weights, [&](double w) { return w == weight; });
  require(equal,
          std::string(learner) +
              " takes examples of equal weight > 0 alone: ramp-svc and trimmed-svc take others");
  return weight;
}

/// Throws unless what `at_once` functions need keeps within the memory limit.
void require_room(const RelaxedTraining& training, const RelaxedTask& given, std::size_t at_once) {
  std::size_t rows = 0;
  for (std::size_t f = 0; f < given.code.functions; ++f) {
    rows = std::max(rows, part_of(given.code, f, given.task).rows.size());
  }
  const std::size_t square = checked_multiply(checked_multiply(rows, rows), sizeof(double));
  require_within_limit(
      checked_multiply(checked_add(square, weight_saddle_memory(rows)), at_once),
      training.control.context.memory_bytes(),
      std::string(training.learner) + " on " + std::to_string(rows) + " rows" +
          (at_once > 1 ? ", " + std::to_string(at_once) + " problems at a time," : ""),
      std::string(training.instead) + ", or allow more memory" +
          (at_once > 1 ? " or fewer threads" : ""));
}

/// Q of the relaxation, and what leads from its coefficients to a function.
struct SignedGram {
  DenseMatrix matrix = {};
  FeatureCentring centring = {};
  /// Nothing is there unless this is yes.
  Continue answer = Continue::yes;
};

SignedGram signed_gram(const RelaxedTraining& training,
                       const TwoClassPart& part,
                       const ProgressCallback& progress) {
  StoppableGram given = gram_unless_stopped(training.kernel,
                                            training.data.examples.select(part.rows),
                                            training.control.context.with_progress(progress));
  if (given.answer != Continue::yes) return {.answer = given.answer};
  DenseMatrix matrix = std::move(given.matrix);
  FeatureCentring centring;
  if (training.bias == KernelBias::center) centring = FeatureCentring::fit(matrix.view());
  // A stop would leave a matrix unchecked of which nothing is known: nobody is asked there.
  (void)apply_bias(training.bias,
                   centring,
                   matrix,
                   training.learner,
                   thread_count(training.control.context.threads),
                   is_psd(training.kernel) ? progress : ProgressCallback());
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    for (std::size_t j = 0; j < part.rows.size(); ++j) {
      if (part.signs[i] != part.signs[j]) matrix(i, j) = -matrix(i, j);
    }
  }
  return {.matrix = std::move(matrix), .centring = std::move(centring)};
}

RelaxedProblem problem_of(const RelaxedTraining& training,
                          const DenseMatrix& matrix,
                          std::size_t function,
                          const ProgressCallback& progress) {
  return {.matrix = matrix.view(),
          .cost = training.cost,
          .rho = training.rho,
          .restarts = training.restarts,
          .max_rounds = training.max_rounds,
          .control = training.control,
          .context = training.control.context
                         .with_seed(derive_seed(
                             training.control.context.seed, "robust function", function))
                         .with_progress(progress)};
}

/// The answer of ramp-svc or trimmed-svc at their defaults, in the terms of the relaxation. Without
/// a bias theirs is the same problem, and is solved on the kernel as they do, so that the numbers
/// are the same, too; with one as a feature the relaxation's matrix has it.
RobustDescent plain_descents(const RelaxedTraining& training,
                             const CodeProblem& of,
                             const SignedGram& given) {
  const std::size_t n = of.part.signs.size();
  const bool same = training.bias == KernelBias::none;
  const BorrowedMatrix relaxed(given.matrix.view());
  const SymmetricMatrix& matrix = same ? of.matrix : relaxed;
  const std::vector<std::int8_t> signs = same ? of.part.signs : std::vector<std::int8_t>(n, 1);
  const std::vector<double> costs(n, training.cost);
  const RobustLoss loss =
      training.rho ? RobustLoss::trimmed(costs, *training.rho) : RobustLoss::capped(costs, 0);
  // A limit that the caller gave is the relaxation's. Who gives one has no ten minutes to spare for
  // each of these problems.
  TrainingControl control = training.control;
  if (control.max_iterations) control.max_iterations = most_machine_steps;
  SmoOptions smo = smo_options(control, {});
  smo.context.on_progress = of.progress;
  KernelStep step(matrix, signs, costs, false, !training.rho, std::move(smo));
  RobustPoint plain;
  RobustDescent found = best_descent(
      loss,
      signs,
      [&](std::span<const double> eta, const RobustPoint* start) { return step.solve(eta, start); },
      default_starts(training.data.size()),
      training.max_rounds,
      derive_seed(training.control.context.seed, "robust function", of.function),
      plain);
  for (std::vector<double>* numbers :
       {&found.point.coefficients, &found.point.values, &found.proof}) {
    for (std::size_t i = 0; i < numbers->size(); ++i) (*numbers)[i] *= signs[i];
  }
  return found;
}

/// The dual point of the outliers as chosen, then the certificate: lambda, the multipliers of the
/// examples' unit rows, and once a row that of s_0 and that of the share kept.
std::vector<std::vector<double>> proofs_of(const RelaxedDescent& descent,
                                           std::span<const std::int8_t> signs) {
  const std::size_t n = signs.size();
  const WeightCertificate& certificate = descent.relaxed.certificate;
  std::vector<std::vector<double>> proofs(relaxation_vectors, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    proofs[0][i] = signs[i] * descent.found.proof[i];
    if (certificate.lambda.empty()) continue;
    proofs[1][i] = certificate.lambda[i];
    proofs[2][i] = certificate.diagonal[i + 1];
    proofs[3][i] = certificate.diagonal[0];
    proofs[4][i] = certificate.kept;
  }
  return proofs;
}

/// The report of a function: objective and dual of the machine, bound and status of the relaxation.
MachineReport report_of(const RelaxedDescent& descent, double cost) {
  const SolveReport& relaxed = descent.relaxed.report;
  MachineReport machine =
      robust_machine_report(descent.found, cost * descent.relaxed.lower_bound, 0);
  SolveReport& report = machine.report;
  if (worse(report.status, relaxed.status) != report.status) {
    report.status = relaxed.status;
    report.message = relaxed.message;
  }
  report.iterations = relaxed.iterations;
  report.seconds = relaxed.seconds;
  report.warnings = relaxed.warnings;
  return machine;
}

/// One machine of the code.
CodeMachine train_function(const RelaxedTraining& training,
                           const CodeProblem& of,
                           RelaxedFunction& result) {
  const std::vector<std::int8_t>& signs = of.part.signs;
  const std::size_t n = signs.size();
  if (n == 0) {
    CodeMachine machine = constant_machine(signs);
    machine.report.report.lower_bound = 0.0;
    if (training.control.keep_dual) machine.proofs.resize(relaxation_vectors);
    return machine;
  }
  // The first function is an answer even where there was no time at all.
  SignedGram given;
  if (of.function > 0) given.answer = ask(of.progress, {.phase = "relaxation"});
  if (given.answer == Continue::yes) given = signed_gram(training, of.part, of.progress);
  const bool has_time = given.answer == Continue::yes;
  RelaxedDescent descent;
  if (has_time) {
    RelaxedProblem problem = problem_of(training, given.matrix, of.function, of.progress);
    problem.plain_descents = [&] { return plain_descents(training, of, given); };
    descent = descend_from_relaxation(problem);
  } else {
    descent = stopped_descent(n, training.cost, training.rho, status_of(given.answer));
  }
  result.robust =
      robust_function(descent.found, of.function, of.part.rows, std::vector<std::int8_t>(n, 1));
  result.weights = descent.relaxed.eta;
  result.relaxation = {.value = training.cost * descent.relaxed.value,
                       .lower_bound = training.cost * descent.relaxed.lower_bound,
                       .rank = descent.relaxed.rank,
                       .roundings = descent.roundings,
                       .winners = {descent.winner},
                       .status = descent.relaxed.report.status};
  CodeMachine machine;
  machine.report = report_of(descent, training.cost);
  if (training.control.keep_dual) machine.proofs = proofs_of(descent, signs);
  machine.coefficients = std::move(descent.found.point.coefficients);
  machine.values = std::move(descent.found.point.values);
  for (std::size_t i = 0; i < n; ++i) {
    machine.coefficients[i] *= signs[i];
    machine.values[i] *= signs[i];
  }
  if (!has_time) return machine;
  PlainFunction plain = plain_function(training.bias, given.centring, machine.coefficients);
  machine.coefficients = std::move(plain.coefficients);
  machine.offset = plain.offset;
  return machine;
}

/// Sums and lists over the functions.
void finish_relaxed(std::vector<RelaxedFunction>& functions,
                    const OutputCode& code,
                    const ClassificationTask& task,
                    double tolerance,
                    TrainedRelaxedClassifier& trained) {
  std::vector<RobustFunction> robust;
  std::size_t starts = 0;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    RelaxedFunction& function = functions[f];
    WeightRelaxation& all = trained.relaxation;
    all.value += function.relaxation.value;
    all.lower_bound += function.relaxation.lower_bound;
    all.rank = std::max(all.rank, function.relaxation.rank);
    all.roundings += function.relaxation.roundings;
    all.status = worse(all.status, function.relaxation.status);
    for (std::string& winner : function.relaxation.winners) {
      all.winners.push_back(std::move(winner));
    }
    starts = std::max(starts, function.relaxation.roundings);
    std::vector<double>& weights = trained.relaxed_weights.emplace_back(task.weights.size(), 1.0);
    const std::vector<std::size_t> rows = part_of(code, f, task).rows;
    for (std::size_t k = 0; k < function.weights.size(); ++k) {
      weights[rows[k]] = function.weights[k];
    }
    robust.push_back(std::move(function.robust));
  }
  trained.relaxation.relative_gap =
      relative_gap(trained.relaxation.value, trained.relaxation.lower_bound);
  finish_robust(robust, starts, tolerance, trained);
}

TrainedRelaxedClassifier train_relaxed(RelaxedTraining training, const RelaxedTask& given) {
  training.cost *= common_weight(given.task, training.learner);
  require_room(
      training,
      given,
      std::min(
          {most_concurrent, thread_count(training.control.context.threads), given.code.functions}));
  std::vector<RelaxedFunction> functions(given.code.functions);
  TrainedRelaxedClassifier trained;
  static_cast<TrainedClassifier&>(trained) = std::move(
      train_code({training.data, training.kernel, training.control, given.task, given.code},
                 1,
                 [&](const CodeProblem& of) {
                   std::vector<CodeMachine> machines;
                   machines.push_back(train_function(training, of, functions[of.function]));
                   return machines;
                 })
          .front());
  finish_relaxed(functions, given.code, given.task, training.control.tolerance, trained);
  trained.rho = training.rho.value_or(1.0);
  return trained;
}

template <class Options>
RelaxedTask task_of(const Dataset& data, const Options& options) {
  RelaxedTask given{.task = classification_task(data, {})};
  given.code = choose_code(
      options.multiclass, options.code, given.task.classes.count(), options.control.context.seed);
  return given;
}

template <class Options>
RelaxedTraining training_of(const Dataset& data,
                            const Kernel& kernel,
                            const Options& options,
                            std::optional<double> rho,
                            const char* learner,
                            const char* instead) {
  return {.learner = learner,
          .instead = instead,
          .data = data,
          .kernel = kernel,
          .control = options.control,
          .cost = options.c,
          .bias = options.bias,
          .rho = rho,
          .restarts = options.restarts,
          .max_rounds = options.max_rounds};
}

RelaxedTraining outlier_training(const Dataset& data,
                                 const Kernel& kernel,
                                 const OutlierSvcOptions& options,
                                 std::optional<double> rho) {
  return training_of(data,
                     kernel,
                     options,
                     rho,
                     "outlier-svc",
                     "trimmed-svc minimises the same without the relaxation, ramp-svc and "
                     "linear-ramp-svc name outliers among any number of rows");
}

/// The search for rho in one function after the other, so that one kernel matrix is made for each
/// and one is held at a time.
class RhoSearch {
 public:
  explicit RhoSearch(const RelaxedTraining& training) : training_(training) {}

  /// Lowers the number of shares of the grid, from its begin, at which all functions so far have an
  /// example of whole weight, to those of this one. Does nothing after a stop.
  void ask(const TwoClassPart& part, std::size_t function) {
    if (was_stopped(status_) || part.rows.empty() || whole_ == 0) return;
    const SignedGram given = signed_gram(training_, part, training_.control.context.on_progress);
    if (given.answer != Continue::yes) {
      status_ = status_of(given.answer);
      return;
    }
    const auto is_whole = [&](std::size_t share) {
      training_.rho = shares[share];
      const WeightSaddleSolution relaxed = relax_weights(
          problem_of(training_, given.matrix, function, training_.control.context.on_progress));
      const Status ended = relaxed.report.status;
      status_ = was_stopped(ended) ? ended : worse(status_, ended);
      return std::ranges::max(relaxed.eta) >= whole_weight;
    };
    // The grid before `whole` has whole weights, from `thin` on it has none.
    std::size_t whole = 0;
    std::size_t thin = whole_;
    while (whole < thin) {
      // Most functions agree with those before: their last share is the first to be looked at.
      const bool is_next = thin == whole_ && whole_ < shares.size();
      const std::size_t middle = is_next ? thin - 1 : whole + (thin - whole) / 2;
      const bool found = is_whole(middle);
      if (was_stopped(status_)) break;
      if (found) {
        whole = middle + 1;
      } else {
        thin = middle;
      }
    }
    whole_ = whole;
  }

  /// Of all functions, if `all` were asked.
  [[nodiscard]] RhoChoice choice(bool all) const {
    return {.rho = all && whole_ > 0 ? shares[whole_ - 1] : 1.0, .status = status_};
  }
  [[nodiscard]] bool is_stopped() const { return was_stopped(status_); }

 private:
  RelaxedTraining training_;
  std::size_t whole_ = shares.size();
  Status status_ = Status::solved;
};

template <class Options>
void describe_first(OptionVisitor& visit, Options& options) {
  describe_cost(visit, options.c);
  describe_semidefinite_kernel(visit, options.kernel, "ramp-svc and trimmed-svc");
}

template <class Options>
void describe_last(OptionVisitor& visit, Options& options) {
  describe_bias(visit, options.bias);
  describe_roundings(visit, options.restarts);
  describe_rounds(visit, options.max_rounds);
  describe_multiclass(visit, options.multiclass, options.code);
  options.control.describe(visit, "2000");
}

}  // namespace

void RobustSvcOptions::describe(OptionVisitor& visit) {
  describe_first(visit, *this);
  describe_last(visit, *this);
}

TrainedRelaxedClassifier train_robust_svc(const Dataset& data, const RobustSvcOptions& options) {
  validate(options);
  const RelaxedTask given = task_of(data, options);
  const Kernel kernel =
      resolved_kernel(options.kernel, data, options.control, options.bias == KernelBias::center);
  return train_relaxed(
      training_of(data,
                  kernel,
                  options,
                  std::nullopt,
                  "robust-svc",
                  "ramp-svc (linear-ramp-svc) minimises the same without the relaxation"),
      given);
}

void OutlierSvcOptions::describe(OptionVisitor& visit) {
  describe_first(visit, *this);
  visit.number({.name = "rho",
                .help = "share of the rows that counts; auto finds the least, often too small",
                .value = "SHARE|auto"},
               rho,
               rules::share_above_zero,
               "auto");
  describe_last(visit, *this);
}

TrainedRelaxedClassifier train_outlier_svc(const Dataset& data, const OutlierSvcOptions& options) {
  validate(options);
  const RelaxedTask given = task_of(data, options);
  const Kernel kernel =
      resolved_kernel(options.kernel, data, options.control, options.bias == KernelBias::center);
  if (options.rho) {
    return train_relaxed(outlier_training(data, kernel, options, *options.rho), given);
  }
  const RhoChoice choice = choose_rho(data, options);
  TrainedRelaxedClassifier trained =
      train_relaxed(outlier_training(data, kernel, options, choice.rho), given);
  if (choice.status != Status::solved) {
    trained.report.warnings.push_back(
        "the choice of rho rests on relaxations that were not solved (" +
        std::string(to_string(choice.status)) + ")");
  }
  return trained;
}

std::vector<double> rho_grid() { return {shares.begin(), shares.end()}; }

RhoChoice choose_rho(const Dataset& data, const OutlierSvcOptions& options) {
  validate(options);
  const RelaxedTask given = task_of(data, options);
  const Kernel kernel =
      resolved_kernel(options.kernel, data, options.control, options.bias == KernelBias::center);
  OutlierSvcOptions exact = options;
  exact.control.tolerance = std::min(options.control.tolerance, rho_tolerance);
  RelaxedTraining training = outlier_training(data, kernel, exact, 1.0);
  training.cost *= common_weight(given.task, training.learner);
  require_room(training, given, 1);
  RhoSearch search(training);
  std::size_t asked = 0;
  while (asked < given.code.functions && !search.is_stopped()) {
    search.ask(part_of(given.code, asked, given.task), asked);
    ++asked;
  }
  return search.choice(asked == given.code.functions);
}

}  // namespace maxmargin
