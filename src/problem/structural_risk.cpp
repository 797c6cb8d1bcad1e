// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/structural_risk.hpp"

#include <algorithm>

namespace maxmargin {

StructuralRisk::~StructuralRisk() = default;

double structural_primal(const StructuralRisk& risk, double c, std::span<const double> w) {
  double sum = 0;
  for (const double x : w) sum += 0.5 * x * x;
  StructuralPlane plane;
  for (std::size_t i = 0; i < risk.examples(); ++i) {
    risk.largest_plane(i, w, plane);
    sum += c * risk.weight(i) * std::max(0.0, plane.offset - plane.slope.dot(w));
  }
  return sum;
}

}  // namespace maxmargin
