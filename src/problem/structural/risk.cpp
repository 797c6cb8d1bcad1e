// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/structural/risk.hpp"

namespace maxmargin {

StructuralRisk::~StructuralRisk() = default;

double structural_primal(const StructuralRisk& risk, double c, std::span<const double> w) {
  double sum = 0;
  for (const double x : w) sum += 0.5 * x * x;
  StructuralPlane plane;
  for (std::size_t i = 0; i < risk.examples(); ++i) {
    risk.largest_plane(i, w, plane);
    const double value = plane.offset - plane.slope.dot(w);
    // What is not a number goes on.
    if (!(value <= 0)) sum += c * risk.weight(i) * value;
  }
  return sum;
}

}  // namespace maxmargin
