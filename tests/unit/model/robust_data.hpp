// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/kernel/svc.hpp"

/// Data and twins that the tests of robust machines share.
namespace maxmargin::robust_data {

inline Dataset dataset(const std::vector<std::vector<double>>& points, std::vector<double> labels) {
  DenseMatrix matrix(points.size(), points.empty() ? 0 : points.front().size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::ranges::copy(points[i], matrix.row(i).begin());
  }
  return {.examples = std::move(matrix), .labels = LabelColumn::from_numbers(std::move(labels))};
}

/// Golden data R of the spec: six points of two classes and an outlier, the last.
inline Dataset golden_r() {
  return dataset({{1, .5}, {2, 0}, {1.5, -.5}, {-1, 0}, {-2, .5}, {-1.5, -.5}, {-6, 1}},
                 {1, 1, 1, -1, -1, -1, 1});
}

/// Two overlapping classes in the plane; some labels are wrong.
inline Dataset noisy_points(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::vector<double>> points;
  std::vector<double> labels;
  for (std::size_t i = 0; i < n; ++i) {
    const double side = i % 2 == 0 ? 1 : -1;
    points.push_back({rng.normal(1.5 * side, 1), rng.normal()});
    labels.push_back(rng.bernoulli(0.15) ? -side : side);
  }
  labels[0] = 1;
  labels[1] = -1;
  return dataset(points, labels);
}

inline DenseMatrix values_on(const Classifier& model, const Dataset& data) {
  return decision_values(model.functions, data.examples, {.precision = ValuePrecision::exact});
}

/// Signed margins of a two-class model; the larger class is +1.
inline std::vector<double> margins_on(const Classifier& model, const Dataset& data) {
  const DenseMatrix values = values_on(model, data);
  const Classes classes = classes_of(data.labels);
  std::vector<double> margins;
  for (std::size_t i = 0; i < data.size(); ++i) {
    margins.push_back((classes.of_row[i] == 1 ? 1 : -1) * values(i, 0));
  }
  return margins;
}

/// |w|^2 of a two-class kernel model from its definition.
inline double squared_norm_of(const Classifier& model) {
  const auto& expansion = std::get<KernelExpansion>(model.functions);
  double sum = 0;
  for (std::size_t a = 0; a < expansion.vectors.rows(); ++a) {
    for (std::size_t b = 0; b < expansion.vectors.rows(); ++b) {
      sum += expansion.coefficients(a, 0) * expansion.coefficients(b, 0) *
             evaluate(expansion.kernel, expansion.vectors.row(a), expansion.vectors.row(b));
    }
  }
  return sum;
}

/// The plain machine that only sees the rows of `kept`; rows that are left out have weight 0.
inline double best_objective_of(
    const Dataset& data, std::uint32_t kept, double c, const Kernel& kernel, bool bias) {
  Dataset part = data;
  part.weights.assign(data.size(), 0.0);
  for (std::size_t i = 0; i < data.size(); ++i) part.weights[i] = (kept >> i) & 1U ? 1.0 : 0.0;
  return *train_svc(part,
                    {.c = c,
                     .kernel = kernel,
                     .bias = bias,
                     .control = {.tolerance = 1e-9, .context = {.threads = 1}}})
              .report.primal_objective;
}

/// The least ramp objective (s = 0) by brute force over all sets of outliers.
inline double brute_force_ramp(const Dataset& data, double c, const Kernel& kernel, bool bias) {
  double best = INFINITY;
  for (std::uint32_t kept = 0; kept < (1U << data.size()); ++kept) {
    double left_out = 0;
    for (std::size_t i = 0; i < data.size(); ++i) left_out += (kept >> i) & 1U ? 0 : 1;
    if (c * left_out >= best) continue;
    best = std::min(best, c * left_out + best_objective_of(data, kept, c, kernel, bias));
  }
  return best;
}

}  // namespace maxmargin::robust_data
