// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hard-margin.md, "Kernels"
#include "solver/smo/separation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/stoppable.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "solver/hull/nearest_points.hpp"

namespace maxmargin {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Rows of the matrix whose factor is worth its n^2 r operations.
constexpr std::size_t most_rows = 5000;
/// Entries of the matrix are wrong by about a unit of their own, a few after kernel functions.
constexpr double rounding_of_entries = 4 * epsilon;
/// With an offset differences of points count: where rounding is above this share of their largest
/// square, a margin may be lost in it that is no narrower than others.
constexpr double most_rounding = 1e-4;
/// Squares of lengths below this many units of the largest are rounding.
constexpr double rounding_units = 64;

std::vector<double> row_of(const SymmetricMatrix& matrix, std::size_t i) {
  const RowBlock block = matrix.rows({&i, 1});
  return std::visit(
      [](const auto& rows) {
        return std::vector<double>(rows.front().begin(), rows.front().end());
      },
      block.rows);
}

/// Rows x_i with x_i.x_j = K_ij up to rounding: pivoted Cholesky, largest rest first. The
/// transposed factor; throws Stopped.
std::vector<std::vector<double>> transposed_factor(const SymmetricMatrix& matrix,
                                                   const Context& context) {
  const std::span<const double> diagonal = matrix.diagonal();
  std::vector<double> rest(diagonal.begin(), diagonal.end());
  const double least = rounding_units * epsilon * std::ranges::max(rest);
  std::vector<std::vector<double>> columns;
  while (columns.size() < rest.size()) {
    const auto pivot = static_cast<std::size_t>(std::ranges::max_element(rest) - rest.begin());
    if (!(rest[pivot] > least)) break;
    const Continue answer = context.ask({.phase = "factor", .iteration = columns.size()});
    if (answer != Continue::yes) throw Stopped(answer);
    std::vector<double> column = row_of(matrix, pivot);
    for (const std::vector<double>& known : columns) {
      const double factor = known[pivot];
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= factor * known[i];
    }
    const double root = std::sqrt(rest[pivot]);
    for (double& x : column) x /= root;
    for (std::size_t i = 0; i < column.size(); ++i) rest[i] -= column[i] * column[i];
    rest[pivot] = 0;
    columns.push_back(std::move(column));
  }
  return columns;
}

/// The squared distance of the points that the weights, which add up to 1 on either side, make of
/// both sides, and what the rounding of the matrix does to it.
struct Distance {
  long double square = 0;
  long double rounding = 0;
  /// Whether an entry has no digits to spare, so that it may be a rounded number.
  bool is_rounded = false;
};
Distance distance_of(const SymmetricMatrix& matrix,
                     std::span<const std::int8_t> signs,
                     std::span<const double> weights) {
  Distance found;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    const std::vector<double> row = row_of(matrix, i);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const long double term = static_cast<long double>(weights[i]) * weights[j] * row[j];
      found.square += signs[i] == signs[j] ? term : -term;
      found.rounding += rounding_of_entries * std::abs(term);
      const bool is_short = static_cast<double>(static_cast<float>(row[j])) == row[j];
      found.is_rounded = found.is_rounded || (weights[j] != 0 && !is_short);
    }
  }
  return found;
}

/// The largest squared distance from the first point.
double squared_radius(const SymmetricMatrix& matrix) {
  const std::vector<double> row = row_of(matrix, 0);
  const std::span<const double> diagonal = matrix.diagonal();
  double largest = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    largest = std::max(largest, diagonal[0] + diagonal[i] - 2 * row[i]);
  }
  return largest;
}

}  // namespace

Separation separate_by_matrix(const SvmDual& problem, const SmoOptions& options) {
  const std::size_t n = problem.matrix->size();
  if (n > most_rows) {
    return {.message = "the margin, if there is one, is too narrow for this many rows"};
  }
  std::vector<std::vector<double>> columns;
  try {
    columns = transposed_factor(*problem.matrix, options.context);
  } catch (const Stopped& stopped) {
    return {.status = status_of(stopped.answer()), .message = "stopped while looking for a margin"};
  }
  if (columns.empty()) columns.emplace_back(n, 0.0);  // all values are 0: so are all points
  DenseMatrix points(n, columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t i = 0; i < n; ++i) points(i, j) = columns[j][i];
  }
  std::vector<std::int8_t> signs(n, 0);
  for (std::size_t v = 0; v < problem.variables(); ++v) {
    if (std::isinf(problem.upper[v])) signs[problem.row_of(v)] = 1;
    if (std::isinf(problem.lower[v])) signs[problem.row_of(v)] = -1;
  }
  const double largest = std::ranges::max(problem.matrix->diagonal());
  const HullSolution found = solve_nearest_points(
      {.points = points.view(), .signs = signs, .offset = !problem.group.empty()},
      {.tolerance = options.tolerance,
       .rounding = std::sqrt(rounding_units * epsilon * largest),
       .context = options.context});
  Separation result{.status = found.report.status, .message = found.report.message};
  if (result.status == Status::primal_infeasible) {
    const Distance distance = distance_of(*problem.matrix, signs, found.weights);
    // Weights prove that nothing separates only where both sides meet as far as the matrix can
    // tell, and where the matrix can tell points apart at all. Rows in float have lost what tells.
    if (distance.square > distance.rounding || holds_float(*problem.matrix)) {
      return {.message =
                  "the margin, if there is one, is too narrow for the digits of the kernel values"};
    }
    const bool may_be_lost = !problem.group.empty() && distance.is_rounded;
    if (may_be_lost && distance.rounding > most_rounding * squared_radius(*problem.matrix)) {
      return {.status = Status::numerical_failure,
              .message =
                  "the kernel values have lost the digits that tell the rows apart: move the "
                  "data to the origin"};
    }
  }
  if (result.status != Status::solved) return result;
  // The multiple of the weights at which the dual is largest: sum of weights / distance^2.
  const double mass = problem.group.empty() ? 1 : 2;
  const double scale = mass / (found.distance * found.distance);
  result.coefficients.assign(problem.variables(), 0.0);
  for (std::size_t v = 0; v < problem.variables(); ++v) {
    const std::size_t row = problem.row_of(v);
    result.coefficients[v] = signs[row] * scale * found.weights[row];
  }
  return result;
}

}  // namespace maxmargin
