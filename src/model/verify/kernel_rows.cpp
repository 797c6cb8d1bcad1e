// SPDX-License-Identifier: Apache-2.0
#include "model/verify/kernel_rows.hpp"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "core/recomputation.hpp"
#include "kernel/parts.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/kernel/combine.hpp"

namespace maxmargin {

namespace {

/// How far means may be apart, relative to the largest kernel value: training sums them by blocks.
constexpr double rounding = 1e-6;

/// The rows by the formula of InputScalingRule.
Examples plainly_scaled(const Examples& rows, std::span<const double> weights) {
  DenseMatrix scaled(rows.rows(), weights.size());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    rows.row(i).for_each([&](std::size_t column, double value) {
      if (column < weights.size()) scaled(i, column) = std::sqrt(weights[column]) * value;
    });
  }
  return scaled;
}

std::string fault_of_rows(const Examples& kept, const Examples& rows) {
  if (kept.rows() != rows.rows()) {
    return "the kernel holds " + std::to_string(kept.rows()) + " training rows, the data has " +
           std::to_string(rows.rows());
  }
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (kept.row(i).squared_distance(rows.row(i)) == 0) continue;
    return "row " + std::to_string(i) + " (from 0) of the kernel is not that of the data";
  }
  return {};
}

std::string fault_of_means(const Kernel& kernel,
                           const KernelMeans& means,
                           const Examples& rows,
                           const Context& context) {
  const std::size_t n = rows.rows();
  std::vector<double> found(n, 0.0);
  std::vector<double> largest(n, 0.0);
  verify_chunks(context, n, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t l = 0; l < n; ++l) {
        const double value = evaluate(kernel, rows.row(i), rows.row(l));
        found[i] += value / static_cast<double>(n);
        largest[i] = std::max(largest[i], std::abs(value));
      }
    }
  });
  const double allowed = rounding * *std::ranges::max_element(largest);
  for (std::size_t i = 0; i < n; ++i) {
    if (std::abs(found[i] - means.row_means()[i]) <= allowed) continue;
    return "the kernel's mean over row " + std::to_string(i) + " (from 0) is " +
           format_number(found[i]) + ", the model says " + format_number(means.row_means()[i]);
  }
  return {};
}

}  // namespace

std::string fault_of_kernel_rows(const Kernel& kernel,
                                 const Examples& rows,
                                 const Context& context) {
  const auto* combined = std::get_if<Combined>(&kernel);
  if (combined == nullptr) return {};
  const Combination& node = combined->node();
  if (const auto* scaling = std::get_if<InputScalingRule>(&node.rule)) {
    return fault_of_kernel_rows(scaling->kernel, plainly_scaled(rows, scaling->weights), context);
  }
  // What a kernel is made of comes first: its values are those that the means are of.
  std::string fault;
  for_each_part(node, [&](const Kernel& part) {
    if (fault.empty()) fault = fault_of_kernel_rows(part, rows, context);
  });
  if (!fault.empty()) return fault;
  if (const auto* iteration = std::get_if<IteratedRule>(&node.rule)) {
    return fault_of_rows(*iteration->rows, rows);
  }
  if (const auto* centring = std::get_if<CentredRule>(&node.rule)) {
    fault = fault_of_rows(*centring->means->rows(), rows);
    if (fault.empty()) fault = fault_of_means(centring->kernel, *centring->means, rows, context);
  }
  return fault;
}

}  // namespace maxmargin
