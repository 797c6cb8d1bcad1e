// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/multiclass-reductions.md
#include "model/kernel/code_trainer.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "core/parallel.hpp"
#include "model/kernel/hard_margin.hpp"
#include "model/kernel/proof.hpp"
#include "model/kernel/training.hpp"

namespace maxmargin {

namespace {

/// Trains all functions of a code, several at a time.
class CodeTrainer {
 public:
  explicit CodeTrainer(CodeTraining training)
      : data_(training.data),
        kernel_(training.kernel),
        control_(training.control),
        task_(training.task),
        code_(std::move(training.code)),
        method_(training.method) {}

  /// One classifier for every setting of the path.
  [[nodiscard]] std::vector<TrainedClassifier> train(std::size_t settings,
                                                     const SolveCodeProblem& solve);

 private:
  [[nodiscard]] std::vector<CodeMachine> train_function(std::size_t function,
                                                        const SolveCodeProblem& solve);
  [[nodiscard]] TrainedClassifier assemble(std::size_t setting) const;
  [[nodiscard]] DualPoint proofs(std::size_t setting) const;
  [[nodiscard]] LinearFunctions linear_functions(
      std::size_t setting, const std::vector<std::vector<double>>& coefficients) const;
  [[nodiscard]] bool uses_all_rows() const {
    return std::ranges::none_of(code_.signs, [](std::int8_t sign) { return sign == 0; });
  }

  const Dataset& data_;
  const Kernel& kernel_;
  const TrainingControl& control_;
  const ClassificationTask& task_;
  OutputCode code_;
  ConvexMethod method_;
  std::size_t concurrent_ = 1;
  std::unique_ptr<SymmetricMatrix> shared_;
  std::mutex progress_mutex_;
  std::vector<TwoClassPart> parts_;
  std::vector<std::vector<CodeMachine>> machines_;
};

std::vector<TrainedClassifier> CodeTrainer::train(std::size_t settings,
                                                  const SolveCodeProblem& solve) {
  const std::size_t threads = thread_count(control_.context.threads);
  concurrent_ = std::max<std::size_t>(1, std::min(most_concurrent, code_.functions));
  if (uses_all_rows()) {
    shared_ = kernel_matrix(
        kernel_, data_.examples, control_.context.memory_bytes(), threads, concurrent_, method_);
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

std::vector<CodeMachine> CodeTrainer::train_function(std::size_t function,
                                                     const SolveCodeProblem& solve) {
  const TwoClassPart& part = parts_[function];
  const ProgressCallback progress = one_at_a_time(control_.context.on_progress, progress_mutex_);
  if (shared_) return solve({*shared_, part, function, progress});
  const Examples examples = data_.examples.select(part.rows);
  const auto matrix = kernel_matrix(kernel_,
                                    examples,
                                    control_.context.memory_bytes() / concurrent_,
                                    thread_count(control_.context.threads),
                                    1,
                                    method_);
  return solve({*matrix, part, function, progress});
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
    const CodeMachine& machine = machines_[f][setting];
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
  const auto has_weights = [&](const auto& of_function) {
    return !of_function[setting].weights.empty();
  };
  const bool by_weights = std::ranges::any_of(machines_, has_weights);
  if (by_weights) {
    trained.model.functions = linear_functions(setting, coefficients);
  } else {
    trained.model.functions =
        make_expansion(kernel_, data_.examples, coefficients, std::move(offsets));
  }
  if (control_.keep_dual) {
    trained.dual_coefficients = by_weights ? std::move(coefficients) : proofs(setting);
  }
  trained.report = sum_of_reports(trained.machines);
  if (lacks_proof(kernel_)) take_back_proof(trained.machines, trained.report);
  return trained;
}

LinearFunctions CodeTrainer::linear_functions(
    std::size_t setting, const std::vector<std::vector<double>>& coefficients) const {
  LinearFunctions functions{.weights = DenseMatrix(code_.functions, data_.features()),
                            .offsets = {}};
  for (std::size_t f = 0; f < code_.functions; ++f) {
    const CodeMachine& machine = machines_[f][setting];
    if (machine.weights.empty()) {
      add_linear_function(kernel_, data_.examples, coefficients[f], machine.offset, f, functions);
    } else {
      std::ranges::copy(machine.weights, functions.weights.row(f).begin());
      functions.offsets.push_back(machine.offset);
    }
  }
  return functions;
}

DualPoint CodeTrainer::proofs(std::size_t setting) const {
  DualPoint point;
  const std::size_t count = machines_.empty() ? 0 : machines_.front()[setting].proofs.size();
  for (std::size_t p = 0; p < count; ++p) {
    for (std::size_t f = 0; f < code_.functions; ++f) {
      std::vector<double>& all = point.emplace_back(data_.size(), 0.0);
      const std::vector<double>& own = machines_[f][setting].proofs[p];
      for (std::size_t k = 0; k < own.size(); ++k) all[parts_[f].rows[k]] = own[k];
    }
  }
  return point;
}

}  // namespace

std::vector<TrainedClassifier> train_code(CodeTraining training,
                                          std::size_t settings,
                                          const SolveCodeProblem& solve) {
  return CodeTrainer(std::move(training)).train(settings, solve);
}

CodeMachine machine_of(const SvmDual& problem, SmoSolution solution) {
  CodeMachine machine;
  machine.coefficients = row_coefficients(problem, solution.coefficients);
  machine.offset = solution.offsets.empty() ? 0.0 : solution.offsets.front();
  machine.report = machine_report(problem, solution);
  machine.values = std::move(solution.values);
  for (double& value : machine.values) value += machine.offset;
  return machine;
}

bool has_one_sign(std::span<const std::int8_t> signs) {
  return std::ranges::all_of(signs, [&](std::int8_t sign) { return sign == signs.front(); });
}

CodeMachine constant_machine(std::span<const std::int8_t> signs) {
  CodeMachine machine;
  machine.coefficients.assign(signs.size(), 0.0);
  machine.offset = signs.empty() ? 0.0 : static_cast<double>(signs.front());
  machine.values.assign(signs.size(), machine.offset);
  machine.report.report.primal_objective = 0.0;
  machine.report.report.dual_objective = 0.0;
  return machine;
}

TwoClassPart part_of(const OutputCode& code, std::size_t function, const ClassificationTask& task) {
  const std::vector<std::int8_t> signs = code.labels_of(function, task.classes.of_row);
  TwoClassPart part;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (signs[i] == 0) continue;
    part.rows.push_back(i);
    part.signs.push_back(signs[i]);
    part.weights.push_back(task.weights[i]);
  }
  return part;
}

void drop_weightless(TwoClassPart& part) {
  TwoClassPart kept;
  for (std::size_t k = 0; k < part.rows.size(); ++k) {
    if (!(part.weights[k] > 0)) continue;
    kept.rows.push_back(part.rows[k]);
    kept.signs.push_back(part.signs[k]);
    kept.weights.push_back(part.weights[k]);
  }
  part = std::move(kept);
}

}  // namespace maxmargin
