// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "linalg/blas.hpp"
#include "linalg/cholesky.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/model/calibration/calibration.hpp"

namespace maxmargin {

namespace {

/// Q = A'A for the residuals A p of the contract, from the entries that are not 0.
DenseMatrix quadratic_form(const OutputCode& code, std::span<const double> probabilities) {
  constexpr double least = 1e-7;
  DenseMatrix q(code.classes, code.classes);
  std::vector<std::pair<std::size_t, double>> entries;
  for (std::size_t f = 0; f < code.functions; ++f) {
    const double p = std::clamp(probabilities[f], least, 1 - least);
    entries.clear();
    for (std::size_t c = 0; c < code.classes; ++c) {
      if (code.sign(c, f) != 0) entries.emplace_back(c, code.sign(c, f) > 0 ? 1 - p : -p);
    }
    for (const auto& [i, a] : entries) {
      for (const auto& [j, b] : entries) q(i, j) += a * b;
    }
  }
  return q;
}

/// x with H_FF x_F = e_F for the index set F, 0 elsewhere; empty when H_FF is singular.
std::optional<std::vector<double>> solve_on(const DenseMatrix& h,
                                            const std::vector<std::size_t>& free) {
  DenseMatrix part(free.size(), free.size());
  for (std::size_t a = 0; a < free.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) part(a, b) = h(free[a], free[b]);
  }
  const std::optional<Cholesky> factor = Cholesky::factor(part.view());
  if (!factor) return std::nullopt;
  std::vector<double> ones(free.size(), 1.0);
  factor->solve(ones);
  std::vector<double> x(h.rows(), 0.0);
  for (std::size_t a = 0; a < free.size(); ++a) x[free[a]] = ones[a];
  return x;
}

/// Moves x towards `target` until the first entry of `free` that would become negative is 0, and
/// takes the entries that are 0 out of `free`.
void step_to_border(std::vector<double>& x,
                    const std::vector<double>& target,
                    std::vector<std::size_t>& free) {
  double length = 1;
  std::size_t first = free.front();
  for (const std::size_t c : free) {
    if (target[c] > 0) continue;
    const double here = x[c] / (x[c] - target[c]);
    if (here < length || (here == length && target[first] > 0)) {
      length = here;
      first = c;
    }
  }
  for (const std::size_t c : free) x[c] += length * (target[c] - x[c]);
  x[first] = 0;
  std::erase_if(free, [&](std::size_t c) { return !(x[c] > 0); });
  for (double& value : x) value = std::max(value, 0.0);
}

/// min 1/2 x'Hx - e'x over x >= 0, by the active sets of Lawson and Hanson. Finite: the objective
/// falls with every new set.
std::vector<double> nonnegative_minimum(const DenseMatrix& h) {
  const std::size_t k = h.rows();
  std::vector<std::size_t> free(k);
  for (std::size_t c = 0; c < k; ++c) free[c] = c;
  // For one-vs-one the unconstrained minimum is positive: one solve and done.
  if (auto x = solve_on(h, free); x && std::ranges::all_of(*x, [](double v) { return v > 0; })) {
    return *x;
  }
  std::vector<double> x(k, 0.0);
  std::vector<bool> refused(k, false);
  free.clear();
  const double enough = 1e-13 * static_cast<double>(k);
  for (std::size_t round = 0; round < 30 * k + 30; ++round) {
    std::size_t best = k;
    double steepest = enough;
    for (std::size_t c = 0; c < k; ++c) {
      const double descent = 1 - dot(h.row(c), x);
      if (refused[c] || descent <= steepest || std::ranges::find(free, c) != free.end()) continue;
      steepest = descent;
      best = c;
    }
    if (best == k) break;
    free.push_back(best);
    std::optional<std::vector<double>> target = solve_on(h, free);
    if (!target || !((*target)[best] > 0)) {
      // Depends on the free ones up to rounding: nothing to gain from it.
      free.pop_back();
      refused[best] = true;
      continue;
    }
    while (target && std::ranges::any_of(free, [&](std::size_t c) { return (*target)[c] <= 0; })) {
      step_to_border(x, *target, free);
      target = free.empty() ? std::nullopt : solve_on(h, free);
    }
    if (!target) break;
    x = *std::move(target);
    refused.assign(k, false);
  }
  return x;
}

}  // namespace

CoupledProbabilities couple_probabilities(const OutputCode& code,
                                          std::span<const double> function_probabilities) {
  require(function_probabilities.size() == code.functions,
          "there are " + std::to_string(function_probabilities.size()) + " probabilities for " +
              std::to_string(code.functions) + " functions");
  require(code.classes > 0 && code.signs.size() == code.classes * code.functions,
          "the code must have one sign a class and function");
  for (const double p : function_probabilities) {
    require_field(p >= 0 && p <= 1, "a probability", p, "in [0, 1]");
  }
  // calibration.md, "Coupling": the minimum of |Ap|^2 over the simplex is that of
  // |Ax|^2 + (e'x - 1)^2 over x >= 0, scaled to sum 1.
  const DenseMatrix q = quadratic_form(code, function_probabilities);
  DenseMatrix h = q;
  for (double& value : h.values()) value += 1;
  CoupledProbabilities answer{.probabilities = nonnegative_minimum(h)};
  double sum = 0;
  for (const double value : answer.probabilities) sum += value;
  if (!(sum > 0)) throw InternalError("coupling found no probabilities");
  for (double& value : answer.probabilities) value /= sum;

  // Convexity: the objective cannot fall by more than the largest linear decrease.
  std::vector<double> gradient(code.classes);
  gemv(Transpose::no, 1.0, q.view(), answer.probabilities, 0.0, gradient);
  answer.gap =
      std::max(0.0, dot(gradient, answer.probabilities) - *std::ranges::min_element(gradient));
  return answer;
}

}  // namespace maxmargin
