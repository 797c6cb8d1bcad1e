// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/smo.md, docs/algorithms/multiclass-reductions.md
#include "maxmargin/model/svc.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "model/choose_code.hpp"
#include "model/kernel_training.hpp"
#include "model/two_class_part.hpp"

namespace maxmargin {

namespace {

/// Problems solved at a time at most. Memory is cut into so many parts whatever the number of
/// threads, because the working sets of a problem depend on its memory.
constexpr std::size_t most_concurrent = 8;

/// What one two-class machine came to: a coefficient for every row of its problem.
struct Machine {
  std::vector<double> coefficients;
  double offset = 0;
  MachineReport report;
  /// Of the function on every row of its problem, with the offset.
  std::vector<double> values;
};

/// Solves one two-class problem for every setting of a path. Signs are +1 and -1.
using SolvePath = std::function<std::vector<Machine>(const SymmetricMatrix& matrix,
                                                     std::span<const std::int8_t> signs,
                                                     std::span<const double> weights,
                                                     const ProgressCallback& progress)>;

/// Trains all functions of a code, several at a time.
class CodeTrainer {
 public:
  CodeTrainer(const Dataset& data,
              const Kernel& kernel,
              const TrainingControl& control,
              const ClassificationTask& task,
              OutputCode code)
      : data_(data), kernel_(kernel), control_(control), task_(task), code_(std::move(code)) {}

  /// One classifier for every setting of the path.
  [[nodiscard]] std::vector<TrainedClassifier> train(std::size_t settings, const SolvePath& solve);

 private:
  [[nodiscard]] std::vector<Machine> train_function(std::size_t function, const SolvePath& solve);
  [[nodiscard]] TrainedClassifier assemble(std::size_t setting) const;
  [[nodiscard]] bool uses_all_rows() const {
    return std::ranges::none_of(code_.signs, [](std::int8_t sign) { return sign == 0; });
  }

  const Dataset& data_;
  const Kernel& kernel_;
  const TrainingControl& control_;
  const ClassificationTask& task_;
  OutputCode code_;
  std::size_t concurrent_ = 1;
  std::unique_ptr<SymmetricMatrix> shared_;
  std::mutex progress_mutex_;
  std::vector<TwoClassPart> parts_;
  std::vector<std::vector<Machine>> machines_;
};

std::vector<TrainedClassifier> CodeTrainer::train(std::size_t settings, const SolvePath& solve) {
  const std::size_t threads = thread_count(control_.threads);
  concurrent_ = std::max<std::size_t>(1, std::min(most_concurrent, code_.functions));
  if (uses_all_rows()) {
    shared_ = kernel_matrix(kernel_, data_.examples, control_.memory_bytes(), threads, concurrent_);
  }
  parts_.clear();
  for (std::size_t f = 0; f < code_.functions; ++f) parts_.push_back(part_of(code_, f, task_));
  machines_.resize(code_.functions);
  // The largest problems first: a long one that starts last would leave the other threads idle.
  std::vector<std::size_t> order(code_.functions);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t f, std::size_t g) {
    return parts_[f].rows.size() > parts_[g].rows.size();
  });
  parallel_chunks(std::min(threads, concurrent_),
                  code_.functions,
                  1,
                  [&](std::size_t k, std::size_t, std::size_t) {
                    machines_[order[k]] = train_function(order[k], solve);
                  });
  std::vector<TrainedClassifier> result;
  for (std::size_t s = 0; s < settings; ++s) result.push_back(assemble(s));
  return result;
}

std::vector<Machine> CodeTrainer::train_function(std::size_t function, const SolvePath& solve) {
  const TwoClassPart& part = parts_[function];
  const ProgressCallback progress = one_at_a_time(control_.on_progress, progress_mutex_);
  if (shared_) return solve(*shared_, part.signs, part.weights, progress);
  const Examples examples = data_.examples.select(part.rows);
  const auto matrix = kernel_matrix(
      kernel_, examples, control_.memory_bytes() / concurrent_, thread_count(control_.threads));
  return solve(*matrix, part.signs, part.weights, progress);
}

TrainedClassifier CodeTrainer::assemble(std::size_t setting) const {
  TrainedClassifier trained;
  trained.model.classes = task_.classes.names;
  trained.model.code = code_;
  trained.model.feature_names = data_.feature_names;
  std::vector<std::vector<double>> coefficients(code_.functions,
                                                std::vector<double>(data_.size(), 0.0));
  std::vector<double> offsets;
  for (std::size_t f = 0; f < code_.functions; ++f) {
    const Machine& machine = machines_[f][setting];
    for (std::size_t k = 0; k < parts_[f].rows.size(); ++k) {
      coefficients[f][parts_[f].rows[k]] = machine.coefficients[k];
    }
    offsets.push_back(machine.offset);
    trained.machines.push_back(machine.report);
  }
  if (shared_) {
    trained.training_values = DenseMatrix(data_.size(), code_.functions);
    for (std::size_t f = 0; f < code_.functions; ++f) {
      for (std::size_t i = 0; i < data_.size(); ++i) {
        trained.training_values(i, f) = machines_[f][setting].values[i];
      }
    }
  }
  trained.model.functions =
      make_expansion(kernel_, data_.examples, coefficients, std::move(offsets));
  trained.report = sum_of_reports(trained.machines);
  return trained;
}

