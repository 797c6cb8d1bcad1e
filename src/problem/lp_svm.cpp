// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/lp_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// sum_j u_j K_ij for every example, in plain loops.
std::vector<double> expansion_values(const LpSvm& problem, std::span<const double> coefficients) {
  std::vector<double> values(problem.size(), 0.0);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const std::span<const double> row = problem.gram.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) values[i] += coefficients[j] * row[j];
  }
  return values;
}

/// The largest z_j h_j (first form) or |h_j| (second); 0 without examples.
double largest_correlation(const LpSvm& problem, std::span<const double> multipliers) {
  std::vector<double> h(problem.size(), 0.0);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (multipliers[i] == 0) continue;
    const double factor = multipliers[i] * problem.signs[i];
    const std::span<const double> row = problem.gram.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) h[j] += factor * row[j];
  }
  double largest = 0;
  for (std::size_t j = 0; j < h.size(); ++j) {
    const bool free = problem.form == LpSvmForm::l1_norm;
    largest = std::max(largest, free ? std::abs(h[j]) : problem.signs[j] * h[j]);
  }
  return largest;
}

/// Clips to the bounds and scales the heavier side down, so that the balance holds.
std::vector<double> balanced(const LpSvm& problem, std::span<const double> multipliers) {
  std::vector<double> l(multipliers.begin(), multipliers.end());
  double positive = 0;
  double negative = 0;
  for (std::size_t i = 0; i < l.size(); ++i) {
    l[i] = std::clamp(l[i], 0.0, problem.costs[i]);
    (problem.signs[i] > 0 ? positive : negative) += l[i];
  }
  if (!problem.bias || positive == negative) return l;
  const double lighter = std::min(positive, negative);
  for (std::size_t i = 0; i < l.size(); ++i) {
    const double side = problem.signs[i] > 0 ? positive : negative;
    if (side > lighter) l[i] *= lighter / side;
  }
  return l;
}

struct Feasible {
  std::vector<double> multipliers;
  /// What the balanced multipliers were scaled by, at most 1.
  double scale;
};
Feasible made_feasible(const LpSvm& problem, std::span<const double> multipliers) {
  Feasible result{.multipliers = balanced(problem, multipliers), .scale = 1};
  const double largest = largest_correlation(problem, result.multipliers);
  if (largest > 1) result.scale = 1 / largest;
  for (double& value : result.multipliers) value *= result.scale;
  return result;
}

void check_length(const char* what, std::size_t length, std::size_t wanted) {
  require(length == wanted,
          std::string("LpSvm: there are ") + std::to_string(length) + " " + what + " for " +
              std::to_string(wanted) + " examples");
}

void require_fitting(const LpSvm& problem) {
  check_length("rows of the matrix", problem.gram.rows, problem.size());
  check_length("columns of the matrix", problem.gram.cols, problem.size());
  check_length("costs", problem.costs.size(), problem.size());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const int sign = problem.signs[i];
    require_field(sign == 1 || sign == -1, "LpSvm.signs: a sign", sign, "+1 or -1");
    require_field(problem.costs[i] > 0, "LpSvm.costs: a cost", problem.costs[i], "> 0");
    for (const double value : problem.gram.row(i)) {
      require_field(std::isfinite(value), "LpSvm.gram: an entry", value, "finite");
    }
  }
}

}  // namespace

