// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/core/require.hpp"
#include "maxmargin/problem/structural/latent_risk.hpp"
#include "maxmargin/solver/structural/latent.hpp"
#include "maxmargin/structured/latent_task.hpp"
#include "maxmargin/structured/structural_hinge.hpp"

/// Training of any task with hidden parts: docs/algorithms/latent.md.
namespace maxmargin {

/// A latent task and its examples as the LatentRisk that the solver sees. What it looks at must
/// outlive it.
template <LatentTask Task>
class LatentHinge final : public LatentRisk {
 public:
  using Input = typename Task::Input;
  using Output = typename Task::Output;

  /// `truths` with the hidden parts that LatentStart::given begins with; weights as for
  /// StructuralHinge.
  LatentHinge(const Task& task,
              std::span<const Input> inputs,
              std::span<const Output> truths,
              std::span<const double> weights = {})
      : task_(task),
        inputs_(inputs),
        truths_(truths),
        weights_(weights),
        present_(truths.begin(), truths.end()),
        proposed_(truths.begin(), truths.end()) {
    renew();
  }

  [[nodiscard]] const StructuralRisk& convex() const override { return *hinge_; }
  [[nodiscard]] std::size_t parts() const override { return inputs_.size(); }
  [[nodiscard]] bool has_random_start() const override { return RandomlyCompletedTask<Task>; }
  [[nodiscard]] bool is_unique(std::size_t example) const override {
    if constexpr (PartlySeenTask<Task>) {
      return task_.has_one_completion(inputs_[example], truths_[example]);
    }
    return false;
  }

  [[nodiscard]] Continue begin(Rng* rng) override {
    for (std::size_t i = 0; i < present_.size(); ++i) {
      present_[i] = truths_[i];
      if constexpr (RandomlyCompletedTask<Task>) {
        if (rng != nullptr) present_[i] = task_.random_completion(inputs_[i], truths_[i], *rng);
      }
    }
    proposed_ = present_;
    renew();
    return Continue::yes;
  }

  void propose(std::size_t i,
               std::span<const double> w,
               std::vector<CompletionChange>& changes) override {
    proposed_[i] = task_.complete(inputs_[i], truths_[i], w);
    if (proposed_[i] == present_[i]) return;
    CompletionChange change{.example = i};
    task_.joint_features(inputs_[i], proposed_[i], change.shift);
    FeatureVector before;
    task_.joint_features(inputs_[i], present_[i], before);
    change.shift.add(before, -1);
    change.shift.settle();
    // Another hidden part of the same features is the same problem.
    if (change.shift.empty()) return;
    require(change.shift.entries().back().index < w.size(),
            "LatentHinge: a feature is beyond the task's dimension");
    change.gain = change.shift.dot(w);
    changes.push_back(std::move(change));
  }

  void accept() override {
    present_ = proposed_;
    renew();
  }

  /// The completions of the last step.
  [[nodiscard]] std::span<const Output> completions() const { return present_; }
  /// How often an argmax was worse than the truth: StructuralHinge::misses.
  [[nodiscard]] std::uint64_t misses() const { return misses_ + hinge_->misses(); }

 private:
  void renew() {
    if (hinge_) misses_ += hinge_->misses();
    hinge_.emplace(task_, inputs_, std::span<const Output>(present_), Rescaling::margin, weights_);
  }

  const Task& task_;
  std::span<const Input> inputs_;
  std::span<const Output> truths_;
  std::span<const double> weights_;
  std::vector<Output> present_;
  std::vector<Output> proposed_;
  std::optional<StructuralHinge<Task>> hinge_;
  std::uint64_t misses_ = 0;
};

/// Trains any latent task. `start`: a state to resume from. Throws InvalidArgument as
/// StructuralHinge and solve_latent do.
template <LatentTask Task>
[[nodiscard]] LatentSolution train_latent(const Task& task,
                                          std::span<const typename Task::Input> inputs,
                                          std::span<const typename Task::Output> truths,
                                          std::span<const double> weights,
                                          const LatentOptions& options,
                                          const StructuralState* start = nullptr) {
  LatentHinge<Task> risk(task, inputs, truths, weights);
  return solve_latent(risk, options, start);
}

/// F(w): completes every truth for w and asks for every largest plane, one after the other. Shares
/// nothing with the solver.
template <LatentTask Task>
[[nodiscard]] double latent_objective(const Task& task,
                                      std::span<const typename Task::Input> inputs,
                                      std::span<const typename Task::Output> truths,
                                      std::span<const double> weights,
                                      double c,
                                      std::span<const double> w) {
  require(inputs.size() == truths.size(),
          "latent_objective: there must be one truth for every input");
  std::vector<typename Task::Output> completed;
  completed.reserve(truths.size());
  for (std::size_t i = 0; i < truths.size(); ++i) {
    completed.push_back(task.complete(inputs[i], truths[i], w));
  }
  const StructuralHinge<Task> hinge(
      task, inputs, std::span<const typename Task::Output>(completed), Rescaling::margin, weights);
  return structural_primal(hinge, c, w);
}

}  // namespace maxmargin
