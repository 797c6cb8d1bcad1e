// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/oracle_range.hpp"

#include <numeric>
#include <vector>

#include "core/parallel.hpp"

namespace maxmargin {

void PlaneSum::add(double weight, const CompactPlane& plane, double at_w) {
  if (at_w <= 0) return;
  value += weight * at_w;
  offset += weight * plane.offset();
  if (!slope.empty()) plane.add_to(weight, slope);
}

void ask_oracle(const StructuralRisk& risk,
                std::span<const std::size_t> examples,
                std::span<const double> w,
                std::size_t threads,
                const PlaneTaker& take) {
  parallel_chunks(threads, examples.size(), 1, [&](std::size_t k, std::size_t, std::size_t) {
    StructuralPlane plane;
    risk.largest_plane(examples[k], w, plane);
    take(k, plane);
  });
}

PlaneSum sum_of_largest_planes(const StructuralRisk& risk,
                               std::size_t begin,
                               std::span<const double> w,
                               std::size_t threads,
                               std::span<CompactPlane> planes,
                               PlaneSum sum,
                               const PlaneMender& mend) {
  std::vector<std::size_t> examples(planes.size());
  std::iota(examples.begin(), examples.end(), begin);
  std::vector<double> values(planes.size());
  ask_oracle(risk, examples, w, threads, [&](std::size_t k, StructuralPlane& plane) {
    planes[k] = CompactPlane(plane);
    values[k] = planes[k].value(w);
  });
  for (std::size_t k = 0; k < planes.size(); ++k) {
    if (mend) mend(examples[k], planes[k], values[k]);
    sum.add(risk.weight(examples[k]), planes[k], values[k]);
  }
  return sum;
}

}  // namespace maxmargin
