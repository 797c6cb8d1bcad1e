// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/fisher.hpp"

#include <cmath>

#include "metric/check.hpp"
#include "metric/ratio.hpp"

namespace maxmargin {

namespace {

struct Moments {
  double count = 0;
  double mean = 0;
  double variance = 0;
};

/// Of the projections of class `side`; summed as differences to the first, so that equal
/// values have variance 0.
Moments moments_of(std::span<const double> projections,
                   std::span<const std::int32_t> truth,
                   std::int32_t side) {
  Moments moments;
  double origin = 0;
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] != side) continue;
    if (moments.count == 0) origin = projections[i];
    ++moments.count;
    sum += projections[i] - origin;
  }
  if (moments.count == 0) return moments;
  moments.mean = origin + sum / moments.count;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] != side) continue;
    const double deviation = projections[i] - moments.mean;
    moments.variance += deviation * deviation / moments.count;
  }
  return moments;
}

}  // namespace

double fisher_ratio(std::span<const double> projections, std::span<const std::int32_t> truth) {
  check_same_length("fisher_ratio", "projections", projections.size(), truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    require_field(truth[i] >= -1 && truth[i] <= 1, "fisher_ratio: truth", truth[i], "-1, 0 or 1");
    require_field(
        std::isfinite(projections[i]), "fisher_ratio: a projection", projections[i], "finite");
  }
  const Moments negative = moments_of(projections, truth, 0);
  const Moments positive = moments_of(projections, truth, 1);
  if (negative.count == 0 || positive.count == 0) return undefined;
  const double gap = positive.mean - negative.mean;
  return gap * gap / (positive.variance + negative.variance);
}

}  // namespace maxmargin
