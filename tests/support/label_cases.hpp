// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Plain twins for maximum-margin clustering and the points of its golden values.
namespace maxmargin {

/// The l in [0, 1]^n of the largest e'l - 1/2 l'(c K o M) l, by coordinate ascent until nothing
/// moves.
inline std::vector<double> plain_lambda(DenseView kernel, double c, DenseView m) {
  const std::size_t n = kernel.rows;
  std::vector<double> l(n, 0.0);
  for (std::size_t pass = 0; pass < 200000; ++pass) {
    double moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double rest = 1;
      for (std::size_t j = 0; j < n; ++j) {
        if (j != i) rest -= c * kernel(i, j) * m(i, j) * l[j];
      }
      const double own = c * kernel(i, i) * m(i, i);
      const double next = own > 0 ? std::clamp(rest / own, 0.0, 1.0) : (rest > 0 ? 1.0 : 0.0);
      moved = std::max(moved, std::abs(next - l[i]));
      l[i] = next;
    }
    if (moved < 1e-15) break;
  }
  return l;
}

/// omega(M), that largest value.
inline double plain_omega(DenseView kernel, double c, DenseView m) {
  const std::vector<double> l = plain_lambda(kernel, c, m);
  double value = 0;
  for (std::size_t i = 0; i < l.size(); ++i) {
    value += l[i];
    for (std::size_t j = 0; j < l.size(); ++j) {
      value -= 0.5 * c * kernel(i, j) * m(i, j) * l[i] * l[j];
    }
  }
  return value;
}

inline DenseMatrix outer_product(std::span<const std::int8_t> signs) {
  DenseMatrix m(signs.size(), signs.size());
  for (std::size_t i = 0; i < signs.size(); ++i) {
    for (std::size_t j = 0; j < signs.size(); ++j) m(i, j) = signs[i] * signs[j];
  }
  return m;
}

/// The least omega(y y') over all labellings with |e'y| <= imbalance, and one that has it.
struct BruteForceLabels {
  double omega = std::numeric_limits<double>::infinity();
  std::vector<std::int8_t> signs = {};
};
inline BruteForceLabels brute_force_labels(DenseView kernel, double c, double imbalance) {
  const std::size_t n = kernel.rows;
  BruteForceLabels best;
  for (std::uint32_t bits = 0; bits < (1U << (n - 1)); ++bits) {  // y and -y are the same
    std::vector<std::int8_t> signs(n, 1);
    int sum = 1;
    for (std::size_t i = 1; i < n; ++i) {
      if ((bits >> (i - 1)) & 1U) signs[i] = -1;
      sum += signs[i];
    }
    if (std::abs(sum) > imbalance) continue;
    const double omega = plain_omega(kernel, c, outer_product(signs).view());
    if (omega < best.omega) best = {omega, signs};
  }
  return best;
}

inline DenseMatrix linear_gram(const std::vector<std::vector<double>>& points) {
  DenseMatrix gram(points.size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < points[i].size(); ++k) sum += points[i][k] * points[j][k];
      gram(i, j) = sum;
    }
  }
  return gram;
}

inline DenseMatrix rbf_gram(const std::vector<std::vector<double>>& points, double gamma) {
  DenseMatrix gram(points.size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < points[i].size(); ++k) {
        sum += (points[i][k] - points[j][k]) * (points[i][k] - points[j][k]);
      }
      gram(i, j) = std::exp(-gamma * sum);
    }
  }
  return gram;
}

inline std::vector<std::vector<double>> normal_points(std::size_t n,
                                                      std::size_t d,
                                                      std::uint64_t seed) {
  Rng rng(seed, "label cases");
  std::vector<std::vector<double>> points(n, std::vector<double>(d));
  for (auto& point : points) {
    for (double& x : point) x = rng.normal();
  }
  return points;
}

/// Golden A and B of the notes on Xu's thesis.
inline DenseMatrix golden_a() {
  return linear_gram({{1, 0}, {2, 1}, {1.5, -1}, {-1, 0.5}, {-2, -0.5}, {-1.5, 1}});
}
inline DenseMatrix golden_b() { return rbf_gram({{0}, {0.5}, {1.2}, {3}, {3.4}, {4.1}}, 0.5); }

}  // namespace maxmargin
