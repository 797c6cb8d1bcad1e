// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "label_cases.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Plain twins for machines that may give up examples, and the points of their golden values.
namespace maxmargin {

/// max over [0, 1]^n of eta'l - 1/2 l'(c Q o M) l by coordinate ascent until nothing moves.
inline double plain_weight_omega(DenseView q, double c, std::span<const double> eta, DenseView m) {
  const std::size_t n = q.rows;
  std::vector<double> l(n, 0.0);
  for (std::size_t pass = 0; pass < 200000; ++pass) {
    double moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double rest = eta[i];
      for (std::size_t j = 0; j < n; ++j) {
        if (j != i) rest -= c * q(i, j) * m(i, j) * l[j];
      }
      const double own = c * q(i, i) * m(i, i);
      const double next = own > 0 ? std::clamp(rest / own, 0.0, 1.0) : (rest > 0 ? 1.0 : 0.0);
      moved = std::max(moved, std::abs(next - l[i]));
      l[i] = next;
    }
    if (moved < 1e-15) break;
  }
  double value = 0;
  for (std::size_t i = 0; i < n; ++i) {
    value += eta[i] * l[i];
    for (std::size_t j = 0; j < n; ++j) value -= 0.5 * c * q(i, j) * m(i, j) * l[i] * l[j];
  }
  return value;
}

/// The hinge machine on the examples of a set, one bit each: seed-xu fact 59, as weights of 0 and 1
/// are the machine on what is kept.
inline double subset_omega(DenseView q, double c, std::uint32_t subset) {
  const std::size_t n = q.rows;
  std::vector<double> eta(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) eta[i] = ((subset >> i) & 1U) != 0 ? 1.0 : 0.0;
  DenseMatrix m(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) m(i, j) = eta[i] * eta[j];
  }
  return plain_weight_omega(q, c, eta, m.view());
}

/// The least of 1/(2 c) |w|^2 + sum of min(1, hinge), over all subsets.
inline double brute_force_robust(DenseView q, double c) {
  const auto n = static_cast<std::uint32_t>(q.rows);
  double best = std::numeric_limits<double>::infinity();
  for (std::uint32_t subset = 0; subset < (1U << n); ++subset) {
    const double dropped = n - static_cast<double>(__builtin_popcount(subset));
    if (dropped < best) best = std::min(best, dropped + subset_omega(q, c, subset));
  }
  return best;
}

/// The least hinge machine on at least `kept` examples: on exactly so many, as more cost more.
inline double brute_force_subset(DenseView q, double c, int kept) {
  double best = std::numeric_limits<double>::infinity();
  for (std::uint32_t subset = 0; subset < (1U << q.rows); ++subset) {
    if (__builtin_popcount(subset) == kept) best = std::min(best, subset_omega(q, c, subset));
  }
  return best;
}

/// K o y y'.
inline DenseMatrix with_labels(DenseMatrix gram, std::span<const std::int8_t> labels) {
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j < gram.rows(); ++j) gram(i, j) *= labels[i] * labels[j];
  }
  return gram;
}

/// Golden R of the notes on Xu's thesis: the last example is on the wrong side.
inline DenseMatrix golden_r() {
  const std::vector<std::int8_t> labels = {1, 1, 1, -1, -1, -1, 1};
  return with_labels(
      linear_gram({{1, 0.5}, {2, 0}, {1.5, -0.5}, {-1, 0}, {-2, 0.5}, {-1.5, -0.5}, {-6, 1}}),
      labels);
}

/// Random examples of which some have the wrong label.
inline DenseMatrix noisy_examples(std::size_t n, std::uint64_t seed, bool linear) {
  Rng rng(seed, "weight cases");
  std::vector<std::vector<double>> points;
  std::vector<std::int8_t> labels;
  for (std::size_t i = 0; i < n; ++i) {
    const double side = i % 2 == 0 ? 1.0 : -1.0;
    points.push_back({side + rng.normal(), rng.normal()});
    labels.push_back(static_cast<std::int8_t>(rng.uniform(0, 1) < 0.2 ? -side : side));
  }
  return with_labels(linear ? linear_gram(points) : rbf_gram(points, 0.7), labels);
}

}  // namespace maxmargin
