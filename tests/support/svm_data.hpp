// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/model/classifier.hpp"
#include "point_sets.hpp"

/// Data sets for trainers, and what a trained machine says by plain sums.
namespace maxmargin::testing {

inline Dataset labelled(Examples examples, std::vector<double> labels) {
  return {.examples = std::move(examples), .labels = LabelColumn::from_numbers(std::move(labels))};
}

/// Two overlapping Gaussian classes -1 and 1 in three features.
inline Dataset two_classes(std::size_t n, std::uint64_t seed, double shift = 0.8) {
  DenseMatrix x = gaussian_points(n, 3, seed);
  std::vector<double> labels(n);
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = i % 2 == 0 ? 1 : -1;
    x(i, 0) += shift * labels[i];
  }
  return labelled(std::move(x), std::move(labels));
}

/// A sine with noise.
inline Dataset noisy_sine(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix x(n, 1);
  std::vector<double> targets(n);
  for (std::size_t i = 0; i < n; ++i) {
    x(i, 0) = rng.uniform(-3, 3);
    targets[i] = std::sin(x(i, 0)) + 0.2 * rng.normal();
  }
  return labelled(std::move(x), std::move(targets));
}

/// Rows of Iris: class `positive` becomes 1, class `negative` (or, when it is empty, all others)
/// -1.
inline Dataset iris_pair(const std::string& positive, const std::string& negative = "") {
  const Dataset all = iris();
  std::vector<std::size_t> rows;
  std::vector<double> labels;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = all.labels.at(i)->text();
    if (name != positive && !negative.empty() && name != negative) continue;
    rows.push_back(i);
    labels.push_back(name == positive ? 1 : -1);
  }
  return labelled(all.examples.select(rows), std::move(labels));
}

inline const KernelExpansion& expansion(const DecisionFunction& functions) {
  return std::get<KernelExpansion>(functions);
}

/// Function j at every example by plain sums of evaluate().
inline std::vector<double> values_by_formula(const KernelExpansion& machine,
                                             const Examples& examples,
                                             std::size_t function = 0) {
  std::vector<double> values;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    double value = machine.offsets[function];
    for (std::size_t k = 0; k < machine.vectors.rows(); ++k) {
      value += machine.coefficients(k, function) *
               evaluate(machine.kernel, machine.vectors.row(k), examples.row(i));
    }
    if (machine.minus_self) value -= evaluate(machine.kernel, examples.row(i), examples.row(i));
    values.push_back(value);
  }
  return values;
}

/// |w|^2 of function j.
inline double squared_norm(const KernelExpansion& machine, std::size_t function = 0) {
  const std::vector<double> f = values_by_formula(machine, machine.vectors, function);
  double norm = 0;
  for (std::size_t k = 0; k < f.size(); ++k) {
    const double self =
        machine.minus_self
            ? evaluate(machine.kernel, machine.vectors.row(k), machine.vectors.row(k))
            : 0.0;
    norm += machine.coefficients(k, function) * (f[k] - machine.offsets[function] + self);
  }
  return norm;
}

/// 1/2 |w|^2 + C sum_i weight_i max(0, 1 - y_i f_i) of a two-class machine on its training set.
inline double hinge_primal(const KernelExpansion& machine, const Dataset& data, double c) {
  const std::vector<double> f = values_by_formula(machine, data.examples);
  const double largest = *std::ranges::max_element(data.labels.numbers());
  double value = 0.5 * squared_norm(machine);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double sign = data.labels.numbers()[i] == largest ? 1 : -1;
    const double weight = data.weights.empty() ? 1.0 : data.weights[i];
    value += c * weight * std::max(0.0, 1 - sign * f[i]);
  }
  return value;
}

/// sum_i |b_i| - 1/2 |w|^2: the dual of a hinge machine.
inline double hinge_dual(const KernelExpansion& machine, std::size_t function = 0) {
  double value = -0.5 * squared_norm(machine, function);
  for (std::size_t k = 0; k < machine.vectors.rows(); ++k) {
    value += std::abs(machine.coefficients(k, function));
  }
  return value;
}

}  // namespace maxmargin::testing
