// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/memory_limit.hpp"
#include "maxmargin/core/context.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "maxmargin/structured/task.hpp"

/// The structured perceptron, a baseline: docs/algorithms/structural-online.md.
namespace maxmargin {

struct AveragedPerceptronOptions {
  /// Passes over all examples, unless one makes no mistake; at least 1.
  std::size_t max_passes = 10;
  /// Memory limit: for weights, their sums and the tables of argmaxes, in bytes. Callback: asked
  /// before every example.
  Context context = {};
};

/// After every wrong prediction Phi(x, y) is added to w and Phi(x, prediction) taken away; the mean
/// of all w comes back. The report's primal_objective is the sum of losses of the last pass, each
/// prediction before its step; there is no dual. `solved`: a pass without a mistake. Throws
/// InvalidArgument for sizes that differ, for wrong options and when the memory limit is too small.
template <StructuredTask Task>
[[nodiscard]] StructuralSolution train_averaged_perceptron(
    const Task& task,
    std::span<const typename Task::Input> inputs,
    std::span<const typename Task::Output> outputs,
    const AveragedPerceptronOptions& options = {}) {
  require(inputs.size() == outputs.size(), "there must be one output for every input");
  require_field(
      options.max_passes >= 1, "max_passes", static_cast<double>(options.max_passes), ">= 1");
  std::size_t argmax_bytes = 0;
  if constexpr (MeasuredTask<Task>) {
    for (const typename Task::Input& x : inputs) {
      argmax_bytes = std::max<std::size_t>(argmax_bytes, task.argmax_bytes(x));
    }
  }
  const std::size_t dimension = task.dimension();
  require_within_limit(checked_add(checked_multiply(2 * sizeof(double), dimension), argmax_bytes),
                       options.context.memory_limit,
                       "a structured perceptron of " + std::to_string(dimension) + " weights",
                       "use fewer features or smaller inputs");
  PhaseTimer timer;
  timer.enter("passes");
  StructuralSolution solution;
  std::vector<double>& w = solution.w;
  w.assign(dimension, 0.0);
  // Each change times the number of examples before it: the mean is w less this over the number.
  std::vector<double> late_sum(w.size(), 0.0);
  double seen = 0;
  SolveReport& report = solution.report;
  report.status = Status::iteration_limit;
  Continue answer = Continue::yes;
  FeatureVector change;
  while (report.iterations < options.max_passes && report.status == Status::iteration_limit &&
         answer == Continue::yes) {
    ++report.iterations;
    Rng rng(options.context.seed, "averaged perceptron", report.iterations);
    double loss = 0;
    bool has_changed = false;
    for (const std::size_t i : rng.permutation(inputs.size())) {
      answer = options.context.ask({.phase = "perceptron",
                                    .iteration = report.iterations,
                                    .max_iterations = options.max_passes,
                                    .primal_objective = report.primal_objective});
      if (answer != Continue::yes) break;
      const typename Task::Output predicted = task.predict(inputs[i], w);
      ++solution.oracle_calls;
      if (!(predicted == outputs[i])) {
        loss += static_cast<double>(task.loss(outputs[i], predicted));
        FeatureVector wrong;
        change.clear();
        task.joint_features(inputs[i], outputs[i], change);
        task.joint_features(inputs[i], predicted, wrong);
        change.add(wrong, -1);
        change.settle();
        change.add_to(1, w);
        change.add_to(seen, late_sum);
        has_changed = true;
      }
      seen += 1;
    }
    if (answer != Continue::yes) break;
    report.primal_objective = loss;
    if (!has_changed) report.status = Status::solved;
  }
  if (answer != Continue::yes) report.status = status_of(answer);
  if (seen > 0) {
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= late_sum[j] / seen;
  }
  report.seconds = timer.finish();
  return solution;
}

}  // namespace maxmargin
