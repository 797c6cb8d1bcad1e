// SPDX-License-Identifier: Apache-2.0
#include "problem/saddle/factored_saddle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

bool is_origin(const FactoredSaddle& problem, std::size_t i) {
  return (problem.missed.empty() || problem.missed[i] == 0) &&
         std::ranges::all_of(problem.features.row(i), [](double x) { return x == 0; });
}

/// g(a).
double gain(double a, double c) { return a <= c ? 0.5 * a : c - 0.5 * c * (c / a); }

/// There are some, and what they miss fits them.
void require_features(const FactoredSaddle& problem) {
  const DenseView features = problem.features;
  require(features.rows >= 1 && features.cols >= 1,
          "FactoredSaddle.features: there must be a point and a feature");
  require_field(problem.missed.empty() || problem.missed.size() == features.rows,
                "FactoredSaddle.missed",
                std::to_string(problem.missed.size()) + " numbers",
                "one a point or none");
  for (const double value : problem.missed) {
    require_field(
        value >= 0 && std::isfinite(value), "FactoredSaddle.missed", value, "finite and >= 0");
  }
  for (std::size_t i = 0; i < features.rows; ++i) {
    require(std::ranges::all_of(features.row(i), [](double x) { return std::isfinite(x); }),
            "FactoredSaddle.features: row " + std::to_string(i) + " is not finite");
  }
}

}  // namespace

void FactoredSaddle::describe(OptionVisitor& visit) {
  visit.number({.name = "C", .help = "weight of the losses; larger fits the points closer"},
               c,
               rules::positive);
  visit.check([this] { require_features(*this); });
}

double factored_saddle_bound(const FactoredSaddle& problem, std::span<const double> weights) {
  validate(problem);
  require(weights.size() == problem.size(),
          "factored_saddle_bound: there must be one weight a point");
  const std::size_t m = problem.features.cols;
  DenseMatrix sum(m, m);
  double missed = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double a = weights[i];
    require_field(
        a >= 0 && std::isfinite(a), "factored_saddle_bound: weight", a, "finite and >= 0");
    if (a == 0) continue;
    const auto z = problem.features.row(i);
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t k = 0; k <= j; ++k) sum(j, k) += a * z[j] * z[k];
    }
    if (!problem.missed.empty()) missed += a * problem.missed[i];
  }
  double trace = 0;
  for (std::size_t j = 0; j < m; ++j) trace += sum(j, j);
  // Every entry is a sum of n rounded products, none beyond the trace; LAPACK adds its own.
  const double rounding = (static_cast<double>(weights.size()) + 32 * static_cast<double>(m)) *
                          std::numeric_limits<double>::epsilon() * (trace + missed);
  const double largest = trace > 0 ? std::max(0.0, eigenvalues_symmetric(sum.view()).back()) : 0.0;
  const double scale = largest + missed + rounding;
  double bound = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (is_origin(problem, i)) {
      bound += problem.c;
    } else if (weights[i] > 0 && scale > 0) {
      bound += gain(weights[i] / scale, problem.c);
    }
  }
  return std::max(0.0,
                  bound * (1 - static_cast<double>(weights.size() + 8) *
                                   std::numeric_limits<double>::epsilon()));
}

double factored_saddle_value(const FactoredSaddle& problem, DenseView w) {
  require(w.rows == problem.features.cols, "factored_saddle_value: W must have one row a feature");
  double square = 0;
  for (std::size_t j = 0; j < w.rows; ++j) {
    for (const double x : w.row(j)) square += x * x;
  }
  double loss = 0;
  std::vector<double> image(w.cols);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    std::ranges::fill(image, 0.0);
    const auto z = problem.features.row(i);
    for (std::size_t j = 0; j < w.rows; ++j) {
      for (std::size_t k = 0; k < w.cols; ++k) image[k] += z[j] * w(j, k);
    }
    double length = 0;
    for (const double x : image) length += x * x;
    loss += std::max(0.0, 1 - std::sqrt(length));
  }
  return 0.5 * square + problem.c * loss;
}

}  // namespace maxmargin
