// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "maxmargin/problem/structural/risk.hpp"
#include "solver/structural/compact_plane.hpp"

namespace maxmargin {

/// A sum of weighted planes, in the order in which they came.
struct PlaneSum {
  explicit PlaneSum(std::span<double> room) : slope(room) {}
  /// The plane of an example of this weight and its value at the w of the sum. Below 0 the plane 0
  /// is at least as good; what is not a number goes on, to be seen in the value.
  void add(double weight, const CompactPlane& plane, double at_w);

  double offset = 0;
  double value = 0;
  /// Dense; empty: the slope is not wanted.
  std::span<double> slope;
};

/// The largest planes at w of the examples from `begin` on, as many as there is room for, and their
/// values; on several threads. The one place where an oracle is asked for examples in their order:
/// what answers for a batch, or on another machine, replaces it alone.
void largest_planes(const StructuralRisk& risk,
                    std::size_t begin,
                    std::span<const double> w,
                    std::size_t threads,
                    std::span<CompactPlane> planes,
                    std::span<double> values);

}  // namespace maxmargin
