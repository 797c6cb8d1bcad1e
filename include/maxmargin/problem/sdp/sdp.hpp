// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Semidefinite programs as data: docs/algorithms/sdp-interior-point.md.
///
///   primal   min <C, X>  subject to  <A_i, X> = b_i (i = 0 .. m-1),  X in the cone
///   dual     max b'y     subject to  Z = C - sum_i y_i A_i in the cone
///
/// The cone is a product of blocks, each the positive semidefinite matrices or the nonnegative
/// vectors (diagonal matrices). How good an answer is, is measured in problem/sdp/residuals.hpp.
namespace maxmargin {

enum class SdpCone {
  semidefinite,  ///< symmetric matrices without a negative eigenvalue
  nonnegative    ///< vectors without a negative entry, seen as diagonals
};

struct SdpBlock {
  SdpCone cone = SdpCone::semidefinite;
  std::size_t size = 0;
};

/// An entry of a symmetric data matrix. Off the diagonal it stands for both (row, column) and
/// (column, row). In a nonnegative block row == column.
struct SdpEntry {
  std::uint32_t block = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  double value = 0;
};

/// A point of the space of X and Z: n x n for a semidefinite block, 1 x n (the diagonal) for a
/// nonnegative one.
using BlockMatrix = std::vector<DenseMatrix>;

/// An immutable semidefinite program, made by SdpBuilder. Two solvers may read it at once.
class MAXMARGIN_EXPORT SdpProblem {
 public:
  /// Without blocks and constraints.
  SdpProblem() : offsets_(1, 0) {}

  [[nodiscard]] std::span<const SdpBlock> blocks() const noexcept { return blocks_; }
  /// m.
  [[nodiscard]] std::size_t constraints() const noexcept { return rhs_.size(); }
  /// Sum of the sizes of the blocks: the order of X.
  [[nodiscard]] std::size_t order() const noexcept;
  /// C and A_i: row >= column, sorted by (block, row, column), every place once, no zeros.
  [[nodiscard]] std::span<const SdpEntry> cost() const noexcept { return cost_; }
  [[nodiscard]] std::span<const SdpEntry> constraint(std::size_t i) const {
    return std::span(entries_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  /// b.
  [[nodiscard]] std::span<const double> rhs() const noexcept { return rhs_; }
  /// A bound on the trace of a block of X that the builder's caller vouches for; unset: none.
  /// Bounds that follow from the constraints are found by implied_bounds.
  [[nodiscard]] std::optional<double> trace_bound(std::size_t block) const {
    return trace_bounds_[block];
  }
  /// The nonnegative block of the inequalities' slacks, if there are any.
  [[nodiscard]] std::optional<std::size_t> slack_block() const noexcept { return slack_block_; }
  /// Numbers in a point. Throws InvalidArgument when they do not fit the address space.
  [[nodiscard]] std::size_t point_numbers() const;
  /// X = 0 in its shape. Throws InvalidArgument when it does not fit the machine's memory.
  [[nodiscard]] BlockMatrix zero_point() const;
  /// Throws InvalidArgument, beginning with `who`, when a point has another shape or an entry that
  /// is not finite.
  void check_point(const BlockMatrix& point, const char* who) const;

 private:
  friend class SdpBuilder;

  std::vector<SdpBlock> blocks_ = {};
  std::vector<SdpEntry> cost_ = {};
  std::vector<SdpEntry> entries_ = {};
  std::vector<std::size_t> offsets_;
  std::vector<double> rhs_ = {};
  std::vector<std::optional<double>> trace_bounds_ = {};
  std::optional<std::size_t> slack_block_ = std::nullopt;
};

/// The side of an inequality.
enum class SdpSense { at_most, at_least };

/// Gathers a program piece by piece. Entries may come in any order and in either triangle; entries
/// of one matrix at the same place (or mirrored) are added up. All functions throw InvalidArgument
/// for a block, row or column that does not exist, for an off-diagonal entry of a nonnegative
/// block, and for numbers that are not finite.
class MAXMARGIN_EXPORT SdpBuilder {
 public:
  /// Returns the number of the block. A block may have size 0.
  std::size_t add_block(SdpCone cone, std::size_t size);
  /// Adds to C.
  void add_cost(SdpEntry entry);
  /// <A, X> = rhs; returns the number of the constraint.
  std::size_t add_equality(std::span<const SdpEntry> entries, double rhs);
  /// <A, X> <= rhs or >= rhs, as an equality with a slack of coefficient +1 or -1 in a nonnegative
  /// block that build() appends. The multiplier y_i is then <= 0 or >= 0 at a dual feasible point.
  std::size_t add_inequality(std::span<const SdpEntry> entries, SdpSense sense, double rhs);
  /// Vouches that the trace of this block of X is at most `bound` for every feasible X (or for one
  /// optimal X at least): certified_lower_bound relies on it. Requires bound >= 0, finite.
  void bound_trace(std::size_t block, double bound);
  /// The program; the builder is empty afterwards.
  [[nodiscard]] SdpProblem build();

 private:
  void check(const SdpEntry& entry) const;
  std::size_t add_constraint(std::span<const SdpEntry> entries, double rhs);

  SdpProblem problem_ = {};
  std::vector<std::pair<std::size_t, double>> slacks_ = {};
};

}  // namespace maxmargin
