// SPDX-License-Identifier: Apache-2.0
#include "solver/sdp/lbfgs.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace maxmargin {

Factor LbfgsMemory::direction(const Factor& gradient) const {
  Factor q = gradient;
  std::vector<double> weights(pairs_.size());
  for (std::size_t i = pairs_.size(); i-- > 0;) {
    weights[i] = inner_product(pairs_[i].step, q) / pairs_[i].curvature;
    add_blocks(-weights[i], pairs_[i].change, q);
  }
  double scale = -1;
  if (!pairs_.empty()) {
    const Pair& last = pairs_.back();
    scale = -last.curvature / inner_product(last.change, last.change);
  }
  for (DenseMatrix& block : q) {
    for (double& value : block.values()) value *= scale;
  }
  // q is -H0 g now; the second loop adds what the pairs know.
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const double back = inner_product(pairs_[i].change, q) / pairs_[i].curvature;
    add_blocks(-weights[i] - back, pairs_[i].step, q);
  }
  return q;
}

void LbfgsMemory::remember(Factor step, Factor change) {
  const double curvature = inner_product(step, change);
  const double sizes =
      std::sqrt(inner_product(step, step)) * std::sqrt(inner_product(change, change));
  if (!(curvature > 1e-10 * sizes)) return;
  if (pairs_.size() == length) pairs_.pop_front();
  pairs_.push_back({std::move(step), std::move(change), curvature});
}

std::optional<double> least_of_quartic(double p1, double p2, double p3, double p4) {
  const auto value = [&](double a) { return a * (p1 + a * (p2 + a * (p3 + a * p4))); };
  const auto slope = [&](double a) { return p1 + a * (2 * p2 + a * (3 * p3 + a * 4 * p4)); };
  double high = 1;
  for (int doubling = 0; !(slope(high) >= 0); ++doubling, high *= 2) {
    if (doubling == 60 || !std::isfinite(high)) return std::nullopt;
  }
  // A step over a hill would end above 0: come back until it does not.
  for (int attempt = 0; attempt < 60; ++attempt, high *= 0.5) {
    double low = 0;
    double up = high;
    for (int step = 0; step < 80 && up - low > 1e-15 * up; ++step) {
      const double middle = 0.5 * (low + up);
      (slope(middle) < 0 ? low : up) = middle;
    }
    if (value(low) < 0) return low;
  }
  return std::nullopt;
}

}  // namespace maxmargin
