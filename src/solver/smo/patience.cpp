// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/interior-point.md
#include "solver/smo/patience.hpp"

#include <algorithm>
#include <cmath>

namespace maxmargin {

SmoPatience::SmoPatience(std::optional<double> other, double tolerance)
    : other_(other), tolerance_(tolerance) {
  if (!other_) return;
  next_look_ = std::clamp(*other_ * time_share, earliest_look, first_look) + *other_ * first_share;
}

bool SmoPatience::ends(double gap) {
  if (!other_) return false;
  least_gap_ = std::min(least_gap_, gap);
  if (operations_ < next_look_ / 2) {
    least_gap_before_ = least_gap_;
    return false;
  }
  if (operations_ < next_look_) return false;
  const bool too_long = operations_ > first_look + *other_ * last_share;
  const double fall = std::log(least_gap_before_ / least_gap_);
  const double wanted = std::log(least_gap_ / tolerance_);
  if (too_long || !(wanted <= doublings * fall)) return true;
  next_look_ = 2 * operations_;
  least_gap_before_ = least_gap_;
  return false;
}

}  // namespace maxmargin
