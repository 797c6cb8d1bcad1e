// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace maxmargin {

/// Minimises t s + sum_v h_v(centre_v - t) over t, with h_v(z) = max over b in [lower, upper] of
/// b z - 1/2 ridge b^2: the offset of a group of variables (docs/algorithms/smo.md, step 2). A
/// convex function whose derivative is s less the sum of the maximisers b; it is found by halving
/// an interval, and the middle is taken where the derivative is zero on a stretch.
class OffsetSearch {
 public:
  struct Term {
    double centre;
    double lower;
    double upper;
    double ridge;
  };
  void add(const Term& term) { terms_.push_back(term); }
  /// Requires finite bounds or ridges > 0.
  [[nodiscard]] double best(double sum) const;
  /// sum_v h_v(centre_v - t)
  [[nodiscard]] double cost(double t) const;
  /// h_v(centre_v - t) of one term.
  [[nodiscard]] static double cost(const Term& term, double t);

 private:
  std::vector<Term> terms_;
};

}  // namespace maxmargin
