// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hard-margin.md, "The machine"
#include "model/kernel/hard_margin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/settle.hpp"
#include "kernel/input_scaling.hpp"
#include "maxmargin/core/memory.hpp"
#include "model/kernel/moved_linear.hpp"
#include "solver/hull/nearest_points.hpp"

namespace maxmargin {

namespace {

/// Combinations this many units in the last place of the longest point long are none.
constexpr double rounding_units = 64;

/// Margins this wide beside the longest point need nothing but products.
constexpr double wide_margin = 1e-4;
/// The same of products in float.
constexpr double wide_in_float = 0.05;

/// The points whose products are the kernel's values; nothing for kernels that are not linear.
std::optional<Examples> linear_points(const Kernel& kernel, const Examples& examples) {
  if (std::holds_alternative<Linear>(kernel)) return examples;
  const InputScalingRule* const moved = moved_linear(kernel);
  return moved == nullptr ? std::nullopt : std::optional(scale_inputs(examples, *moved));
}

double largest_norm(DenseView points) {
  double largest = 0;
  for (std::size_t i = 0; i < points.rows; ++i) {
    double square = 0;
    for (const double x : points.row(i)) square += x * x;
    largest = std::max(largest, square);
  }
  return std::sqrt(largest);
}

/// The dual of the hard margin in extended precision: sum |b_i| - 1/2 |sum_i b_i x_i|^2.
double dual_value(DenseView points, std::span<const double> b, bool bias) {
  std::vector<long double> sum(points.cols, 0);
  long double mass = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b[i] == 0) continue;
    mass += std::abs(b[i]);
    // With an offset the b add up to 0, but for rounding: differences are all that counts.
    for (std::size_t j = 0; j < sum.size(); ++j) {
      const long double origin = bias ? points(0, j) : 0;
      sum[j] += static_cast<long double>(b[i]) * (points(i, j) - origin);
    }
  }
  long double square = 0;
  for (const long double x : sum) square += x * x;
  return static_cast<double>(mass - square / 2);
}

/// Where the two sides end: f on the rows, without an offset.
struct Sides {
  double least = std::numeric_limits<double>::infinity();  ///< of the positive ones
  double most = -std::numeric_limits<double>::infinity();  ///< of the negative ones
};

Sides sides_of(std::span<const double> values, std::span<const std::int8_t> signs) {
  Sides sides;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (signs[i] > 0) sides.least = std::min(sides.least, values[i]);
    if (signs[i] < 0) sides.most = std::max(sides.most, values[i]);
  }
  return sides;
}

std::vector<double> values_of(const Examples& examples, std::span<const double> w) {
  std::vector<double> values(examples.rows());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = examples.row(i).dot(w);
  return values;
}

void fail(std::string message, CodeMachine& machine) {
  machine.report.report.status = Status::numerical_failure;
  machine.report.report.message = std::move(message);
  claim_nothing(machine.report.report);
}

/// The machine of a direction that separates, as it predicts.
void finish(const HullSolution& found,
            const Examples& rows,
            DenseView points,
            std::span<const std::int8_t> signs,
            bool bias,
            double tolerance,
            CodeMachine& machine) {
  const auto offset_of = [&](const Sides& sides) {
    return bias ? -0.5 * (sides.least + sides.most) : 0.0;
  };
  const auto margin_of = [&](const Sides& sides) {
    const double offset = offset_of(sides);
    return std::min(sides.least + offset, -(sides.most + offset));
  };
  std::vector<double> w = found.direction;
  const double margin = margin_of(sides_of(values_of(rows, w), signs));
  SolveReport& report = machine.report.report;
  report.status = Status::solved;
  report.message.clear();
  report.iterations += found.report.iterations;
  if (!(margin > 0))
    return fail("the margin is too narrow for the digits of the features", machine);
  double square = 0;
  for (double& weight : w) {
    weight /= margin;
    square += weight * weight;
  }
  machine.values = values_of(rows, w);
  const Sides sides = sides_of(machine.values, signs);
  machine.offset = offset_of(sides);
  for (double& value : machine.values) value += machine.offset;
  // The multiple of the weights at which the dual is largest.
  const double scale = (bias ? 2 : 1) / (found.distance * found.distance);
  machine.report.support_vectors = 0;
  for (std::size_t i = 0; i < machine.coefficients.size(); ++i) {
    machine.coefficients[i] = signs[i] * scale * found.weights[i];
    machine.report.support_vectors += machine.coefficients[i] != 0 ? 1U : 0U;
  }
  const double reached = margin_of(sides);
  report.primal_objective = 0.5 * square / (reached * reached);
  report.dual_objective = dual_value(points, machine.coefficients, bias);
  settle(report);
  machine.report.squared_norm = square;
  machine.weights = std::move(w);
  const std::optional<double> gap = report.relative_gap();
  if (gap && *gap <= tolerance) return;
  fail("the margin is too narrow for the digits of the features", machine);
}

