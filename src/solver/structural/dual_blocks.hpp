// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "solver/structural/plane_block.hpp"

namespace maxmargin {

/// A dual point of a structural machine, a block for every example, and its w. What solvers with a
/// set of planes for every example share: docs/algorithms/bcfw.md.
class DualBlocks {
 public:
  /// Planes take about `plane_bytes`: beyond, planes without weight go and light ones are merged;
  /// but every example may keep one plane, and has one more in its turn.
  DualBlocks(const StructuralRisk& risk, const StructuralOptions& options, std::size_t plane_bytes);

  [[nodiscard]] std::size_t size() const { return blocks_.size(); }
  [[nodiscard]] const PlaneBlock& operator[](std::size_t i) const { return blocks_[i]; }
  [[nodiscard]] std::span<const double> w() const { return w_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// The largest plane of an example at the present w.
  struct Found {
    CompactPlane plane;
    bool is_new = false;  ///< not in the block
    std::vector<double> products = {};
    // Where they are wanted:
    double value = 0;      ///< at w; at least set_value
    double set_value = 0;  ///< the largest value among the planes of the block, or 0
    double gap = 0;        ///< what the example adds to P - D
  };
  /// Of several different examples at once, in parallel.
  [[nodiscard]] std::vector<Found> find(std::span<const std::size_t> examples, bool with_values);

  /// Whether planes that need not be taken should be.
  [[nodiscard]] bool has_room() const { return bytes_ < limit_; }
  /// Takes a new plane into its block.
  void take(std::size_t example, Found found);
  /// Steps among the planes of an example, and w with them. Returns the gain in D; `gap` gets what
  /// the planes of the block alone say about P - D, before the steps.
  /// Steps end where that is at most `least_gap`.
  double ascend(std::size_t example, double least_gap, double& gap);
  /// Planes without weight for more than `turns` turns go.
  void drop_idle(std::size_t example, std::uint64_t turns);

  /// D at the weights and the present w.
  [[nodiscard]] double dual() const;
  /// w from the planes: additions and subtractions leave rounding behind.
  void refresh();

  void save(StructuralState& state) const;
  /// The rests of the blocks are the first of the state's numbers.
  void restore(const StructuralState& state);

 private:
  void forget_size(std::size_t example) { bytes_ -= blocks_[example].bytes(); }
  void count_size(std::size_t example) { bytes_ += blocks_[example].bytes(); }

  const StructuralRisk& risk_;
  std::size_t threads_;
  std::size_t limit_;
  std::size_t bytes_ = 0;
  std::vector<PlaneBlock> blocks_;
  std::vector<double> w_;
};

}  // namespace maxmargin
