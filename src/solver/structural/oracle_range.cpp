// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/oracle_range.hpp"

#include "core/parallel.hpp"

namespace maxmargin {

void PlaneSum::add(double weight, const CompactPlane& plane, double at_w) {
  if (at_w <= 0) return;
  value += weight * at_w;
  offset += weight * plane.offset();
  if (!slope.empty()) plane.add_to(weight, slope);
}

void largest_planes(const StructuralRisk& risk,
                    std::size_t begin,
                    std::span<const double> w,
                    std::size_t threads,
                    std::span<CompactPlane> planes,
                    std::span<double> values) {
  parallel_chunks(threads, planes.size(), 1, [&](std::size_t k, std::size_t, std::size_t) {
    StructuralPlane plane;
    risk.largest_plane(begin + k, w, plane);
    planes[k] = CompactPlane(plane);
    values[k] = planes[k].value(w);
  });
}

}  // namespace maxmargin
