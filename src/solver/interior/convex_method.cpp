// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/convex_method.hpp"

namespace maxmargin {

void describe_method(OptionVisitor& visit,
                     ConvexMethod& method,
                     const std::optional<double>& kkt_tolerance) {
  visit.name({.name = "solver",
              .help = "interior-point: few steps at any scale of the features; auto: when "
                      "first-order is slow"},
             method);
  visit.rule(method != ConvexMethod::interior_point || !kkt_tolerance,
             "--solver interior-point stops by the gap: --kkt-tolerance is for the others");
}

}  // namespace maxmargin
