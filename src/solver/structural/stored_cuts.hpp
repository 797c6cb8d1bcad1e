// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solver/structural/compact_plane.hpp"
#include "solver/structural/cut_weights.hpp"

namespace maxmargin {

/// Cuts of the whole risk, sparse, and their weights: docs/algorithms/cutting-plane.md, "One
/// slack".
class StoredCuts {
 public:
  /// Weights sum to at most `total`; cuts take `limit` bytes where two of them fit.
  StoredCuts(double total, std::size_t dimension, std::size_t limit, std::size_t threads)
      : dimension_(dimension), limit_(limit), threads_(threads), weights_(total) {}

  [[nodiscard]] std::size_t size() const { return cuts_.size(); }
  /// Of the cuts and their products.
  [[nodiscard]] std::size_t bytes() const { return bytes_ + 8 * size() * size(); }
  /// The cut joins with weight 0. `slope` is its slope, dense. Where memory ends, idle cuts go,
  /// and then the lightest are merged.
  void add(CompactPlane cut, std::span<const double> slope);
  /// The reduced dual, to this gap; false when its steps were too few.
  bool solve(double gap) { return weights_.solve(gap); }
  /// Cuts without weight in `turns` solves go.
  void prune(std::size_t turns);

  /// sum_k b_k g_k, from scratch.
  void combine_into(std::span<double> w) const;
  /// D at the weights and their w.
  [[nodiscard]] double dual(std::span<const double> w) const;
  [[nodiscard]] double reduced_slack() const { return weights_.reduced_slack(); }

  /// Cuts belong to `owner` in the table.
  void save(PlaneTable& table, std::uint64_t owner) const;
  void restore(const CompactPlane& cut, double weight, std::size_t idle);

 private:
  void insert(CompactPlane cut, std::span<const double> slope);
  void erase(std::size_t k);
  /// The cut that was idle longest goes, else the two lightest become one.
  void make_room();

  std::size_t dimension_;
  std::size_t limit_;
  std::size_t threads_;
  std::size_t bytes_ = 0;
  std::vector<CompactPlane> cuts_;
  CutWeights weights_;
};

}  // namespace maxmargin
