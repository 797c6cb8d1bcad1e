// SPDX-License-Identifier: Apache-2.0
// svc, linear-svc and centroid-svc.
#include "hinges.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "judges.hpp"

namespace maxmargin::reference {

Interval hinge_optimum(const HingeProblem& given) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < given.costs.size(); ++i) {
    if (given.costs[i] > 0) rows.push_back(i);
  }
  const std::size_t m = rows.size();
  QuadraticProgram program{.q = Matrix(m, m), .c = Vector(m), .upper = Vector(m)};
  if (given.free_offset && m > 0) {
    program.a = Matrix(1, m);
    program.b = {0};
    // With one class the offset alone meets every margin.
    const auto same = [&](std::size_t i) { return given.signs[i] == given.signs[rows.front()]; };
    if (std::ranges::all_of(rows, same)) return {};
  }
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b < m; ++b) {
      program.q(a, b) = given.signs[rows[a]] * given.signs[rows[b]] * given.gram(rows[a], rows[b]);
    }
    program.c[a] = -given.wanted[rows[a]];
    program.upper[a] = given.costs[rows[a]];
    if (given.squared) {
      if (std::isfinite(program.upper[a])) program.q(a, a) += 1 / (2 * program.upper[a]);
      program.upper[a] = infinity;
    }
    if (given.free_offset) program.a(0, a) = given.signs[rows[a]];
  }
  return negated(solve(program).optimum);
}

Number hinge_objective(const HingeProblem& given, const Function& f, Number square) {
  Number sum = square / 2;
  for (std::size_t i = 0; i < given.costs.size(); ++i) {
    const Number miss =
        std::max<Number>(0, given.wanted[i] - given.signs[i] * (f.values[i] + f.offset));
    if (miss > 0 && given.costs[i] > 0)
      sum += given.costs[i] * (given.squared ? miss * miss : miss);
  }
  return sum;
}

HingeProblem hinges_of(const Given& given) {
  HingeProblem problem{.gram = given.gram,
                       .signs = given.signs,
                       .wanted = Vector(given.size(), 1),
                       .costs = given.weights,
                       .free_offset = given.options.truth("bias", true)};
  for (Number& cost : problem.costs) cost *= given.c();
  return problem;
}

std::optional<Verdict> judge_svc(const Given& given) {
  if (!std::isfinite(given.c())) return std::nullopt;
  HingeProblem problem = hinges_of(given);
  problem.squared = given.options.name("loss", "hinge") == "squared-hinge";
  return Verdict{hinge_objective(problem, given.function(), given.function().square),
                 hinge_optimum(problem)};
}

std::optional<Verdict> judge_linear_svc(const Given& given) {
  const std::string loss = given.options.name("loss", "hinge");
  if (given.options.name("penalty", "l2") != "l2" || loss == "logistic") return std::nullopt;
  HingeProblem problem = hinges_of(given);
  problem.free_offset = false;
  problem.squared = loss == "squared-hinge";
  const Number square = penalise_offset(given, problem.gram);
  return Verdict{hinge_objective(problem, given.function(), square), hinge_optimum(problem)};
}

std::optional<Verdict> judge_centroid_svc(const Given& given) {
  HingeProblem problem = hinges_of(given);
  const Number lambda = given.options.number("lambda", -1);
  if (lambda < 0) return std::nullopt;
  for (const Number sign : {1.0L, -1.0L}) {
    Number total = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given.signs[i] == sign) total += given.weights[i];
    }
    if (!(total > 0)) continue;
    Vector means(given.size(), 0);
    Number norm = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      for (std::size_t j = 0; j < given.size(); ++j) {
        if (given.signs[j] == sign) means[i] += given.weights[j] / total * given.gram(i, j);
      }
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given.signs[i] == sign) norm += given.weights[i] / total * means[i];
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given.signs[i] != sign) continue;
      const Number square = given.gram(i, i) - 2 * means[i] + norm;
      problem.wanted[i] = 1 - lambda * std::max<Number>(0, square);
    }
  }
  return Verdict{hinge_objective(problem, given.function(), given.function().square),
                 hinge_optimum(problem)};
}

}  // namespace maxmargin::reference
