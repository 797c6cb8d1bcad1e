// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "solver/sdp/scaled.hpp"

namespace maxmargin {

/// A point in the interior of the cone with its Cholesky factors L, kept as W = (L^-1)': what an
/// interior-point step asks of X and of Z.
class ConePoint {
 public:
  /// Multiples of the identity, one a block.
  ConePoint(const ScaledSdp& program, const std::vector<double>& multiples, std::size_t threads);
  /// Another point; false, and no change, when it is not in the interior beyond rounding.
  [[nodiscard]] bool set(BlockMatrix point);
  [[nodiscard]] const BlockMatrix& point() const noexcept { return point_; }
  /// The inverse, in full.
  [[nodiscard]] BlockMatrix inverse() const;
  /// The largest step, at most `most`, along which the point stays in the cone, to about a percent.
  [[nodiscard]] double longest_step(const BlockMatrix& direction, double most) const;

 private:
  [[nodiscard]] double least_ratio(std::size_t block, const DenseMatrix& direction) const;

  const ScaledSdp* program_;
  std::size_t threads_;
  BlockMatrix point_ = {};
  /// (L^-1)' of semidefinite blocks: row k is the solution of L w = e_k.
  BlockMatrix inverse_factors_ = {};
};

/// C = A B for square blocks on several threads; the same bits for any number of them.
void multiply(const DenseMatrix& a, const DenseMatrix& b, DenseMatrix& c, std::size_t threads);

}  // namespace maxmargin
