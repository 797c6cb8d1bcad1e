// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/output_code.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/svm_dual.hpp"
#include "maxmargin/solver/convex_method.hpp"
#include "solver/smo/smo.hpp"

/// Kernel machines of two classes put together to one of several: what svc, nu-svc and the robust
/// machines share. docs/algorithms/multiclass-reductions.md.
namespace maxmargin {

/// The rows a function of a code looks at, with their signs and weights.
struct TwoClassPart {
  std::vector<std::size_t> rows = {};
  std::vector<std::int8_t> signs = {};
  std::vector<double> weights = {};
};

[[nodiscard]] TwoClassPart part_of(const OutputCode& code,
                                   std::size_t function,
                                   const ClassificationTask& task);

/// Takes out the rows of weight 0.
void drop_weightless(TwoClassPart& part);

/// What one two-class machine came to: a coefficient for every row of its problem.
struct CodeMachine {
  std::vector<double> coefficients = {};
  double offset = 0;
  MachineReport report = {};
  /// Of the function on every row of its problem, with the offset.
  std::vector<double> values = {};
  /// Vectors over the rows of its problem that prove more than the coefficients do; all machines
  /// of a training have equally many. Handed back with TrainingControl::keep_dual.
  std::vector<std::vector<double>> proofs = {};
  /// Of a linear function on the features that coefficients are not exact enough for: its w, to be
  /// used in their place (they are the dual point then). Empty: the coefficients do.
  std::vector<double> weights = {};
};

/// One function of the code as a problem. What it refers to lives during the call.
struct CodeProblem {
  const SymmetricMatrix& matrix;
  const TwoClassPart& part;
  std::size_t function = 0;
  const ProgressCallback& progress;
};

/// Solves one two-class problem for every setting of a path. Called for several functions at once.
using SolveCodeProblem = std::function<std::vector<CodeMachine>(const CodeProblem& problem)>;

/// What the functions are trained on. The references must outlive the call.
struct CodeTraining {
  const Dataset& data;
  const Kernel& kernel;
  const TrainingControl& control;
  const ClassificationTask& task;
  OutputCode code = {};
  /// Of the machines: says how the kernel's rows are held.
  ConvexMethod method = ConvexMethod::first_order;
};

/// Problems solved at a time at most. Memory is cut into so many parts whatever the number of
/// threads, because the working sets of a problem depend on its memory.
constexpr std::size_t most_concurrent = 8;

/// Trains all functions of the code, several at a time; one classifier for every setting of the
/// path. The proofs of machine f are vectors f, f + functions, ... of dual_coefficients.
[[nodiscard]] std::vector<TrainedClassifier> train_code(CodeTraining training,
                                                        std::size_t settings,
                                                        const SolveCodeProblem& solve);

[[nodiscard]] CodeMachine machine_of(const SvmDual& problem, SmoSolution solution);

/// Whether all examples are on one side (or there are none): with a bias a constant answers.
[[nodiscard]] bool has_one_sign(std::span<const std::int8_t> signs);
/// No coefficient, and the sign of the examples as the answer.
[[nodiscard]] CodeMachine constant_machine(std::span<const std::int8_t> signs);

}  // namespace maxmargin
