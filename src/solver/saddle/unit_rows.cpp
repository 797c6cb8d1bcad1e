// SPDX-License-Identifier: Apache-2.0
#include "solver/saddle/unit_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "solver/saddle/unit_rows_geometry.hpp"
#include "solver/saddle/unit_rows_search.hpp"

namespace maxmargin {

UnitRowsFunction::~UnitRowsFunction() = default;

void UnitRowsOptions::validate() const {
  require_field(gradient_tolerance >= 0 && std::isfinite(gradient_tolerance),
                "UnitRowsOptions.gradient_tolerance",
                gradient_tolerance,
                "finite and >= 0");
  require_field(value_tolerance >= 0 && value_tolerance < 1,
                "UnitRowsOptions.value_tolerance",
                value_tolerance,
                ">= 0 and < 1");
  require_field(max_iterations >= 1,
                "UnitRowsOptions.max_iterations",
                static_cast<double>(max_iterations),
                ">= 1");
  require_field(max_inner_iterations >= 1,
                "UnitRowsOptions.max_inner_iterations",
                static_cast<double>(max_inner_iterations),
                ">= 1");
  if (radius) {
    require_field(
        *radius > 0 && std::isfinite(*radius), "UnitRowsOptions.radius", *radius, "finite and > 0");
  }
  (void)thread_count(threads);
}

namespace unit_rows {

void measure(UnitRowsFunction& f, Point& point, std::size_t threads) {
  if (point.gradient.rows() != point.v.rows() || point.gradient.cols() != point.v.cols()) {
    point.gradient = DenseMatrix(point.v.rows(), point.v.cols());
    point.tangent = DenseMatrix(point.v.rows(), point.v.cols());
  }
  point.value = f.evaluate(point.v.view(), point.gradient.view());
  std::ranges::copy(point.gradient.values(), point.tangent.values().begin());
  project(point.v.view(), point.tangent.view(), threads);
  point.gradient_norm = norm(point.tangent.view(), threads);
}

}  // namespace unit_rows

UnitRowsSolution minimize_over_unit_rows(UnitRowsFunction& f,
                                         DenseMatrix start,
                                         const UnitRowsOptions& options) {
  options.validate();
  require(start.cols() > 0, "minimize_over_unit_rows: the start must have a column");
  require(std::ranges::all_of(start.values(), [](double x) { return std::isfinite(x); }),
          "minimize_over_unit_rows: the start must be finite");
  const std::size_t threads = thread_count(options.threads);
  unit_rows::Point point{.v = std::move(start)};
  unit_rows::normalize(point.v.view(), threads);
  unit_rows::measure(f, point, threads);
  require(std::isfinite(point.value) && std::isfinite(point.gradient_norm),
          "minimize_over_unit_rows: value and gradient at the start must be finite");

  UnitRowsSolution solution{.evaluations = 1};
  search_trust_region(f, point, options, solution);
  solution.v = std::move(point.v);
  solution.value = point.value;
  solution.gradient_norm = point.gradient_norm;
  return solution;
}

}  // namespace maxmargin
