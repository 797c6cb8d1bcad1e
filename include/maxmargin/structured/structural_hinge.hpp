// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/structured/task.hpp"

namespace maxmargin {

/// What stands for the loss: docs/algorithms/cutting-plane.md.
enum class Rescaling {
  margin,  ///< max over y' of loss + w.Phi(x, y') - w.Phi(x, y)
  slack    ///< max over y' of loss (1 + w.Phi(x, y') - w.Phi(x, y))
};
template <>
inline constexpr auto names_of<Rescaling> = name_table<Rescaling>({{"margin", Rescaling::margin},
                                                                   {"slack", Rescaling::slack}});

/// Option rescaling.
inline void describe_rescaling(OptionVisitor& visit, Rescaling& rescaling) {
  visit.name({.name = "rescaling", .help = "what the loss of a mistake rescales"}, rescaling);
}

/// A task and its examples as the risk that solvers see. Losses and features are computed here, not
/// by the task's argmax, so that they cannot disagree with it. What it looks at must outlive it.
template <MarginRescalingTask Task>
class StructuralHinge final : public StructuralRisk {
 public:
  using Input = typename Task::Input;
  using Output = typename Task::Output;

  /// `weights`: one an example, finite and >= 0; empty: 1 each. Throws InvalidArgument when sizes
  /// differ, for a wrong weight, for a feature beyond the dimension (of a rival: largest_plane
  /// does), and for slack rescaling of a task that has no argmax for it.
  StructuralHinge(const Task& task,
                  std::span<const Input> inputs,
                  std::span<const Output> outputs,
                  Rescaling rescaling = Rescaling::margin,
                  std::span<const double> weights = {})
      : task_(task), inputs_(inputs), outputs_(outputs), rescaling_(rescaling), weights_(weights) {
    require(inputs.size() == outputs.size(),
            "StructuralHinge: there must be one output for every input");
    require(weights.empty() || weights.size() == inputs.size(),
            "StructuralHinge: there must be one weight for every input");
    for (const double weight : weights) {
      require_field(std::isfinite(weight) && weight >= 0,
                    "StructuralHinge.weights",
                    weight,
                    "finite and >= 0");
    }
    require(rescaling == Rescaling::margin || SlackRescalingTask<Task>,
            "StructuralHinge: the task has no argmax for slack rescaling");
    if constexpr (!FeatureDifferenceTask<Task>) truths_.resize(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      FeatureVector truth;
      task.joint_features(inputs[i], outputs[i], truth);
      truth.settle();
      require_inside(truth);
      if constexpr (!FeatureDifferenceTask<Task>) truths_[i] = std::move(truth);
    }
  }

  [[nodiscard]] std::size_t dimension() const override { return task_.dimension(); }
  [[nodiscard]] std::size_t examples() const override { return inputs_.size(); }
  [[nodiscard]] double weight(std::size_t example) const override {
    return weights_.empty() ? 1.0 : weights_[example];
  }
  [[nodiscard]] bool is_exact() const override { return has_exact_oracle<Task>(); }

  [[nodiscard]] std::size_t oracle_bytes(std::size_t calls) const override {
    if constexpr (!MeasuredTask<Task>) return 0;
    std::vector<std::size_t> bytes(inputs_.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = argmax_bytes(i);
    const std::size_t count = std::min(calls, bytes.size());
    std::ranges::partial_sort(
        bytes, bytes.begin() + static_cast<std::ptrdiff_t>(count), std::greater());
    std::size_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum = checked_add(sum, bytes[i]);
    return sum;
  }
  [[nodiscard]] std::string_view cheaper_oracle() const override {
    return has_dear_slack && rescaling_ == Rescaling::slack ? "margin rescaling" : "";
  }

  void largest_plane(std::size_t example,
                     std::span<const double> w,
                     StructuralPlane& plane) const override {
    const Output rival = argmax(example, w);
    plane.offset = task_.loss(outputs_[example], rival);
    plane.slope.clear();
    add_difference(example, rival, plane.slope);
    plane.slope.settle();
    require_inside(plane.slope);
    if (rescaling_ == Rescaling::slack) {
      // Without a loss there is the plane 0, not one of many zeros.
      if (plane.offset == 0) plane.slope.clear();
      plane.slope.scale(plane.offset);
    }
    // The truth is a plane, too: an argmax below it has missed, unless the two are equal but for
    // rounding, which is as large as the terms that cancel.
    const double value = plane.offset - plane.slope.dot(w);
    if (value < 0) {
      if (rival != outputs_[example] && value < -rounding * size_of_terms(plane, w)) {
        misses_.fetch_add(1, std::memory_order_relaxed);
      }
      plane.offset = 0;
      plane.slope.clear();
    }
  }

  /// How often an argmax was worse than the truth by more than rounding; 0 for an exact task.
  [[nodiscard]] std::uint64_t misses() const noexcept { return misses_.load(); }

 private:
  /// Whether an argmax for slack rescaling takes memory of its own.
  static constexpr bool has_dear_slack =
      requires(const Task& task, const Input& x, const Output& y) {
    task.loss_scaled_argmax_bytes(x, y);
  };
  /// Of scores, relative to their size; what check_task allows.
  static constexpr double rounding = 1e-9;

  static double size_of_terms(const StructuralPlane& plane, std::span<const double> w) {
    double size = std::abs(plane.offset);
    for (const FeatureVector::Entry& entry : plane.slope.entries()) {
      size += std::abs(entry.value * w[entry.index]);
    }
    return size;
  }

  /// Of settled features: solvers use them as indices.
  void require_inside(const FeatureVector& features) const {
    const auto entries = features.entries();
    require(entries.empty() || entries.back().index < task_.dimension(),
            "StructuralHinge: a feature is beyond the task's dimension");
  }

  [[nodiscard]] Output argmax(std::size_t example, std::span<const double> w) const {
    if constexpr (SlackRescalingTask<Task>) {
      if (rescaling_ == Rescaling::slack) {
        return task_.loss_scaled_argmax(inputs_[example], outputs_[example], w);
      }
    }
    return task_.loss_augmented_argmax(inputs_[example], outputs_[example], w);
  }

  [[nodiscard]] std::size_t argmax_bytes(std::size_t example) const {
    if constexpr (has_dear_slack) {
      if (rescaling_ == Rescaling::slack) {
        return task_.loss_scaled_argmax_bytes(inputs_[example], outputs_[example]);
      }
    }
    if constexpr (MeasuredTask<Task>) return task_.argmax_bytes(inputs_[example]);
    return 0;
  }

  /// Phi of the truth less Phi of the rival.
  void add_difference(std::size_t example, const Output& rival, FeatureVector& slope) const {
    if constexpr (FeatureDifferenceTask<Task>) {
      task_.feature_difference(inputs_[example], outputs_[example], rival, slope);
    } else {
      slope.add(truths_[example], 1);
      FeatureVector features;
      task_.joint_features(inputs_[example], rival, features);
      slope.add(features, -1);
    }
  }

  const Task& task_;
  std::span<const Input> inputs_;
  std::span<const Output> outputs_;
  Rescaling rescaling_;
  std::span<const double> weights_;
  /// Phi of the truths, settled; empty for a task that offers differences.
  std::vector<FeatureVector> truths_;
  mutable std::atomic<std::uint64_t> misses_ = 0;
};

}  // namespace maxmargin
