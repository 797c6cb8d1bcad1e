// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/problem/kernel_machines.hpp"
#include "maxmargin/problem/svm_dual.hpp"

/// Problems of support vector machines for tests, and their objectives straight from the formulas.
namespace maxmargin::testing {

/// The Gram matrix, entry by entry.
inline DenseMatrix gram_by_formula(const Kernel& kernel, const Examples& examples) {
  DenseMatrix result(examples.rows(), examples.rows());
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    for (std::size_t j = 0; j < examples.rows(); ++j) {
      result(i, j) = evaluate(kernel, examples.row(i), examples.row(j));
    }
  }
  return result;
}

/// +1 and -1, both of them there.
inline std::vector<std::int8_t> random_signs(std::size_t n, Rng& rng) {
  std::vector<std::int8_t> signs(n);
  for (std::int8_t& sign : signs) sign = rng.bernoulli(0.5) ? 1 : -1;
  signs[0] = 1;
  if (n > 1) signs[1] = -1;
  return signs;
}

inline std::vector<double> random_weights(std::size_t n, Rng& rng) {
  std::vector<double> weights(n);
  for (double& weight : weights) weight = rng.uniform(0.2, 2.0);
  return weights;
}

/// A point within bounds and sums. Infinite bounds are cut at `reach`.
inline std::vector<double> random_feasible(const SvmDual& problem, Rng& rng, double reach = 3) {
  const std::size_t count = problem.variables();
  std::vector<double> b(count);
  std::vector<double> low(count);
  std::vector<double> high(count);
  std::vector<double> missing = problem.group_sum;
  for (std::size_t v = 0; v < count; ++v) {
    low[v] = std::max(problem.lower[v], -reach);
    high[v] = std::min(problem.upper[v], reach);
    // A share of the variables sits at a bound, as in a solution.
    const double u = rng.uniform(-0.5, 1.5);
    b[v] = low[v] + std::clamp(u, 0.0, 1.0) * (high[v] - low[v]);
    if (!problem.group.empty()) missing[problem.group[v]] -= b[v];
  }
  if (problem.group.empty()) return b;
  for (const std::size_t v : rng.permutation(count)) {
    const double to = std::clamp(b[v] + missing[problem.group[v]], low[v], high[v]);
    missing[problem.group[v]] -= to - b[v];
    b[v] = to;
  }
  return b;
}

/// f on every row of K.
inline std::vector<double> function_values(const SvmDual& problem,
                                           const DenseMatrix& k,
                                           std::span<const double> b) {
  std::vector<double> f(k.rows(), 0.0);
  for (std::size_t i = 0; i < k.rows(); ++i) {
    for (std::size_t v = 0; v < b.size(); ++v) f[i] += b[v] * k(problem.row_of(v), i);
  }
  return f;
}

inline double dual_by_formula(const SvmDual& problem,
                              const DenseMatrix& k,
                              std::span<const double> b) {
  double value = 0;
  for (std::size_t v = 0; v < b.size(); ++v) {
    for (std::size_t w = 0; w < b.size(); ++w) {
      value -= 0.5 * b[v] * b[w] * k(problem.row_of(v), problem.row_of(w));
    }
    if (!problem.ridge.empty()) value -= 0.5 * problem.ridge[v] * b[v] * b[v];
    value -= problem.linear[v] * b[v];
  }
  return value;
}

