// SPDX-License-Identifier: Apache-2.0
#include "solver/smo/offset_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double maximiser(const OffsetSearch::Term& term, double z) {
  if (term.ridge > 0) return std::clamp(z / term.ridge, term.lower, term.upper);
  return z > 0 ? term.upper : term.lower;
}

}  // namespace

double OffsetSearch::cost(const Term& term, double t) {
  const double z = term.centre - t;
  const double b = maximiser(term, z);
  return b != 0 && z != 0 ? b * (z - 0.5 * term.ridge * b) : 0.0;
}

double OffsetSearch::cost(double t) const {
  double total = 0;
  for (const Term& term : terms_) total += cost(term, t);
  return total;
}

double OffsetSearch::best(double sum) const {
  if (terms_.empty()) return 0;
  double low = infinity;
  double high = -infinity;
  double scale = std::abs(sum);
  for (const Term& term : terms_) {
    const double reach_low =
        term.ridge > 0 && std::isfinite(term.upper) ? term.ridge * term.upper : 0;
    const double reach_high =
        term.ridge > 0 && std::isfinite(term.lower) ? term.ridge * term.lower : 0;
    low = std::min(low, term.centre - reach_low);
    high = std::max(high, term.centre - reach_high);
    if (std::isfinite(term.upper)) scale += std::abs(term.upper);
    if (std::isfinite(term.lower)) scale += std::abs(term.lower);
  }
  const auto slope = [&](double t) {
    double total = sum;
    for (const Term& term : terms_) total -= maximiser(term, term.centre - t);
    return total;
  };
  // Infinite bounds with ridges may pull the minimiser beyond all centres. Without them the slope
  // is constant there: a wrong sign is the rounding of a sum that all the bounds add up to.
  const bool unbounded = std::ranges::any_of(
      terms_, [](const Term& t) { return std::isinf(t.lower) || std::isinf(t.upper); });
  if (unbounded) {
    for (double width = std::max(1.0, high - low); slope(low) > 0 && std::isfinite(low);
         width *= 2) {
      low -= width;
    }
    for (double width = std::max(1.0, high - low); slope(high) < 0 && std::isfinite(high);
         width *= 2) {
      high += width;
    }
  }
  // Terms whose maximiser is the same all over [low, high] are added up once.
  std::vector<Term> open = terms_;
  double settled = sum;
  const auto settle = [&] {
    std::erase_if(open, [&](const Term& term) {
      const double at_low = maximiser(term, term.centre - low);
      if (term.centre == low || at_low != maximiser(term, term.centre - high)) return false;
      settled -= at_low;
      return true;
    });
  };
  const bool curved = std::ranges::any_of(terms_, [](const Term& t) { return t.ridge > 0; });
  const double flat = 1e-13 * scale;
  constexpr int halvings = 200;
  for (int round = 0; round < halvings; ++round) {
    const double middle = low + 0.5 * (high - low);
    if (middle <= low || middle >= high) break;
    double at = settled;
    for (const Term& term : open) at -= maximiser(term, term.centre - middle);
    if (std::abs(at) <= flat) {
      if (curved) return middle;
      // Flat between the nearest bends on both sides: take their middle.
      double left = low;
      double right = high;
      for (const Term& term : open) {
        if (term.lower == term.upper) continue;
        if (term.centre <= middle) left = std::max(left, term.centre);
        if (term.centre >= middle) right = std::min(right, term.centre);
      }
      return left + 0.5 * (right - left);
    }
    (at < 0 ? low : high) = middle;
    settle();
  }
  return high;
}

}  // namespace maxmargin
