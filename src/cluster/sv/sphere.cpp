// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/sv-clustering.md, steps 1 and 2
#include "cluster/sv/sphere.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/kernel_machines.hpp"
#include "maxmargin/problem/symmetric_matrix.hpp"
#include "solver/smo/smo.hpp"

namespace maxmargin::sv_clustering {

namespace {

std::vector<double> checked_weights(const Dataset& data) {
  data.validate();
  const std::string source = data.source.empty() ? "" : data.source + ": ";
  require(data.size() > 0, source + "there are no points to cluster");
  if (data.weights.empty()) return std::vector<double>(data.size(), 1.0);
  require(std::ranges::any_of(data.weights, [](double weight) { return weight > 0; }),
          source + "all weights are zero");
  return data.weights;
}

/// Bytes for cached rows when the rows of a working set live beside them.
std::size_t cache_bytes(std::size_t n, std::size_t bytes) {
  const std::size_t in_use = n * sizeof(double) * smo_working_set;
  return in_use <= bytes / 4 ? bytes - in_use : bytes / 5 * 3;
}

/// 2 sum_i beta_i K(x_i, x) - K(x, x), over the rows with weight.
KernelExpansion expansion_of(const Kernel& kernel,
                             const Examples& examples,
                             std::span<const double> beta) {
  KernelExpansion expansion{.kernel = kernel, .offsets = {0.0}, .minus_self = true};
  for (std::size_t i = 0; i < beta.size(); ++i) {
    if (beta[i] != 0) expansion.training_rows.push_back(i);
  }
  const std::size_t count = expansion.training_rows.size();
  expansion.vectors = examples.select(expansion.training_rows);
  expansion.coefficients = DenseMatrix(count, 1);
  for (std::size_t k = 0; k < count; ++k) {
    expansion.coefficients(k, 0) = 2 * beta[expansion.training_rows[k]];
  }
  return expansion;
}

constexpr const char* kernel_overflows =
    "kernel values overflow: scale the features or choose another kernel";

/// Squared distances, radius, level and objectives from the multipliers; false, and only the
/// distances, when they are not finite.
bool measure(const Examples& examples,
             const SvmDual& problem,
             std::size_t threads,
             Sphere& sphere) {
  const std::size_t n = sphere.beta.size();
  const std::span<const double> self = problem.matrix->diagonal();
  const DenseMatrix values =
      decision_values(sphere.function,
                      examples,
                      {.context = {.threads = threads}, .precision = ValuePrecision::exact});
  double centre_norm = 0;
  double dual = 0;
  for (const std::size_t i : sphere.function.training_rows) {
    centre_norm += sphere.beta[i] * 0.5 * (values(i, 0) + self[i]);
    dual += sphere.beta[i] * self[i];
  }
  dual -= centre_norm;
  sphere.squared_distances.resize(n);
  for (std::size_t i = 0; i < n; ++i) sphere.squared_distances[i] = centre_norm - values(i, 0);
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(sphere.squared_distances, is_finite)) return false;
  sphere.squared_radius = best_squared_radius(sphere.squared_distances, problem.upper);
  sphere.function.offsets[0] = sphere.squared_radius - centre_norm;

  double primal = sphere.squared_radius;
  double size = std::abs(centre_norm);
  sphere.level = sphere.squared_radius;
  for (std::size_t i = 0; i < n; ++i) {
    const double distance = sphere.squared_distances[i];
    primal += problem.upper[i] * std::max(0.0, distance - sphere.squared_radius);
    size = std::max(size, std::abs(self[i]));
    // A bound of 1 is none: the multipliers add up to 1.
    const bool bounded = problem.upper[i] < 1 && sphere.beta[i] >= problem.upper[i];
    if (!bounded) sphere.level = std::max(sphere.level, distance);
    if (bounded && problem.upper[i] > 0) ++sphere.bounded;
    if (!bounded && sphere.beta[i] > 0) ++sphere.support_vectors;
  }
  // Sums with weights that add up to 1, in whatever order.
  const auto terms = static_cast<double>(sphere.function.training_rows.size() + 64);
  sphere.level += 4 * terms * std::numeric_limits<double>::epsilon() * size;
  sphere.report.primal_objective = primal;
  sphere.report.dual_objective = dual;
  return true;
}

}  // namespace

double best_squared_radius(std::span<const double> squared_distances,
                           std::span<const double> costs) {
  std::vector<std::size_t> order(squared_distances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t i, std::size_t j) {
    return squared_distances[i] != squared_distances[j]
               ? squared_distances[i] > squared_distances[j]
               : i < j;
  });
  // The slope of the objective is 1 less the cost of what lies outside.
  constexpr double rounding = 1e-12;
  double outside = 0;
  for (const std::size_t i : order) {
    outside += costs[i];
    if (outside >= 1 - rounding) return squared_distances[i];
  }
  return squared_distances[order.back()];
}

Sphere solve_sphere(const Dataset& data, const SvClusteringOptions& options) {
  const std::vector<double> weights = checked_weights(data);
  const DoubleCachedKernelMatrix matrix(
      options.kernel.kernel(),
      data.examples,
      {.cache_bytes = cache_bytes(data.size(), options.context.memory_bytes()),
       .context = options.context});
  Sphere sphere;
  if (!std::ranges::all_of(matrix.diagonal(), [](double self) { return std::isfinite(self); })) {
    sphere.report.status = Status::numerical_failure;
    sphere.report.message = kernel_overflows;
    return sphere;
  }
  const SvmDual problem = svdd_dual(matrix, weights, options.nu);
  SmoSolution solution = solve_smo(problem,
                                   {.tolerance = options.tolerance,
                                    .max_iterations = options.max_iterations,
                                    .context = options.context});
  sphere.beta = std::move(solution.coefficients);
  sphere.report = std::move(solution.report);
  if (sphere.report.status == Status::iteration_limit && !options.max_iterations) {
    sphere.report.warnings.emplace_back(
        "the sphere was ended by the limit that stands where none is given: --max-iterations "
        "allows "
        "more steps; a larger --tolerance needs fewer");
  }
  if (sphere.report.status == Status::numerical_failure) return sphere;
  sphere.function = expansion_of(options.kernel.kernel(), data.examples, sphere.beta);
  if (!measure(data.examples, problem, thread_count(options.context.threads), sphere)) {
    sphere.function = {};
    sphere.report.status = Status::numerical_failure;
    sphere.report.message = kernel_overflows;
    sphere.report.primal_objective = std::nullopt;
    sphere.report.dual_objective = std::nullopt;
  }
  return sphere;
}

}  // namespace maxmargin::sv_clustering
