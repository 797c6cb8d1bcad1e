// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"

/// Private to solver: docs/algorithms/saddle.md.
namespace maxmargin::saddle {

/// How the points hang on the unit rows V: W = T V, point i being
///
///   w_i = hub_i v_0 + own v_(row of i),
///
/// where the hub, row 0, may be absent and a point may have no row of its own.
class PointRows {
 public:
  /// Every point is a row.
  static PointRows all(std::size_t points);
  /// Points with a label, +1 or -1, are that multiple of the hub, the others rows of their own.
  /// Without any label (or with an empty span): all(points).
  static PointRows anchored(std::size_t points, std::span<const signed char> labels);
  /// w_i = (v_0 + v_i) / 2.
  static PointRows halves(std::size_t points);

  [[nodiscard]] std::size_t points() const noexcept { return points_; }
  [[nodiscard]] std::size_t rows() const noexcept { return own_points_.size() + first_own(); }
  [[nodiscard]] bool has_hub() const noexcept { return !hub_.empty(); }
  /// W = V.
  [[nodiscard]] bool is_identity() const noexcept { return hub_.empty(); }
  /// One a point; empty without a hub.
  [[nodiscard]] std::span<const double> hub() const noexcept { return hub_; }
  [[nodiscard]] double own() const noexcept { return own_; }
  /// The points that have rows, in the order of these; the first is row first_own().
  [[nodiscard]] std::span<const std::size_t> own_points() const noexcept { return own_points_; }
  [[nodiscard]] std::size_t first_own() const noexcept { return hub_.empty() ? 0 : 1; }

  /// T v: v itself when that is the same, else held by `storage`, which is fitted to it.
  [[nodiscard]] DenseView expand(DenseView v, DenseMatrix& storage) const;
  /// rows = T' points. Nothing happens for the identity, where both must be one place.
  void pull_back(DenseView points, MutableDenseView rows) const;

 private:
  PointRows() = default;

  std::size_t points_ = 0;
  double own_ = 1;
  std::vector<double> hub_;
  std::vector<std::size_t> own_points_;
};

}  // namespace maxmargin::saddle
