// SPDX-License-Identifier: Apache-2.0
#include "problem/crammer_singer.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

std::size_t point_count(const CrammerSinger& problem) {
  if (const auto* rows = std::get_if<PointRows>(&problem.points)) return rows->rows();
  const auto* matrix = std::get<const SymmetricMatrix*>(problem.points);
  require(matrix != nullptr, "CrammerSinger.points: there is no matrix");
  return matrix->size();
}

/// f_r(x_i) for all examples and classes, without the constant feature.
DenseMatrix values_of(const CrammerSinger& problem, DenseView coefficients) {
  const std::size_t n = problem.size();
  const std::size_t k = problem.class_count;
  DenseMatrix values(n, k, 0.0);
  if (const auto* points = std::get_if<PointRows>(&problem.points)) {
    DenseMatrix weights(k, points->cols(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t r = 0; r < k; ++r) {
        if (coefficients(i, r) != 0) points->row(i).axpy_into(coefficients(i, r), weights.row(r));
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t r = 0; r < k; ++r) values(i, r) = points->row(i).dot(weights.row(r));
    }
    return values;
  }
  const auto* matrix = std::get<const SymmetricMatrix*>(problem.points);
  for (std::size_t j = 0; j < n; ++j) {
    const std::span<const double> own = coefficients.row(j);
    if (std::ranges::all_of(own, [](double t) { return t == 0; })) continue;
    const RowBlock block = matrix->rows(std::span<const std::size_t>(&j, 1));
    std::visit(
        [&](const auto& rows) {
          for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t r = 0; r < k; ++r) {
              values(i, r) += own[r] * static_cast<double>(rows[0][i]);
            }
          }
        },
        block.rows);
  }
  return values;
}

void require_examples(const CrammerSinger& problem) {
  const std::size_t points = point_count(problem);
  require_field(points == problem.classes.size(),
                "CrammerSinger.classes: number",
                static_cast<double>(problem.classes.size()),
                std::to_string(points) + ", one for each example");
  require_field(problem.costs.size() == points,
                "CrammerSinger.costs: number",
                static_cast<double>(problem.costs.size()),
                std::to_string(points) + ", one for each example");
  for (const std::int32_t cls : problem.classes) {
    require_field(cls >= 0 && static_cast<std::size_t>(cls) < problem.class_count,
                  "CrammerSinger.classes",
                  static_cast<double>(cls),
                  "from 0 to " + std::to_string(problem.class_count - 1));
  }
  for (const double cost : problem.costs) {
    require_field(std::isfinite(cost) && cost >= 0, "CrammerSinger.costs", cost, "finite and >= 0");
  }
}

}  // namespace

void CrammerSinger::describe(OptionVisitor& visit) {
  visit.whole({.name = "class-count", .help = "number of classes"}, class_count, {.least = 1});
  visit.number(
      {.name = "bias", .help = "value of a constant feature; 0: none"}, bias, rules::not_negative);
  visit.check([this] { require_examples(*this); });
}

CrammerSingerResiduals residuals(const CrammerSinger& problem, DenseView coefficients) {
  validate(problem);
  const std::size_t n = problem.size();
  const std::size_t k = problem.class_count;
  require(coefficients.rows == n && coefficients.cols == k,
          "CrammerSinger residuals: the coefficients must be examples x classes");
  const DenseMatrix values = values_of(problem, coefficients);
  std::vector<double> sums(k, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < k; ++r) sums[r] += coefficients(i, r);
  }
  const double constant = problem.bias * problem.bias;
  CrammerSingerResiduals result;
  double squared_norm = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t own = problem.class_of(i);
    const double own_value = values(i, own) + constant * sums[own];
    double loss = 0;
    double sum = 0;
    for (std::size_t r = 0; r < k; ++r) {
      const double value = values(i, r) + constant * sums[r];
      if (r != own) loss = std::max(loss, 1 + value - own_value);
      squared_norm += coefficients(i, r) * value;
      sum += coefficients(i, r);
      result.bound_violation =
          std::max(result.bound_violation, coefficients(i, r) - problem.upper(i, r));
    }
    result.sum_violation = std::max(result.sum_violation, std::abs(sum));
    result.primal += problem.costs[i] * loss;
    result.dual += coefficients(i, own);
  }
  result.primal += squared_norm / 2;
  result.dual -= squared_norm / 2;
  return result;
}

}  // namespace maxmargin
