// SPDX-License-Identifier: Apache-2.0
// cs-svc.
#include <algorithm>
#include <utility>
#include <vector>

#include "judges.hpp"

namespace maxmargin::reference {

/// Crammer and Singer: u_ir >= 0 for the other classes r of row i, sum_r u_ir + slack = cost.
std::optional<Verdict> judge_cs_svc(const Given& given) {
  const std::size_t n = given.size();
  const std::size_t k = given.functions.size();
  const bool fits = k > 1 && std::ranges::max(given.signs) < static_cast<Number>(k);
  if (!fits || n * k > 60) return std::nullopt;
  const Number bias = given.options.truth("bias", true) ? 1 : 0;
  Verdict verdict;
  for (const Function& f : given.functions) {
    verdict.objective += (f.square + f.offset * f.offset) / 2;
  }
  std::vector<std::pair<std::size_t, std::size_t>> variables;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(given.weights[i] > 0)) continue;
    const auto own = static_cast<std::size_t>(given.signs[i]);
    Number miss = 0;
    for (std::size_t r = 0; r < k; ++r) {
      if (r == own) continue;
      variables.emplace_back(rows.size(), r);
      const Function& mine = given.functions[own];
      const Function& other = given.functions[r];
      miss = std::max(miss, 1 + other.values[i] + other.offset - mine.values[i] - mine.offset);
    }
    rows.push_back(i);
    verdict.objective += given.c() * given.weights[i] * miss;
  }
  const std::size_t m = variables.size();
  const std::size_t all = m + rows.size();
  QuadraticProgram program{.q = Matrix(all, all),
                           .c = Vector(all, 0),
                           .a = Matrix(rows.size(), all),
                           .upper = Vector(all, infinity)};
  for (std::size_t a = 0; a < m; ++a) {
    const auto [row_a, r] = variables[a];
    const auto own_a = static_cast<std::size_t>(given.signs[rows[row_a]]);
    for (std::size_t b = 0; b < m; ++b) {
      const auto [row_b, t] = variables[b];
      const auto own_b = static_cast<std::size_t>(given.signs[rows[row_b]]);
      // <e_own - e_r, e_own' - e_t> of the classes.
      const Number classes =
          (own_a == own_b ? 1 : 0) - (own_a == t ? 1 : 0) - (r == own_b ? 1 : 0) + (r == t ? 1 : 0);
      program.q(a, b) = classes * (given.gram(rows[row_a], rows[row_b]) + bias);
    }
    program.c[a] = -1;
    program.a(row_a, a) = 1;
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    program.a(row, m + row) = 1;
    const Number cost = given.c() * given.weights[rows[row]];
    program.b.push_back(cost);
    for (std::size_t a = 0; a < m; ++a) {
      if (variables[a].first == row) program.upper[a] = cost;
    }
    program.upper[m + row] = cost;
  }
  if (!rows.empty()) verdict.optimum = negated(solve(program).optimum);
  return verdict;
}

}  // namespace maxmargin::reference
