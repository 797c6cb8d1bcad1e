// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace maxmargin {

/// Few points, and the point of their affine hull that is nearest to 0. In extended precision: the
/// point is shorter than the points by as much as the margin is narrower than the data.
class AffineFace {
 public:
  using Number = long double;
  using Vector = std::vector<Number>;

  [[nodiscard]] std::size_t size() const noexcept { return points_.size(); }
  /// False, and nothing happens, when the point lies in the affine hull of the others.
  bool add(Vector point);
  /// Requires another point.
  void remove(std::size_t k);
  [[nodiscard]] const Vector& point(std::size_t k) const { return points_[k]; }

  struct Nearest {
    Vector weights;  ///< add up to 1, of any sign
    Vector point;    ///< perpendicular to all differences of the points
  };
  /// Requires a point.
  [[nodiscard]] Nearest nearest() const;

 private:
  bool append_edge(std::size_t k, bool if_independent);

  std::vector<Vector> points_;
  /// Orthonormal rows that span the edges points_[k] - points_[0], and the edges in terms of them.
  std::vector<Vector> basis_;
  std::vector<Vector> edges_;  ///< edges_[k - 1] has k coefficients
};

}  // namespace maxmargin