LinearProgram dual_program(const LpSvm& problem) {
  require_fitting(problem);
  const std::size_t n = problem.size();
  const bool free = problem.form == LpSvmForm::l1_norm;
  const std::size_t rows = n + (problem.bias ? 1 : 0);
  Buffer<std::int64_t> offsets(rows + 1);
  Buffer<std::int32_t> columns(checked_multiply(rows, n));
  Buffer<double> values(checked_multiply(rows, n));
  for (std::size_t j = 0; j < rows; ++j) {
    offsets[j] = static_cast<std::int64_t>(j * n);
    for (std::size_t i = 0; i < n; ++i) {
      const int sign = problem.signs[i] * (free || j == n ? 1 : problem.signs[j]);
      columns[j * n + i] = narrow<std::int32_t>(i);
      values[j * n + i] = j == n ? sign : sign * problem.gram(i, j);
    }
  }
  offsets[rows] = static_cast<std::int64_t>(rows * n);
  LinearProgram program{
      .matrix = SparseMatrix(n, std::move(offsets), std::move(columns), std::move(values)),
      .cost = std::vector<double>(n, -1.0),
      .column_lower = std::vector<double>(n, 0.0),
      .column_upper = problem.costs,
      .row_lower = std::vector<double>(n, free ? -1.0 : -infinity),
      .row_upper = std::vector<double>(n, 1.0)};
  if (problem.bias) {
    program.row_lower.push_back(0.0);
    program.row_upper.push_back(0.0);
  }
  return program;
}

LpSvmFunction function_of_prices(const LpSvm& problem, std::span<const double> prices) {
  const std::size_t n = problem.size();
  require(prices.size() == n + (problem.bias ? 1 : 0),
          "function_of_prices: there must be one price a row of the dual program");
  LpSvmFunction function{.coefficients = std::vector<double>(n, 0.0)};
  for (std::size_t j = 0; j < n; ++j) {
    function.coefficients[j] = problem.form == LpSvmForm::l1_norm
                                   ? -prices[j]
                                   : problem.signs[j] * std::max(0.0, -prices[j]);
    if (function.coefficients[j] == 0) function.coefficients[j] = 0;  // no -0 in model files
  }
  if (problem.bias) function.offset = -prices[n];

  if (n == 0 || !std::ranges::all_of(problem.costs, [](double c) { return std::isinf(c); })) {
    return function;
  }
  const std::vector<double> values = expansion_values(problem, function.coefficients);
  double least = 1;
  for (std::size_t i = 0; i < n; ++i) {
    least = std::min(least, problem.signs[i] * (values[i] + function.offset));
  }
  if (least >= 1 || least < 0.5) return function;
  for (double& u : function.coefficients) u /= least;
  function.offset /= least;
  return function;
}

std::vector<double> feasible_multipliers(const LpSvm& problem,
                                         std::span<const double> multipliers) {
  check_length("multipliers", multipliers.size(), problem.size());
  return made_feasible(problem, multipliers).multipliers;
}

LpSvmResiduals residuals(const LpSvm& problem,
                         const LpSvmFunction& function,
                         std::span<const double> multipliers) {
  check_length("coefficients", function.coefficients.size(), problem.size());
  check_length("multipliers", multipliers.size(), problem.size());
  constexpr double rounding = 1e-9;
  LpSvmResiduals answer;
  const std::vector<double> values = expansion_values(problem, function.coefficients);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const double u = function.coefficients[i];
    answer.primal += std::abs(u);
    if (problem.form == LpSvmForm::slides) {
      answer.sign_violation = std::max(answer.sign_violation, -u * problem.signs[i]);
    }
    const double slack = std::max(0.0, 1 - problem.signs[i] * (values[i] + function.offset));
    if (std::isinf(problem.costs[i])) {
      answer.slack_violation = std::max(answer.slack_violation, slack);
    } else {
      answer.primal += problem.costs[i] * slack;
    }
  }
  if (answer.slack_violation > rounding) answer.primal = infinity;

  const Feasible feasible = made_feasible(problem, multipliers);
  answer.dual_shrinkage = 1 - feasible.scale;
  for (const double value : feasible.multipliers) answer.dual += value;
  return answer;
}

double inseparability_violation(const LpSvm& problem, std::span<const double> multipliers) {
  check_length("multipliers", multipliers.size(), problem.size());
  std::vector<double> l = balanced(problem, multipliers);
  double sum = 0;
  for (const double value : l) sum += value;
  if (!(sum > 0) || !std::isfinite(sum)) return infinity;
  for (double& value : l) value /= sum;
  return largest_correlation(problem, l);
}

}  // namespace maxmargin
