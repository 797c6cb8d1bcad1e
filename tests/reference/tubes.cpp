// SPDX-License-Identifier: Apache-2.0
// svr, linear-svr and nu-svr.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "judges.hpp"

namespace maxmargin::reference {

namespace {

/// min 1/2 |w|^2 + sum cost max(0, |f - t| - epsilon)^(1 or 2).
std::optional<Verdict> judge_tube(const Given& given,
                                  Matrix gram,
                                  Number square,
                                  bool free_offset) {
  const std::size_t n = given.size();
  const Number epsilon = given.options.number("epsilon", 0.1L);
  const bool squared = given.options.name("loss", "epsilon") == "squared-epsilon";
  Verdict verdict{.objective = square / 2};
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    const Number cost = given.c() * given.weights[i];
    const Number miss = std::max<Number>(
        0,
        std::abs(given.function().values[i] + given.function().offset - given.targets[i]) -
            epsilon);
    if (cost > 0) {
      verdict.objective += cost * (squared ? miss * miss : miss);
      rows.push_back(i);
    }
  }
  const std::size_t m = rows.size();
  if (m == 0) return verdict;
  QuadraticProgram program{.q = Matrix(2 * m, 2 * m), .c = Vector(2 * m), .upper = Vector(2 * m)};
  if (free_offset) {
    program.a = Matrix(1, 2 * m);
    program.b = {0};
  }
  for (std::size_t a = 0; a < 2 * m; ++a) {
    const Number sign = a < m ? 1 : -1;
    const std::size_t i = rows[a % m];
    const Number cost = given.c() * given.weights[i];
    for (std::size_t b = 0; b < 2 * m; ++b) {
      program.q(a, b) = sign * (b < m ? 1 : -1) * gram(i, rows[b % m]);
    }
    program.c[a] = epsilon - sign * given.targets[i];
    program.upper[a] = cost;
    if (squared) program.upper[a] = infinity;
    if (squared) program.q(a, a) += 1 / (2 * cost);
    if (free_offset) program.a(0, a) = sign;
  }
  verdict.optimum = negated(solve(program).optimum);
  return verdict;
}

}  // namespace

std::optional<Verdict> judge_svr(const Given& given) {
  return judge_tube(given, given.gram, given.function().square, given.options.truth("bias", true));
}

std::optional<Verdict> judge_linear_svr(const Given& given) {
  Matrix gram = given.gram;
  const Number square = penalise_offset(given, gram);
  return judge_tube(given, std::move(gram), square, false);
}

/// min 1/2 |w|^2 + C nu W epsilon + sum cost max(0, |f - t| - epsilon) over epsilon >= 0, too.
std::optional<Verdict> judge_nu_svr(const Given& given) {
  const Number budget = given.options.number("nu", 0.5L) * given.c() * total(given.weights);
  std::vector<std::size_t> rows;
  Vector misses;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!(given.weights[i] > 0)) continue;
    rows.push_back(i);
    misses.push_back(
        std::abs(given.function().values[i] + given.function().offset - given.targets[i]));
  }
  const std::size_t m = rows.size();
  if (m == 0) return std::nullopt;
  const auto cost = [&](std::size_t a) { return given.c() * given.weights[rows[a]]; };
  // Piecewise linear in epsilon: least at a corner.
  const auto at = [&](Number epsilon) {
    Number sum = budget * epsilon;
    for (std::size_t a = 0; a < m; ++a) sum += cost(a) * std::max<Number>(0, misses[a] - epsilon);
    return sum;
  };
  Number least = at(0);
  for (const Number miss : misses) least = std::min(least, at(miss));
  Verdict verdict{.objective = given.function().square / 2 + least};
  // What both sides of a row hold in common changes nothing: the budget bounds all, the last
  // variable is what is left of it.
  const std::size_t all = 2 * m + 1;
  QuadraticProgram program{.q = Matrix(all, all),
                           .c = Vector(all, 0),
                           .a = Matrix(2, all),
                           .b = {0, budget},
                           .upper = Vector(all, budget)};
  for (std::size_t a = 0; a < 2 * m; ++a) {
    const Number sign = a < m ? 1 : -1;
    for (std::size_t b = 0; b < 2 * m; ++b) {
      program.q(a, b) = sign * (b < m ? 1 : -1) * given.gram(rows[a % m], rows[b % m]);
    }
    program.c[a] = -sign * given.targets[rows[a % m]];
    program.upper[a] = cost(a % m);
    program.a(0, a) = sign;
    program.a(1, a) = 1;
  }
  program.a(1, 2 * m) = 1;
  verdict.optimum = negated(solve(program).optimum);
  return verdict;
}

}  // namespace maxmargin::reference