/// The least value of a convex function on [low, high].
inline double least_of_convex(const std::function<double(double)>& function,
                              double low,
                              double high) {
  constexpr double ratio = 0.6180339887498949;
  for (int round = 0; round < 120; ++round) {
    const double left = high - ratio * (high - low);
    const double right = low + ratio * (high - low);
    if (function(left) <= function(right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return function(0.5 * (low + high));
}

/// P(f, t) of SvmDual at given offsets. Bounds must be finite or have a ridge.
inline double primal_at_offsets(const SvmDual& problem,
                                const DenseMatrix& k,
                                std::span<const double> b,
                                std::span<const double> offsets) {
  const std::vector<double> f = function_values(problem, k, b);
  double value = 0;
  for (std::size_t v = 0; v < b.size(); ++v) value += 0.5 * b[v] * f[problem.row_of(v)];
  for (std::size_t g = 0; g < offsets.size(); ++g) value += offsets[g] * problem.group_sum[g];
  for (std::size_t v = 0; v < b.size(); ++v) {
    const double t = problem.group.empty() ? 0.0 : offsets[problem.group[v]];
    const double z = -f[problem.row_of(v)] - t - problem.linear[v];
    const double ridge = problem.ridge.empty() ? 0.0 : problem.ridge[v];
    const auto gain = [&](double at) { return at == 0 ? 0.0 : at * z - 0.5 * ridge * at * at; };
    double best = -std::numeric_limits<double>::infinity();
    for (const double at : {problem.lower[v], problem.upper[v]}) {
      if (std::isfinite(at)) best = std::max(best, gain(at));
    }
    if (ridge > 0) {
      best = std::max(best, gain(std::clamp(z / ridge, problem.lower[v], problem.upper[v])));
    }
    value += best;
  }
  return value;
}

/// The least P(f, t) over the offsets, each by a search of its own: they do not meet in any term.
inline double primal_by_search(const SvmDual& problem,
                               const DenseMatrix& k,
                               std::span<const double> b,
                               double reach = 1e3) {
  std::vector<double> offsets(problem.group_sum.size(), 0.0);
  double value = primal_at_offsets(problem, k, b, offsets);
  for (std::size_t g = 0; g < offsets.size(); ++g) {
    const double at_zero = primal_at_offsets(problem, k, b, offsets);
    const auto along = [&](double t) {
      std::vector<double> moved = offsets;
      moved[g] = t;
      return primal_at_offsets(problem, k, b, moved);
    };
    value += std::min(0.0, least_of_convex(along, -reach, reach) - at_zero);
  }
  return value;
}

/// One problem of each kind on the same matrix, with weights that differ.
struct NamedProblem {
  const char* name;
  SvmDual problem;
};
inline std::vector<NamedProblem> problems_of_every_kind(const SymmetricMatrix& matrix,
                                                        std::uint64_t seed,
                                                        bool hard = false) {
  Rng rng(seed, "problems");
  const std::size_t n = matrix.size();
  const std::vector<std::int8_t> signs = random_signs(n, rng);
  const std::vector<double> weights = random_weights(n, rng);
  std::vector<double> targets(n);
  for (double& target : targets) target = rng.normal();
  std::vector<NamedProblem> list;
  list.push_back({"c-svc", c_svc_dual(matrix, signs, weights, {.c = 0.7})});
  list.push_back({"c-svc, no bias", c_svc_dual(matrix, signs, weights, {.c = 2, .bias = false})});
  list.push_back(
      {"squared", c_svc_dual(matrix, signs, weights, {.c = 1.5, .slacks = SlackPower::two})});
  list.push_back(
      {"squared, no bias",
       c_svc_dual(matrix, signs, weights, {.c = 0.3, .slacks = SlackPower::two, .bias = false})});
  // Signs are random: a nu far below the largest one has no street at all, and 0 as its optimum.
  double positive = 0;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    total += weights[i];
    if (signs[i] > 0) positive += weights[i];
  }
  const double largest_nu = 2 * std::min(positive, total - positive) / total;
  list.push_back({"nu-svc", nu_svc_dual(matrix, signs, weights, 0.95 * largest_nu)});
  list.push_back({"svr", svr_dual(matrix, targets, weights, 0.9, 0.1, true)});
  list.push_back({"svr, no bias", svr_dual(matrix, targets, weights, 0.9, 0.2, false)});
  list.push_back({"nu-svr", nu_svr_dual(matrix, targets, weights, 1.1, 0.4)});
  list.push_back({"one-class", one_class_dual(matrix, weights, 0.3)});
  list.push_back({"svdd", svdd_dual(matrix, weights, 0.25)});
  list.push_back({"svdd, none outside", svdd_dual(matrix, weights, 0)});
  if (hard) {
    const double c = std::numeric_limits<double>::infinity();
    list.push_back({"hard", c_svc_dual(matrix, signs, weights, {.c = c})});
    list.push_back({"hard, no bias", c_svc_dual(matrix, signs, weights, {.c = c, .bias = false})});
  }
  return list;
}

}  // namespace maxmargin::testing