/// Whether products of the points have digits enough for the margin 1/|w|.
bool is_wide(const CodeMachine& machine, const SymmetricMatrix& matrix) {
  const double radius_square = std::ranges::max(matrix.diagonal());
  const double wide = holds_float(matrix) ? wide_in_float : wide_margin;
  return machine.report.squared_norm * radius_square * wide * wide <= 1;
}

bool has_both_signs(std::span<const std::int8_t> signs) {
  return std::ranges::find(signs, 1) != signs.end() && std::ranges::find(signs, -1) != signs.end();
}

}  // namespace

void add_linear_function(const Kernel& kernel,
                         const Examples& examples,
                         std::span<const double> coefficients,
                         double offset,
                         std::size_t f,
                         LinearFunctions& functions) {
  const std::span<double> w = functions.weights.row(f);
  const std::optional<Examples> points = linear_points(kernel, examples);
  if (!points) throw InternalError("a linear function was asked of a kernel that is not linear");
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] != 0) points->row(i).axpy_into(coefficients[i], w);
  }
  if (const InputScalingRule* const moved = moved_linear(kernel)) {
    for (std::size_t j = 0; j < w.size(); ++j) offset -= w[j] * moved->origin[j];
  }
  functions.offsets.push_back(offset);
}

CodeMachine with_narrow_margin(CodeMachine machine,
                               const Kernel& kernel,
                               const Examples& examples,
                               const CodeProblem& of,
                               bool bias,
                               const TrainingControl& control) {
  const SolveReport& report = machine.report.report;
  if (was_stopped(report.status)) return machine;
  if (report.status == Status::solved && is_wide(machine, of.matrix)) return machine;
  const double numbers =
      static_cast<double>(of.part.rows.size()) * static_cast<double>(examples.cols());
  if (numbers * sizeof(double) > static_cast<double>(control.context.memory_bytes()) / 4) {
    return machine;
  }
  const Examples rows = examples.select(of.part.rows);
  const std::optional<Examples> linear = linear_points(kernel, rows);
  if (!linear) return machine;
  const DenseMatrix points = linear->to_dense();
  std::vector<std::int8_t> signs = of.part.signs;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (!(of.part.weights[i] > 0)) signs[i] = 0;
  }
  if (!has_both_signs(signs)) return machine;
  Context context = control.context;
  context.on_progress = of.progress;
  const HullSolution found =
      solve_nearest_points({.points = points.view(), .signs = signs, .offset = bias},
                           {.tolerance = control.tolerance,
                            .rounding = rounding_units * std::numeric_limits<double>::epsilon() *
                                        largest_norm(points.view()),
                            .context = context});
  CodeMachine narrow = machine;
  if (found.report.status == Status::solved) {
    finish(found, rows, points.view(), signs, bias, control.tolerance, narrow);
  } else if (found.report.status == Status::numerical_failure) {
    fail(found.report.message, narrow);
  } else {
    narrow.report.report.status = found.report.status;
    narrow.report.report.message = found.report.message;
  }
  // What SMO has solved is given up for what is solved alone.
  if (report.status == Status::solved && narrow.report.report.status != Status::solved) {
    return machine;
  }
  return narrow;
}

}  // namespace maxmargin
