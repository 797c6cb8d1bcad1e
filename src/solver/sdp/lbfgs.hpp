// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "solver/sdp/factored.hpp"

namespace maxmargin {

/// The two-loop recursion of L-BFGS over factors.
class LbfgsMemory {
 public:
  /// -H g; the negative gradient while nothing is remembered.
  [[nodiscard]] Factor direction(const Factor& gradient) const;
  /// Remembers a step and the change of the gradient along it, unless the curvature is not
  /// positive.
  void remember(Factor step, Factor change);
  void clear() { pairs_.clear(); }

 private:
  static constexpr std::size_t length = 8;
  struct Pair {
    Factor step = {};
    Factor change = {};
    double curvature = 0;
  };
  std::deque<Pair> pairs_ = {};
};

/// alpha > 0 where p1 a + p2 a^2 + p3 a^3 + p4 a^4 has a minimum below 0; empty when it falls
/// without end. Requires p1 < 0 and p4 >= 0.
[[nodiscard]] std::optional<double> least_of_quartic(double p1, double p2, double p3, double p4);

}  // namespace maxmargin
