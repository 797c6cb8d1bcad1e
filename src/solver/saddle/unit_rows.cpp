// SPDX-License-Identifier: Apache-2.0
#include "solver/saddle/unit_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "solver/saddle/unit_rows_geometry.hpp"
#include "solver/saddle/unit_rows_search.hpp"

namespace maxmargin {

UnitRowsFunction::~UnitRowsFunction() = default;

void UnitRowsOptions::describe(OptionVisitor& visit) {
  visit.number(
      {.name = "gradient-tolerance", .help = "norm of the projected gradient at which it stops"},
      gradient_tolerance,
      rules::not_negative);
  visit.number({.name = "value-tolerance", .help = "promised share of the value at which it stops"},
               value_tolerance,
               rules::share_below_one);
  visit.whole({.name = "max-iterations", .help = "steps at most"}, max_iterations, {.least = 1});
  visit.whole(
      {.name = "max-inner-iterations", .help = "conjugate gradient steps for one Newton step"},
      max_inner_iterations,
      {.least = 1});
  visit.number(
      {.name = "radius", .help = "first radius of the trust region", .fallback = "sqrt(n) / 8"},
      radius,
      rules::positive);
  visit.threads(context.threads);
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
  validate(options);
  require(start.cols() > 0, "minimize_over_unit_rows: the start must have a column");
  require(std::ranges::all_of(start.values(), [](double x) { return std::isfinite(x); }),
          "minimize_over_unit_rows: the start must be finite");
  const std::size_t threads = thread_count(options.context.threads);
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
