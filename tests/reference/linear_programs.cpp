// SPDX-License-Identifier: Apache-2.0
// lp-svc and loo-svc.
#include <algorithm>
#include <cmath>
#include <vector>

#include "judges.hpp"

namespace maxmargin::reference {

namespace {

/// Linear programs of lp-svc and loo-svc through their duals: max sum l with slacks t of
/// sum_i l_i column_ij + t_j = 1.
Interval lp_optimum(const Matrix& columns,
                    const Vector& costs,
                    const Vector& signs,
                    bool free_offset,
                    bool two_sided) {
  const std::size_t n = costs.size();
  const std::size_t m = columns.cols();
  const std::size_t equations = m + (free_offset ? 1 : 0);
  QuadraticProgram program{.q = Matrix(n + m, n + m),
                           .c = Vector(n + m, 0),
                           .a = Matrix(equations, n + m),
                           .b = Vector(equations, 1),
                           .upper = Vector(n + m, infinity)};
  if (two_sided) program.upper.assign(n + m, 2);
  for (std::size_t i = 0; i < n; ++i) {
    program.c[i] = -1;
    program.upper[i] = costs[i];
    for (std::size_t j = 0; j < m; ++j) program.a(j, i) = columns(i, j);
    if (free_offset) program.a(m, i) = signs[i];
  }
  for (std::size_t j = 0; j < m; ++j) program.a(j, n + j) = 1;
  if (free_offset) program.b[m] = 0;
  return negated(solve(program).optimum);
}

std::optional<Verdict> judge_lp(const Given& given, bool leave_one_out) {
  if (!std::isfinite(given.c())) return std::nullopt;
  const bool slides = leave_one_out || given.options.name("form", "slides") == "slides";
  const Number lambda = leave_one_out ? given.options.number("lambda", 1) : 0;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given.weights[i] > 0) rows.push_back(i);
  }
  const auto penalty = [&](std::size_t j) {
    const Number self = std::abs(given.gram(j, j));
    return leave_one_out && self != 0 ? self : Number{1};
  };
  Verdict verdict;
  Matrix columns(rows.size(), rows.size());
  Vector costs;
  Vector signs;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    const std::size_t i = rows[a];
    const Number y = given.signs[i];
    const Number u = std::abs(given.function().coefficients[i]);
    costs.push_back(given.c() * given.weights[i]);
    signs.push_back(y);
    const Number value = given.function().values[i] + given.function().offset;
    verdict.objective +=
        u * penalty(i) +
        costs.back() * std::max<Number>(0, 1 - y * value + lambda * u * given.gram(i, i));
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const std::size_t j = rows[b];
      columns(a, b) = y * given.gram(i, j) * (slides ? given.signs[j] : 1);
      if (i == j) columns(a, b) -= lambda * given.gram(i, i);
      columns(a, b) /= penalty(j);
    }
  }
  if (rows.empty()) return verdict;
  verdict.optimum = lp_optimum(columns, costs, signs, given.options.truth("bias", true), !slides);
  return verdict;
}

}  // namespace

std::optional<Verdict> judge_lp_svc(const Given& given) { return judge_lp(given, false); }
std::optional<Verdict> judge_loo_svc(const Given& given) { return judge_lp(given, true); }

}  // namespace maxmargin::reference
