// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/settle.hpp"
#include "kernel/near_origin.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "model/tolerances.hpp"

namespace maxmargin {

namespace {

/// Up to here rows are held in double: small problems are solved to any accuracy.
constexpr std::size_t double_rows = 8000;

/// What rounding may do to b'Kb at most.
double rounding_of_norm(std::span<const double> rows, std::span<const double> diagonal) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != 0) sum += std::abs(rows[i]) * std::sqrt(std::abs(diagonal[i]));
  }
  constexpr double roundings = 4;
  return roundings * std::numeric_limits<double>::epsilon() * sum * sum;
}

/// Does float hold values of this size, and those far below it, too?
bool fits_float(const Kernel& kernel, const Examples& examples, std::size_t threads) {
  const std::vector<double> diagonal =
      kernel_diagonal(kernel, examples, {.context = {.threads = threads}});
  double largest = 0;
  for (const double value : diagonal) largest = std::max(largest, std::abs(value));
  return largest == 0 || (largest > 0x1p-60 && largest < 0x1p100);
}

}  // namespace

Kernel resolved_kernel(const KernelChoice& choice,
                       const Dataset& data,
                       const TrainingControl& control) {
  Kernel kernel = choice.resolved(data.examples, {.context = control.context});
  validate(kernel);
  return kernel;
}

Kernel resolved_kernel(const KernelChoice& choice,
                       const Dataset& data,
                       const TrainingControl& control,
                       bool moves) {
  Kernel kernel = resolved_kernel(choice, data, control);
  return moves ? near_origin(kernel, data.examples) : kernel;
}

void describe_smo(OptionVisitor& visit,
                  const TrainingControl& control,
                  bool& shrinking,
                  std::optional<double>& kkt_tolerance,
                  ConvexMethod& method) {
  visit.switched_off({.name = "no-shrinking", .help = "look at all rows in every step"}, shrinking);
  visit.number({.name = "kkt-tolerance",
                .help = "stop at this KKT violation (LIBSVM's eps) instead of the gap",
                .value = "EPS",
                .fallback = "none"},
               kkt_tolerance,
               rules::positive);
  refuse_both_tolerances(visit, control, kkt_tolerance);
  describe_method(visit, method, kkt_tolerance);
}

ConvexMethod method_for(ConvexMethod chosen, bool indefinite) {
  return chosen == ConvexMethod::automatic && indefinite ? ConvexMethod::first_order : chosen;
}

std::unique_ptr<SymmetricMatrix> kernel_matrix(const Kernel& kernel,
                                               const Examples& examples,
                                               std::size_t bytes,
                                               std::size_t threads,
                                               std::size_t solvers,
                                               ConvexMethod method) {
  const std::size_t n = examples.rows();
  const bool doubles = (n <= double_rows && n * n * sizeof(double) <= bytes) ||
                       !fits_float(kernel, examples, threads);
  // Rows in use live beside the cache, up to a working set of them for every solver.
  const std::size_t in_use =
      checked_multiply(n, (doubles ? sizeof(double) : sizeof(float)) * smo_working_set * solvers);
  std::size_t cache = in_use <= bytes / 4 ? bytes - in_use : bytes / 5 * 3;
  if (method == ConvexMethod::interior_point) cache = std::min(cache, in_use / smo_working_set);
  const KernelRowsOptions options{.cache_bytes = cache, .context = {.threads = threads}};
  if (doubles) return std::make_unique<DoubleCachedKernelMatrix>(kernel, examples, options);
  return std::make_unique<CachedKernelMatrix>(kernel, examples, options);
}

SmoOptions smo_options(const TrainingControl& control, const SmoSettings& settings) {
  return {.tolerance = control.tolerance,
          .kkt_tolerance = settings.kkt_tolerance,
          .max_iterations = control.max_iterations,
          .shrinking = settings.shrinking,
          .context = control.context};
}

MachineReport machine_report(const SvmDual& problem, SmoSolution& solution) {
  MachineReport machine;
  machine.report = std::move(solution.report);
  // A row counts once, and as bounded when one of its variables is.
  const std::vector<double> rows = row_coefficients(problem, solution.coefficients);
  if (machine.report.status == Status::numerical_failure) claim_nothing(machine.report);
  settle(machine.report, rounding_of_norm(rows, problem.matrix->diagonal()));
  std::vector<char> bounded(rows.size(), 0);
  for (std::size_t v = 0; v < problem.variables(); ++v) {
    const double b = solution.coefficients[v];
    const std::size_t row = problem.row_of(v);
    if (b != 0 && rows[row] != 0 && (b >= problem.upper[v] || b <= problem.lower[v])) {
      bounded[row] = 1;
    }
    machine.squared_norm += b * solution.values[row];
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    machine.support_vectors += rows[row] != 0 ? 1U : 0U;
    machine.bounded += bounded[row] != 0 ? 1U : 0U;
  }
  return machine;
}

std::vector<double> row_coefficients(const SvmDual& problem, std::span<const double> coefficients) {
  std::vector<double> rows(problem.matrix->size(), 0.0);
  for (std::size_t v = 0; v < coefficients.size(); ++v) {
    rows[problem.row_of(v)] += coefficients[v];
  }
  return rows;
}

KernelExpansion make_expansion(const Kernel& kernel,
                               const Examples& examples,
                               const std::vector<std::vector<double>>& coefficients,
                               std::vector<double> offsets) {
  KernelExpansion expansion;
  expansion.kernel = kernel;
  expansion.offsets = std::move(offsets);
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    const auto is_used = [&](const std::vector<double>& column) { return column[i] != 0; };
    if (std::ranges::any_of(coefficients, is_used)) expansion.training_rows.push_back(i);
  }
  const std::size_t count = expansion.training_rows.size();
  expansion.vectors = examples.select(expansion.training_rows);
  expansion.coefficients = DenseMatrix(count, coefficients.size());
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t f = 0; f < coefficients.size(); ++f) {
      expansion.coefficients(k, f) = coefficients[f][expansion.training_rows[k]];
    }
  }
  return expansion;
}

}  // namespace maxmargin
