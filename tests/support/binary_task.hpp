// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "maxmargin/linalg/row.hpp"
#include "maxmargin/structured/task.hpp"

namespace maxmargin {

/// Two classes, +1 and -1, with Phi(x, y) = y x / 2: the linear machine without a bias, at the same
/// C (docs/algorithms/cutting-plane.md, "Classes"). Columns beyond `features` are ignored.
class BinaryTask {
 public:
  using Input = Row;
  using Output = std::int32_t;

  explicit BinaryTask(std::size_t features) : features_(features) {}

  [[nodiscard]] std::size_t dimension() const { return features_; }
  void joint_features(const Row& x, Output y, FeatureVector& psi) const {
    x.for_each([&](std::size_t column, double value) {
      if (column < features_ && value != 0) psi.add(column, 0.5 * y * value);
    });
  }
  [[nodiscard]] double loss(Output y, Output other) const { return y == other ? 0 : 1; }

  /// sign(0) is +1.
  [[nodiscard]] Output predict(const Row& x, std::span<const double> w) const {
    return x.dot(w) >= 0 ? 1 : -1;
  }
  /// sign(w.x - y): the truth alone has no loss.
  [[nodiscard]] Output loss_augmented_argmax(const Row& x,
                                             Output y,
                                             std::span<const double> w) const {
    return x.dot(w) >= y ? 1 : -1;
  }
  /// The same: with losses 0 and 1 both rescalings are one.
  [[nodiscard]] Output loss_scaled_argmax(const Row& x, Output y, std::span<const double> w) const {
    return loss_augmented_argmax(x, y, w);
  }
  void for_each_output(const Row& /*x*/, const std::function<void(const Output&)>& visit) const {
    visit(-1);
    visit(1);
  }

 private:
  std::size_t features_;
};

static_assert(MarginRescalingTask<BinaryTask> && SlackRescalingTask<BinaryTask> &&
              EnumerableTask<BinaryTask>);

}  // namespace maxmargin
