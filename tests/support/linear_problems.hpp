// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/linear_risk.hpp"

/// Problems of linear machines for tests, and their objectives straight from the formulas.
namespace maxmargin::testing {

inline constexpr std::array<LinearLoss, 5> all_linear_losses = {
    LinearLoss::hinge,
    LinearLoss::squared_hinge,
    LinearLoss::logistic,
    LinearLoss::epsilon_insensitive,
    LinearLoss::squared_epsilon_insensitive};

/// A problem that owns its data: sparse and dense copies of the same examples.
struct LinearCase {
  DenseMatrix dense = {};
  SparseMatrix sparse = {};
  std::vector<double> targets = {};
  std::vector<double> weights = {};

  [[nodiscard]] LinearRisk problem(LinearLoss loss, double c = 1, double bias = 0) const {
    return {.examples = sparse.view(),
            .targets = targets,
            .weights = weights,
            .c = c,
            .loss = loss,
            .penalty = LinearPenalty::l2,
            .epsilon = 0.1,
            .bias = bias};
  }
};

inline LinearCase linear_case(DenseMatrix examples, std::vector<double> targets) {
  LinearCase result;
  result.sparse = to_sparse(examples.view());
  result.dense = std::move(examples);
  result.targets = std::move(targets);
  return result;
}

/// About half of the entries are zero. Targets follow a plane with noise: signs, or numbers.
inline LinearCase random_linear_case(std::size_t n,
                                     std::size_t d,
                                     bool classification,
                                     std::uint64_t seed) {
  Rng rng(seed, "linear case");
  std::vector<double> plane(d);
  for (double& value : plane) value = rng.normal();
  DenseMatrix examples(n, d);
  std::vector<double> targets(n);
  for (std::size_t i = 0; i < n; ++i) {
    double score = rng.normal();
    for (std::size_t j = 0; j < d; ++j) {
      if (rng.bernoulli(0.5)) examples(i, j) = rng.normal();
      score += examples(i, j) * plane[j];
    }
    targets[i] = classification ? (score > 0 ? 1.0 : -1.0) : score;
  }
  return linear_case(std::move(examples), std::move(targets));
}

/// The two nearer kinds of Iris: versicolor -1, virginica +1. For regression the petal width from
/// the other three lengths.
inline LinearCase iris_pair(bool classification) {
  const Dataset data = iris();
  const std::size_t d = classification ? 4 : 3;
  DenseMatrix examples(100, d);
  std::vector<double> targets(100);
  for (std::size_t i = 0; i < 100; ++i) {
    const Row row = data.examples.row(50 + i);
    for (std::size_t j = 0; j < d; ++j) examples(i, j) = row.at(j);
    targets[i] = classification ? (i < 50 ? -1.0 : 1.0) : row.at(3);
  }
  return linear_case(std::move(examples), std::move(targets));
}

/// The loss as on the docs page.
inline double loss_by_formula(LinearLoss loss, double epsilon, double score, double target) {
  const double slack = std::max(0.0, 1 - target * score);
  const double outside = std::max(0.0, std::abs(score - target) - epsilon);
  switch (loss) {
    case LinearLoss::hinge:
      return slack;
    case LinearLoss::squared_hinge:
      return slack * slack;
    case LinearLoss::logistic:
      return std::log(1 + std::exp(-target * score));
    case LinearLoss::epsilon_insensitive:
      return outside;
    case LinearLoss::squared_epsilon_insensitive:
      return outside * outside;
  }
  return 0;
}

/// P(w), from the dense copy.
inline double primal_by_formula(const LinearCase& data,
                                const LinearRisk& problem,
                                std::span<const double> w) {
  double sum = 0;
  for (const double value : w) {
    sum += problem.penalty == LinearPenalty::l2 ? value * value / 2 : std::abs(value);
  }
  for (std::size_t i = 0; i < data.dense.rows(); ++i) {
    double score = problem.bias != 0 ? problem.bias * w.back() : 0.0;
    for (std::size_t j = 0; j < data.dense.cols(); ++j) score += data.dense(i, j) * w[j];
    const double weight = problem.weights.empty() ? 1.0 : problem.weights[i];
    if (weight == 0) continue;
    sum += problem.c * weight *
           loss_by_formula(problem.loss, problem.epsilon, score, problem.targets[i]);
  }
  return sum;
}

}  // namespace maxmargin::testing
