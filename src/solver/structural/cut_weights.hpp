// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace maxmargin {

/// The reduced dual of a cutting-plane method, seen through products of the cuts: maximise
///
///   sum_k a_k offset_k - 1/2 |sum_k a_k g_k - u m|^2 - limit |u|
///   subject to  a >= 0,  sum_k a_k <= total,  u any number (0 without m).
///
/// Pairs of variables that raise the value most, one of them possibly the slack of the sum, each
/// step exact in the pair and then in u. Keeps its point when cuts are added. The vectors stay with
/// the caller.
class CutWeights {
 public:
  /// `mean_norm` is |m|^2, 0 without m.
  explicit CutWeights(double total, double mean_norm = 0, double limit = 0)
      : total_(total), limit_(limit), mean_norm_(mean_norm), slack_(total) {}

  /// A cut, by its products with all cuts there are and, last, itself; `mean_product` is g_k.m.
  /// Returns its number.
  std::size_t add(std::vector<double> products, double offset, double mean_product = 0);
  void erase(std::size_t k);
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
  /// Puts a cut back to where it was.
  void set(std::size_t k, double weight, std::size_t idle) {
    weights_[k] = weight;
    idle_[k] = idle;
  }

  /// Solves until no feasible point has a value above the present one by more than `gap`, or for a
  /// bounded number of steps: false when these were too few. (Rounding may end it, too.)
  bool solve(double gap);

  [[nodiscard]] std::size_t size() const { return weights_.size(); }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }
  [[nodiscard]] const std::vector<double>& offsets() const { return offsets_; }
  /// Solves since the cut had a weight above 0.
  [[nodiscard]] std::size_t idle(std::size_t k) const { return idle_[k]; }
  [[nodiscard]] double multiplier() const { return u_; }
  /// The largest offset_k - g_k.w, or 0: the slack of the reduced problem. Without m alone.
  [[nodiscard]] double reduced_slack() const;

 private:
  /// offset_k - g_k.w for all cuts, and the best u.
  void refresh();
  void set_multiplier();
  [[nodiscard]] double entry(std::size_t k, std::size_t l) const { return products_[k][l]; }

  double total_;
  double limit_;
  double mean_norm_;
  std::vector<double> offsets_ = {};
  std::vector<std::vector<double>> products_ = {};
  std::vector<double> mean_products_ = {};  ///< g_k.m
  std::vector<double> weights_ = {};
  std::vector<std::size_t> idle_ = {};
  std::vector<double> slopes_ = {};
  double slack_;           ///< total less the sum of the weights
  double mean_score_ = 0;  ///< sum_k a_k g_k.m
  double u_ = 0;
};

}  // namespace maxmargin
