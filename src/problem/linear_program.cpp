// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/linear_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void check_bounds(const char* what, std::span<const double> lower, std::span<const double> upper) {
  const std::string name = std::string("LinearProgram.") + what;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    require_field(lower[i] < infinity, name + "_lower", lower[i], "a number below +inf");
    require_field(upper[i] > -infinity, name + "_upper", upper[i], "a number above -inf");
  }
}

double outside(double value, double lower, double upper) {
  return std::max({0.0, lower - value, value - upper});
}

/// Ax, row by row in plain loops.
std::vector<double> row_values(const LinearProgram& problem, std::span<const double> x) {
  std::vector<double> values(problem.rows(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const SparseRow row = problem.matrix.row(i);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      values[i] += row.values[k] * x[static_cast<std::size_t>(row.columns[k])];
    }
  }
  return values;
}

/// start - A'y.
std::vector<double> reduced_costs(const LinearProgram& problem,
                                  std::vector<double> start,
                                  std::span<const double> prices) {
  for (std::size_t i = 0; i < prices.size(); ++i) {
    if (prices[i] == 0) continue;
    const SparseRow row = problem.matrix.row(i);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      start[static_cast<std::size_t>(row.columns[k])] -= prices[i] * row.values[k];
    }
  }
  return start;
}

/// Adds sum of multiplier x bound on its side; products with infinite bounds count as violation.
void add_bound(std::span<const double> multipliers,
               std::span<const double> lower,
               std::span<const double> upper,
               double& value,
               double& violation) {
  for (std::size_t i = 0; i < multipliers.size(); ++i) {
    if (multipliers[i] == 0) continue;
    const double bound = multipliers[i] > 0 ? lower[i] : upper[i];
    if (std::isfinite(bound)) {
      value += multipliers[i] * bound;
    } else {
      violation = std::max(violation, std::abs(multipliers[i]));
    }
  }
}

void check_length(const char* who, std::size_t length, std::size_t wanted, const char* unit) {
  require(length == wanted,
          std::string(who) + ": there are " + std::to_string(length) + " numbers for " +
              std::to_string(wanted) + " " + unit);
}

/// Divided by the largest magnitude; empty when that is 0 or not finite.
std::vector<double> scaled(std::span<const double> ray) {
  double largest = 0;
  for (const double value : ray) {
    if (!std::isfinite(value)) return {};
    largest = std::max(largest, std::abs(value));
  }
  if (largest == 0) return {};
  std::vector<double> answer(ray.begin(), ray.end());
  for (double& value : answer) value /= largest;
  return answer;
}

/// How fast `slope` leaves the bounds that are finite.
double leaving(double slope, double lower, double upper) {
  if (slope < 0 && std::isfinite(lower)) return -slope;
  if (slope > 0 && std::isfinite(upper)) return slope;
  return 0;
}

}  // namespace

void LinearProgram::describe(OptionVisitor& visit) {
  visit.check([this] {
    require(matrix.rows() == rows() && row_upper.size() == rows(),
            "LinearProgram: the matrix, row_lower and row_upper must have equally many rows");
    require(matrix.cols() == columns() && column_lower.size() == columns() &&
                column_upper.size() == columns(),
            "LinearProgram: the matrix, cost, column_lower and column_upper must have equally many "
            "columns");
    for (const double c : cost) require_field(std::isfinite(c), "LinearProgram.cost", c, "finite");
    for (const double a : matrix.view().values) {
      require_field(std::isfinite(a), "LinearProgram.matrix: an entry", a, "finite");
    }
    check_bounds("column", column_lower, column_upper);
    check_bounds("row", row_lower, row_upper);
  });
}

LinearProgramResiduals residuals(const LinearProgram& problem,
                                 std::span<const double> x,
                                 std::span<const double> prices) {
  check_length("residuals: x", x.size(), problem.columns(), "columns");
  check_length("residuals: prices", prices.size(), problem.rows(), "rows");
  LinearProgramResiduals answer;
  for (std::size_t j = 0; j < x.size(); ++j) {
    answer.primal += problem.cost[j] * x[j];
    answer.primal_violation = std::max(
        answer.primal_violation, outside(x[j], problem.column_lower[j], problem.column_upper[j]));
  }
  const std::vector<double> values = row_values(problem, x);
  for (std::size_t i = 0; i < values.size(); ++i) {
    answer.primal_violation = std::max(
        answer.primal_violation, outside(values[i], problem.row_lower[i], problem.row_upper[i]));
  }
  const std::vector<double> d = reduced_costs(problem, problem.cost, prices);
  add_bound(prices, problem.row_lower, problem.row_upper, answer.dual, answer.dual_violation);
  add_bound(d, problem.column_lower, problem.column_upper, answer.dual, answer.dual_violation);
  return answer;
}

RayProof infeasibility_proof(const LinearProgram& problem, std::span<const double> prices) {
  check_length("infeasibility_proof", prices.size(), problem.rows(), "rows");
  const std::vector<double> y = scaled(prices);
  if (y.empty()) return {};
  const std::vector<double> d =
      reduced_costs(problem, std::vector<double>(problem.columns(), 0.0), y);
  RayProof proof;
  add_bound(y, problem.row_lower, problem.row_upper, proof.value, proof.violation);
  add_bound(d, problem.column_lower, problem.column_upper, proof.value, proof.violation);
  return proof;
}

RayProof unboundedness_proof(const LinearProgram& problem, std::span<const double> direction) {
  check_length("unboundedness_proof", direction.size(), problem.columns(), "columns");
  const std::vector<double> r = scaled(direction);
  if (r.empty()) return {};
  RayProof proof;
  for (std::size_t j = 0; j < r.size(); ++j) {
    proof.value += problem.cost[j] * r[j];
    proof.violation =
        std::max(proof.violation, leaving(r[j], problem.column_lower[j], problem.column_upper[j]));
  }
  const std::vector<double> slopes = row_values(problem, r);
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    proof.violation =
        std::max(proof.violation, leaving(slopes[i], problem.row_lower[i], problem.row_upper[i]));
  }
  return proof;
}

}  // namespace maxmargin
