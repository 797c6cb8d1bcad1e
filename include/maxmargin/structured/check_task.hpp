// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/structured/latent_task.hpp"
#include "maxmargin/structured/task.hpp"

namespace maxmargin {

/// What check_task found.
struct TaskCheck {
  /// Argmaxes compared with brute force, and those below it.
  std::size_t compared = 0;
  std::size_t missed = 0;
  /// The first few faults, in words; misses of an inexact task are none.
  std::vector<std::string> faults = {};
};

struct TaskCheckOptions {
  /// Random weights for every sample.
  std::size_t rounds = 5;
  /// Rounding of scores, relative to their size.
  double rounding = 1e-9;
};

/// Compares a task with brute force on samples (input, true output): losses are >= 0 and 0 for the
/// truth, features lie within the dimension, and predict and every argmax that the task offers
/// reach the largest value over all outputs; feature_difference, where the task has it, equals the
/// difference of joint_features. Of a latent task: completions have loss 0 and, of all outputs
/// without loss, the largest score. Meant for the tests of a task; the samples must be small.
template <EnumerableTask Task>
[[nodiscard]] TaskCheck check_task(
    const Task& task,
    std::span<const std::pair<typename Task::Input, typename Task::Output>> samples,
    Rng& rng,
    const TaskCheckOptions& options = {}) {
  using Output = typename Task::Output;
  constexpr std::size_t most_faults = 10;
  TaskCheck check;
  const auto fault = [&](std::size_t sample, const std::string& what) {
    if (check.faults.size() < most_faults) {
      check.faults.push_back("sample " + std::to_string(sample) + ": " + what);
    }
  };
  std::vector<double> w(task.dimension());
  for (std::size_t s = 0; s < samples.size(); ++s) {
    // No structured binding: lambdas capture them, which clang 14 refuses.
    const auto& x = samples[s].first;
    const auto& truth = samples[s].second;
    if (task.loss(truth, truth) != 0) fault(s, "the loss of the truth is not 0");
    if constexpr (FeatureDifferenceTask<Task>) {
      task.for_each_output(x, [&, &input = x, &true_output = truth](const Output& y) {
        FeatureVector plain;
        task.joint_features(input, true_output, plain);
        FeatureVector rival;
        task.joint_features(input, y, rival);
        plain.add(rival, -1);
        double size = 1;
        for (const FeatureVector::Entry& entry : plain.entries()) {
          size = std::max(size, std::abs(entry.value));
        }
        FeatureVector rest;
        task.feature_difference(input, true_output, y, rest);
        rest.add(plain, -1);
        rest.settle();
        for (const FeatureVector::Entry& entry : rest.entries()) {
          if (std::abs(entry.value) <= options.rounding * size) continue;
          fault(s, "feature_difference is wrong at " + std::to_string(entry.index));
        }
      });
    }
    const auto score = [&, &input = x](const Output& y) {
      FeatureVector psi;
      task.joint_features(input, y, psi);
      psi.settle();
      if (!psi.empty() && psi.entries().back().index >= w.size()) {
        fault(s, "a feature is beyond the dimension");
        return 0.0;
      }
      return psi.dot(w);
    };
    for (std::size_t round = 0; round < options.rounds; ++round) {
      for (double& weight : w) weight = rng.normal();
      const double own = score(truth);
      // Largest over all outputs, and the value that the task's answer has.
      const auto compare = [&](const char* name, const Output& answer, const auto& value) {
        double best = -std::numeric_limits<double>::infinity();
        double size = 1;
        task.for_each_output(x, [&](const Output& y) {
          const double here = value(y);
          best = std::max(best, here);
          if (std::isfinite(here)) size = std::max(size, std::abs(here));
        });
        ++check.compared;
        const double reached = value(answer);
        if (reached > best + options.rounding * size) {
          fault(s, std::string(name) + " is better than every output, so it is none");
        }
        if (reached >= best - options.rounding * size) return;
        ++check.missed;
        if (has_exact_oracle<Task>()) {
          fault(s,
                std::string(name) + " reaches " + std::to_string(reached) + ", the best is " +
                    std::to_string(best));
        }
      };
      task.for_each_output(x, [&, &true_output = truth](const Output& y) {
        const double loss = task.loss(true_output, y);
        if (!(loss >= 0)) fault(s, "a loss is negative or not a number");
      });
      compare("predict", task.predict(x, w), score);
      if constexpr (MarginRescalingTask<Task>) {
        compare("loss_augmented_argmax",
                task.loss_augmented_argmax(x, truth, w),
                [&, &true_output = truth](const Output& y) {
                  return task.loss(true_output, y) + score(y);
                });
      }
      if constexpr (LatentTask<Task>) {
        const Output completed = task.complete(x, truth, w);
        if (task.loss(truth, completed) != 0) fault(s, "a completion has a loss");
        // Whatever the truth's own hidden part.
        if (!(task.complete(x, completed, w) == completed)) {
          fault(s, "the completion of a completion is another one");
        }
        compare("complete", completed, [&, &true_output = truth](const Output& y) {
          const bool is_right = task.loss(true_output, y) == 0;
          return is_right ? score(y) : -std::numeric_limits<double>::infinity();
        });
        task.for_each_output(x, [&, &true_output = truth](const Output& y) {
          const double loss = task.loss(true_output, y);
          if (task.loss(completed, y) != loss) {
            fault(s, "a loss depends on the hidden part of the truth");
          }
          if constexpr (PartlySeenTask<Task>) {
            if (task.has_one_completion(x, true_output) && loss == 0 &&
                score(y) != score(completed)) {
              fault(s, "a truth that has one completion has another");
            }
          }
        });
        if constexpr (RandomlyCompletedTask<Task>) {
          const Output random = task.random_completion(x, truth, rng);
          if (task.loss(truth, random) != 0) fault(s, "a random completion has a loss");
        }
      }
      if constexpr (SlackRescalingTask<Task>) {
        compare("loss_scaled_argmax",
                task.loss_scaled_argmax(x, truth, w),
                [&, &true_output = truth](const Output& y) {
                  return task.loss(true_output, y) * (1 + score(y) - own);
                });
      }
    }
  }
  return check;
}

}  // namespace maxmargin