Machine machine_of(const SvmDual& problem, SmoSolution solution) {
  Machine machine;
  machine.coefficients = row_coefficients(problem, solution.coefficients);
  machine.offset = solution.offsets.empty() ? 0.0 : solution.offsets.front();
  machine.report = machine_report(problem, solution);
  machine.values = std::move(solution.values);
  for (double& value : machine.values) value += machine.offset;
  return machine;
}

/// All examples of one class: no coefficient, and its sign as the answer.
bool has_one_sign(std::span<const std::int8_t> signs) {
  return std::ranges::all_of(signs, [&](std::int8_t sign) { return sign == signs.front(); });
}

Machine constant_machine(std::span<const std::int8_t> signs) {
  Machine machine;
  machine.coefficients.assign(signs.size(), 0.0);
  machine.offset = signs.empty() ? 0.0 : static_cast<double>(signs.front());
  machine.values.assign(signs.size(), machine.offset);
  machine.report.report.primal_objective = 0.0;
  machine.report.report.dual_objective = 0.0;
  return machine;
}

std::vector<TrainedClassifier> train_path(const Dataset& data,
                                          const SvcOptions& options,
                                          std::span<const double> c_values) {
  options.validate();
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  CodeTrainer trainer(
      data,
      options.kernel,
      options.control,
      task,
      choose_code(options.multiclass, options.code, task.classes.count(), options.control.seed));
  const auto solve = [&](const SymmetricMatrix& matrix,
                         std::span<const std::int8_t> signs,
                         std::span<const double> weights,
                         const ProgressCallback& progress) {
    std::vector<Machine> machines;
    std::vector<double> start;
    SmoOptions smo = smo_options(options.control, {options.shrinking, options.kkt_tolerance});
    smo.on_progress = progress;
    for (const double c : c_values) {
      if (signs.empty() || (options.bias && has_one_sign(signs))) {
        machines.push_back(constant_machine(signs));
        continue;
      }
      const SvmDual problem = c_svc_dual(
          matrix, signs, weights, {.c = c, .slacks = options.slacks, .bias = options.bias});
      SmoSolution solution = solve_smo(problem, smo, start);
      start = solution.coefficients;
      machines.push_back(machine_of(problem, std::move(solution)));
    }
    return machines;
  };
  return trainer.train(c_values.size(), solve);
}

}  // namespace

void SvcOptions::validate() const {
  require_field(c > 0, "SvcOptions.c", c, "> 0");
  require_definite(kernel, allow_indefinite);
  control.validate();
}

TrainedClassifier train_svc(const Dataset& data, const SvcOptions& options) {
  return std::move(train_path(data, options, {&options.c, 1}).front());
}

std::vector<TrainedClassifier> train_svc_path(const Dataset& data,
                                              const SvcOptions& options,
                                              std::span<const double> c_values) {
  for (const double c : c_values) require_field(c > 0, "C", c, "> 0");
  require(std::ranges::is_sorted(c_values), "the values of C must rise along a path");
  return train_path(data, options, c_values);
}

void NuSvcOptions::validate() const {
  require_field(nu > 0 && nu <= 1, "NuSvcOptions.nu", nu, "in (0, 1]");
  require_definite(kernel, allow_indefinite);
  control.validate();
}

TrainedClassifier train_nu_svc(const Dataset& data, const NuSvcOptions& options) {
  options.validate();
  const ClassificationTask task = classification_task(data, options.class_weights);
  CodeTrainer trainer(
      data,
      options.kernel,
      options.control,
      task,
      choose_code(options.multiclass, options.code, task.classes.count(), options.control.seed));
  const auto solve = [&](const SymmetricMatrix& matrix,
                         std::span<const std::int8_t> signs,
                         std::span<const double> weights,
                         const ProgressCallback& progress) {
    SmoOptions smo = smo_options(options.control, {options.shrinking, options.kkt_tolerance});
    smo.on_progress = progress;
    const SvmDual problem = nu_svc_dual(matrix, signs, weights, options.nu);
    SmoSolution solution = solve_smo(problem, smo);
    // Offsets b - rho and b + rho. Divided by rho, the margin is at 1 as in every other machine.
    const double b = 0.5 * (solution.offsets[0] + solution.offsets[1]);
    const double rho = 0.5 * (solution.offsets[1] - solution.offsets[0]);
    const double scale = rho > 0 ? 1 / rho : 1.0;
    Machine machine = machine_of(problem, std::move(solution));
    for (double& coefficient : machine.coefficients) coefficient *= scale;
    for (double& value : machine.values) value = (value - machine.offset + b) * scale;
    machine.offset = b * scale;
    machine.report.squared_norm *= scale * scale;
    return std::vector<Machine>{std::move(machine)};
  };
  return std::move(trainer.train(1, solve).front());
}

}  // namespace maxmargin
