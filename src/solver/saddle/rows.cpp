// SPDX-License-Identifier: Apache-2.0
#include "solver/saddle/rows.hpp"

#include <algorithm>
#include <numeric>

#include "linalg/blas.hpp"

namespace maxmargin::saddle {

PointRows PointRows::all(std::size_t points) {
  PointRows rows;
  rows.points_ = points;
  rows.own_points_.resize(points);
  std::iota(rows.own_points_.begin(), rows.own_points_.end(), std::size_t{0});
  return rows;
}

PointRows PointRows::anchored(std::size_t points, std::span<const signed char> labels) {
  if (std::ranges::all_of(labels, [](signed char label) { return label == 0; })) {
    return all(points);
  }
  PointRows rows;
  rows.points_ = points;
  rows.hub_.assign(labels.begin(), labels.end());
  for (std::size_t i = 0; i < points; ++i) {
    if (labels[i] == 0) rows.own_points_.push_back(i);
  }
  return rows;
}

PointRows PointRows::halves(std::size_t points) {
  PointRows rows = all(points);
  rows.own_ = 0.5;
  rows.hub_.assign(points, 0.5);
  return rows;
}

DenseView PointRows::expand(DenseView v, DenseMatrix& storage) const {
  if (is_identity()) return v;
  if (storage.rows() != points_ || storage.cols() != v.cols) {
    storage = DenseMatrix(points_, v.cols);
  }
  std::ranges::fill(storage.values(), 0.0);
  for (std::size_t i = 0; i < points_; ++i) {
    if (hub_[i] != 0) axpy(hub_[i], v.row(0), storage.row(i));
  }
  for (std::size_t k = 0; k < own_points_.size(); ++k) {
    axpy(own_, v.row(k + 1), storage.row(own_points_[k]));
  }
  return storage.view();
}

void PointRows::pull_back(DenseView points, MutableDenseView rows) const {
  if (is_identity()) return;
  const std::span<double> first = rows.row(0);
  std::ranges::fill(first, 0.0);
  for (std::size_t i = 0; i < points_; ++i) {
    if (hub_[i] != 0) axpy(hub_[i], points.row(i), first);
  }
  for (std::size_t k = 0; k < own_points_.size(); ++k) {
    const std::span<const double> from = points.row(own_points_[k]);
    const std::span<double> to = rows.row(k + 1);
    for (std::size_t j = 0; j < to.size(); ++j) to[j] = own_ * from[j];
  }
}

}  // namespace maxmargin::saddle
