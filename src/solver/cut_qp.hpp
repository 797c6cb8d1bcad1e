// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace maxmargin::detail {

/// The reduced dual of a cutting-plane method: maximise
///
///   sum_k a_k offset_k - 1/2 |sum_k a_k g_k - u m|^2 - limit |u|
///   subject to  a >= 0,  sum_k a_k <= total,  u any number (0 without m).
///
/// Pairs of variables that raise the value most, one of them possibly the slack of the sum, each
/// step exact in the pair and then in u. Keeps its point when cuts are added.
class CutQp {
 public:
  /// `mean` is m, or empty.
  CutQp(double total, std::vector<double> mean, double limit);

  /// A cut: `gradient` is g_k. Returns its number.
  std::size_t add(std::vector<double> gradient, double offset);
  /// Removes cuts of a_k = 0 that were not used for `age` solves; calls `removed(k)` for every cut
  /// that goes, the largest number first.
  template <class Removed>
  void prune(std::size_t age, const Removed& removed) {
    for (std::size_t k = size(); k-- > 0;) {
      if (weights_[k] > 0 || idle_[k] < age) continue;
      erase(k);
      removed(k);
    }
  }

  /// Solves until no feasible point has a value above the present one by more than `gap`, or for a
  /// bounded number of steps.
  void solve(double gap);

  [[nodiscard]] std::size_t size() const { return weights_.size(); }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }
  [[nodiscard]] double multiplier() const { return u_; }
  /// sum_k a_k g_k - u m, from scratch.
  [[nodiscard]] std::vector<double> w() const;
  /// The value at the present point, from scratch.
  [[nodiscard]] double value() const;

 private:
  void erase(std::size_t k);
  /// offset_k - g_k.w for all cuts, and the best u.
  void refresh();
  void set_multiplier();
  [[nodiscard]] double entry(std::size_t k, std::size_t l) const { return products_[k][l]; }

  double total_;
  std::vector<double> mean_;
  double limit_;
  double mean_norm_ = 0;
  std::vector<std::vector<double>> gradients_ = {};
  std::vector<double> offsets_ = {};
  std::vector<std::vector<double>> products_ = {};
  std::vector<double> mean_products_ = {};  ///< g_k.m
  std::vector<double> weights_ = {};
  std::vector<std::size_t> idle_ = {};
  std::vector<double> slopes_ = {};
  double slack_ = 0;       ///< total less the sum of the weights
  double mean_score_ = 0;  ///< sum_k a_k g_k.m
  double u_ = 0;
};

}  // namespace maxmargin::detail
