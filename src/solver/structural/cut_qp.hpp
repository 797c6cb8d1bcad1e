// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "solver/structural/cut_weights.hpp"

namespace maxmargin {

/// The reduced dual of CutWeights together with the vectors of its cuts, dense.
class CutQp {
 public:
  /// `mean` is m, or empty.
  CutQp(double total, std::vector<double> mean, double limit);

  /// A cut: `gradient` is g_k. Returns its number.
  std::size_t add(std::vector<double> gradient, double offset);
  /// As in CutWeights.
  template <class Removed>
  void prune(std::size_t age, const Removed& removed) {
    weights_.prune(age, [&](std::size_t k) {
      gradients_.erase(gradients_.begin() + static_cast<std::ptrdiff_t>(k));
      removed(k);
    });
  }
  void solve(double gap) { weights_.solve(gap); }

  [[nodiscard]] std::size_t size() const { return weights_.size(); }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_.weights(); }
  [[nodiscard]] double multiplier() const { return weights_.multiplier(); }
  /// sum_k a_k g_k - u m, from scratch.
  [[nodiscard]] std::vector<double> w() const;
  /// The value at the present point, from scratch.
  [[nodiscard]] double value() const;

 private:
  std::vector<double> mean_;
  double limit_;
  CutWeights weights_;
  std::vector<std::vector<double>> gradients_ = {};
};

}  // namespace maxmargin
