// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "solver/structural/compact_plane.hpp"

namespace maxmargin {

/// The planes of one example and the dual weights on them: docs/algorithms/bcfw.md. The weight that
/// lies on no plane lies on the plane 0. Products of the planes are kept, so that steps among them
/// need w once, for their values.
class PlaneBlock {
 public:
  /// `total` is C a_i.
  explicit PlaneBlock(double total = 0) : total_(total), rest_(total) {}

  [[nodiscard]] double total() const { return total_; }
  /// The weight on the plane 0.
  [[nodiscard]] double rest() const { return rest_; }
  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] const CompactPlane& plane(std::size_t p) const { return members_[p].plane; }
  [[nodiscard]] double weight(std::size_t p) const { return members_[p].weight; }
  [[nodiscard]] std::uint64_t age(std::size_t p) const { return members_[p].age; }
  /// With the products.
  [[nodiscard]] std::size_t bytes() const {
    constexpr std::size_t beside =
        sizeof(Member) - sizeof(CompactPlane) + sizeof(decltype(products_)::value_type);
    return bytes_ + size() * (beside + 4 * (size() + 1));
  }

  /// Whether the plane is there or is the plane 0.
  [[nodiscard]] bool knows(const CompactPlane& plane) const;
  /// With all planes and, last, itself: what take() wants. May run beside other blocks' work.
  [[nodiscard]] std::vector<double> products_with(const CompactPlane& plane) const;
  /// The plane joins, with weight 0 unless told.
  void take(CompactPlane plane,
            std::vector<double> products,
            double weight = 0,
            std::uint64_t age = 0);
  /// Puts back what a state says, after its planes.
  void set_rest(double rest) { rest_ = rest; }

  /// Values of all planes at w. The following steps begin here.
  void measure(std::span<const double> w);
  /// The largest value, or 0.
  [[nodiscard]] double largest() const;
  /// C a_i largest less what the weights have: what the example adds to P - D.
  [[nodiscard]] double gap(double largest) const;
  /// Moves weight between two planes at a time, the pair by the gain in D, while the gap among
  /// these planes is above `least_gap` and at most `most_steps` times. Returns the sum of the
  /// gains.
  double step(double least_gap, std::size_t most_steps);
  /// Adds to w what the steps since measure() changed.
  void move(std::span<double> w) const;

  /// Planes without weight get older; those older than `turns` go.
  void drop_idle(std::uint64_t turns);
  /// The two planes of least weight become their mean: D and w stay as they are. Requires two.
  void merge_lightest();

 private:
  struct Member {
    CompactPlane plane;
    double weight = 0;
    double value = 0;
    double weight_before = 0;
    std::uint64_t age = 0;
  };
  /// From one plane to another; size() is the plane 0.
  struct Transfer {
    std::size_t from = 0;
    double amount = 0;
    double gain = 0;
  };

  [[nodiscard]] double product(std::size_t p, std::size_t q) const {
    if (p == members_.size() || q == members_.size()) return 0;
    return p < q ? products_[q][p] : products_[p][q];
  }
  [[nodiscard]] std::size_t highest() const;
  [[nodiscard]] Transfer best_transfer_to(std::size_t to) const;
  void apply(std::size_t to, const Transfer& transfer);
  void erase(std::size_t p);

  double total_ = 0;
  double rest_ = 0;
  std::size_t bytes_ = 0;  ///< of the planes
  std::vector<Member> members_;
  /// Row p: with planes 0 to p.
  std::vector<std::vector<double>> products_;
};

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
