// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "maxmargin/problem/structural/risk.hpp"
#include "solver/structural/compact_plane.hpp"

/// The one place where solvers ask an oracle: what answers for a batch, or on another machine,
/// replaces ask_oracle, or the sum over a range, alone.
namespace maxmargin {

/// Is told of the plane of examples[k], whose content it may take; by several threads, in any
/// order.
using PlaneTaker = std::function<void(std::size_t k, StructuralPlane& plane)>;

/// The largest planes at w of some examples, on several threads.
void ask_oracle(const StructuralRisk& risk,
                std::span<const std::size_t> examples,
                std::span<const double> w,
                std::size_t threads,
                const PlaneTaker& take);

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

/// Where an oracle misses: may put a plane in place that is known to be larger at w.
using PlaneMender = std::function<void(std::size_t example, CompactPlane& plane, double& value)>;

/// `sum` and behind it, in their order, the largest planes at w of the examples from `begin` on, as
/// many as there is room for; the planes stay for the caller.
[[nodiscard]] PlaneSum sum_of_largest_planes(const StructuralRisk& risk,
                                             std::size_t begin,
                                             std::span<const double> w,
                                             std::size_t threads,
                                             std::span<CompactPlane> planes,
                                             PlaneSum sum,
                                             const PlaneMender& mend = {});

}  // namespace maxmargin
