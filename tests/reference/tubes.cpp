// SPDX-License-Identifier: Apache-2.0
// svr and linear-svr.
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

}  // namespace maxmargin::reference
