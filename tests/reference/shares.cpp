// SPDX-License-Identifier: Apache-2.0
// nu-svc, one-class and svdd: a share of the rows, nu, in place of a cost.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "judges.hpp"

namespace maxmargin::reference {

/// min 1/2 |w|^2 - nu W rho + sum weight max(0, rho - f).
std::optional<Verdict> judge_one_class(const Given& given) {
  const std::size_t n = given.size();
  const Number budget = given.options.number("nu", 0.5L) * total(given.weights);
  const Number rho = -given.function().offset;
  Verdict verdict{.objective = given.function().square / 2 - budget * rho};
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    verdict.objective += given.weights[i] * std::max<Number>(0, rho - given.function().values[i]);
    if (given.weights[i] > 0) rows.push_back(i);
  }
  QuadraticProgram program{.q = Matrix(rows.size(), rows.size()),
                           .c = Vector(rows.size(), 0),
                           .a = Matrix(1, rows.size()),
                           .b = {budget}};
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < rows.size(); ++b) program.q(a, b) = given.gram(rows[a], rows[b]);
    program.a(0, a) = 1;
    program.upper.push_back(given.weights[rows[a]]);
  }
  verdict.optimum = negated(solve(program).optimum);
  return verdict;
}

/// min R^2 + sum cost max(0, |phi - centre|^2 - R^2).
std::optional<Verdict> judge_svdd(const Given& given) {
  const std::size_t n = given.size();
  const Number nu = given.options.number("nu", 0);
  const Number weight = total(given.weights);
  const Number centre = given.function().square / 4;
  const Number radius = centre + given.function().offset;
  Verdict verdict{.objective = radius};
  std::vector<std::size_t> rows;
  Vector costs(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(given.weights[i] > 0)) continue;
    rows.push_back(i);
    costs[i] = nu > 0 ? std::min<Number>(1, given.weights[i] / (nu * weight)) : 1;
    const Number square = given.gram(i, i) - given.function().values[i] + centre;
    verdict.objective += costs[i] * std::max<Number>(0, square - radius);
  }
  QuadraticProgram program{
      .q = Matrix(rows.size(), rows.size()), .a = Matrix(1, rows.size()), .b = {1}};
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      program.q(a, b) = 2 * given.gram(rows[a], rows[b]);
    }
    program.c.push_back(-given.gram(rows[a], rows[a]));
    program.a(0, a) = 1;
    program.upper.push_back(costs[rows[a]]);
  }
  verdict.optimum = negated(solve(program).optimum);
  return verdict;
}

/// min 1/2 |w|^2 - nu W rho + sum weight max(0, rho - y f); the model is divided by rho.
std::optional<Verdict> judge_nu_svc(const Given& given) {
  const std::size_t n = given.size();
  const Number budget = given.options.number("nu", 0.5L) * total(given.weights);
  Number size = 0;
  for (const Number b : given.function().coefficients) size += std::abs(b);
  const Number scale = size > 0 ? budget / size : 0;
  std::vector<std::pair<Number, Number>> margins;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(given.weights[i] > 0)) continue;
    rows.push_back(i);
    const Number value = given.function().values[i] + given.function().offset;
    margins.emplace_back(scale * given.signs[i] * value, given.weights[i]);
  }
  Number least = infinity;
  for (const auto& at : margins) {
    Number sum = -budget * at.first;
    for (const auto& [margin, weight] : margins) {
      sum += weight * std::max<Number>(0, at.first - margin);
    }
    least = std::min(least, sum);
  }
  Verdict verdict{.objective = scale * scale * given.function().square / 2 + least};
  const std::size_t m = rows.size();
  QuadraticProgram program{
      .q = Matrix(m, m), .c = Vector(m, 0), .a = Matrix(2, m), .b = {0, budget}};
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b < m; ++b) {
      program.q(a, b) = given.signs[rows[a]] * given.signs[rows[b]] * given.gram(rows[a], rows[b]);
    }
    program.a(0, a) = given.signs[rows[a]];
    program.a(1, a) = 1;
    program.upper.push_back(given.weights[rows[a]]);
  }
  verdict.optimum = negated(solve(program).optimum);
  return verdict;
}

}  // namespace maxmargin::reference
