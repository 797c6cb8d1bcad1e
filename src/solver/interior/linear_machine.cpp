// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/interior-point.md
#include "solver/interior/linear_machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "core/stoppable.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/gap.hpp"
#include "solver/interior/held_triangle.hpp"
#include "solver/interior/interior.hpp"
#include "solver/interior/loop_rules.hpp"
#include "solver/interior/low_rank.hpp"
#include "solver/linear/finish.hpp"
#include "solver/linear/rows.hpp"

namespace maxmargin::interior {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Columns, and the bias, are fewer than rows: then systems of columns are smaller.
bool by_columns(const LinearRisk& problem) { return problem.cols() + 1 <= problem.rows(); }

/// The dual of the risk in signed coefficients, two a row in regression; its matrix is X X'.
SvmDual dual_of(const LinearRisk& problem) {
  SvmDual dual;
  const bool squared = is_smooth(problem.loss);
  const bool tube = !is_classification(problem.loss);
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const double cost = problem.upper(i);
    double bound = cost;
    if (cost > 0 && squared) bound = infinity;
    const double target = cost > 0 ? problem.targets[i] : 0.0;  // of no use, and perhaps no number
    for (const double side : {1.0, -1.0}) {
      if (!tube && side != (target < 0 ? -1.0 : 1.0)) continue;
      dual.linear.push_back(tube ? side * problem.epsilon - target : -side);
      dual.lower.push_back(side > 0 ? 0 : -bound);
      dual.upper.push_back(side > 0 ? bound : 0);
      dual.ridge.push_back(squared && cost > 0 ? 1 / (2 * cost) : 0);
      dual.row.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return dual;
}

/// X X', row by row.
template <class Rows>
HeldTriangle::Fill products_of(const Rows& rows, std::size_t threads) {
  return [&rows, threads](std::size_t begin, MutableDenseView filled) {
    parallel_chunks(threads, filled.rows, 1, [&](std::size_t r, std::size_t, std::size_t) {
      std::vector<double> one(rows.cols() + 1, 0.0);
      rows.add(begin + r, 1.0, one.data());
      const std::span<double> out = filled.row(r);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = rows.dot(i, one.data());
    });
  };
}

/// The point that was found, in the numbers of a linear machine.
LinearSolution solution_of(const LinearRisk& problem,
                           const SvmDual& dual,
                           const InteriorSolution& found) {
  LinearSolution solution;
  solution.coefficients.assign(problem.rows(), 0.0);
  for (std::size_t v = 0; v < dual.variables(); ++v) {
    solution.coefficients[dual.row[v]] += found.coefficients[v];
  }
  std::vector<double> w(problem.cols() + 1, 0.0);
  linear::with_rows(problem, [&](const auto& rows) {
    for (std::size_t i = 0; i < problem.rows(); ++i) {
      if (solution.coefficients[i] != 0) rows.add(i, solution.coefficients[i], w.data());
    }
  });
  w.resize(problem.components());
  solution.w = std::move(w);
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const double size = std::abs(solution.coefficients[i]);
    if (size > 0) ++solution.support_vectors;
    if (size > 0 && !is_smooth(problem.loss) && size >= problem.upper(i)) ++solution.bounded;
  }
  return solution;
}

}  // namespace

bool takes(const LinearRisk& problem, const Context& context) {
  if (problem.penalty != LinearPenalty::l2 || problem.loss == LinearLoss::logistic) return false;
  constexpr double matrices = 4;
  const auto width = static_cast<double>(problem.cols() + 1);
  const double bytes = by_columns(problem) ? matrices * sizeof(double) * width * width
                                           : HeldTriangle::bytes(problem.rows());
  return bytes <= static_cast<double>(context.memory_bytes());
}

double linear_operations(const LinearRisk& problem) {
  const auto n = static_cast<double>(problem.rows());
  const auto width = static_cast<double>(problem.cols() + 1);
  double entries = 0;
  double squares = 0;
  linear::with_rows(problem, [&](const auto& rows) {
    for (std::size_t i = 0; i < problem.rows(); ++i) {
      const auto length = static_cast<double>(rows.length(i) + 1);
      entries += length;
      squares += length * length;
    }
  });
  constexpr double passes = 12;
  // Scattered additions cost as much as eight on BLAS.
  constexpr double scattered = 8;
  const double normal = std::min(n * width * width, scattered * squares) / 2;
  const double factor = by_columns(problem) ? normal + width * width * width / 3 : n * n * n / 3;
  return usual_steps * (factor + passes * entries);
}

LinearSolution solve_linear(const LinearRisk& problem, const LinearOptions& options) {
  PhaseTimer timer;
  timer.enter("solve");
  const std::size_t threads = thread_count(options.context.threads);
  const SvmDual dual = dual_of(problem);
  const InteriorOptions own{.tolerance = options.tolerance,
                            .max_steps = options.max_iterations,
                            .context = options.context};
  const InteriorSolution found = linear::with_rows(problem, [&](const auto& rows) {
    using Rows = std::decay_t<decltype(rows)>;
    if (by_columns(problem)) {
      LowRankMatrix<Rows> matrix(rows, problem.rows(), threads);
      return solve_interior(dual, matrix, own);
    }
    try {
      HeldTriangle matrix(
          problem.rows(), products_of(rows, threads), threads, false, options.context.on_progress);
      return solve_interior(dual, matrix, own);
    } catch (const Stopped& stopped) {
      // 0 is feasible.
      return InteriorSolution{.coefficients = std::vector<double>(dual.variables(), 0.0),
                              .status = status_of(stopped.answer())};
    }
  });
  LinearSolution solution = solution_of(problem, dual, found);
  Status status = found.status;
  const LinearResiduals at = residuals(problem, solution.w, solution.coefficients);
  if (std::isfinite(at.primal) && std::isfinite(at.dual)) {
    solution.report.primal_objective = at.primal;
    solution.report.dual_objective = at.dual;
    const bool within = is_within(at.primal, at.dual, options.tolerance);
    if (within || status == Status::solved) {
      status = within ? Status::solved : Status::no_progress;
    }
  } else {
    status = Status::numerical_failure;
  }
  linear::close_report(
      solution.report, status, found.steps, "interior point steps", options.tolerance, timer);
  return solution;
}

}  // namespace maxmargin::interior
