// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernel/input_scaling.hpp"
#include "kernel/overloaded.hpp"
#include "kernel/parts.hpp"
#include "maxmargin/data/text/encoded_strings.hpp"
#include "maxmargin/kernel/combine.hpp"
#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin {

namespace {

[[noreturn]] void reject(
    const Kernel& kernel, std::size_t row, std::size_t column, double value, const char* rule) {
  throw InvalidArgument(kernel_name(kernel) + " kernel: the value in row " + std::to_string(row) +
                        ", column " + std::to_string(column) + " (from 0) is " +
                        format_number(value) + ", must be " + rule);
}

/// Throws for the first stored value that does not pass.
template <class Pass>
void check_stored(const Kernel& kernel, const Examples& examples, const char* rule, Pass pass) {
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    examples.row(i).for_each([&](std::size_t j, double value) {
      if (!pass(value)) reject(kernel, i, j, value, rule);
    });
  }
}

/// Throws for the first column a sparse row lacks.
void check_complete(const Kernel& kernel, const Examples& examples, const char* rule) {
  if (examples.is_dense()) return;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    const SparseRow row = examples.sparse().row(i);
    if (row.columns.size() == examples.cols()) continue;
    std::size_t missing = 0;
    while (missing < row.columns.size() &&
           static_cast<std::size_t>(row.columns[missing]) == missing) {
      ++missing;
    }
    reject(kernel, i, missing, 0.0, rule);
  }
}

void check_indices(const Kernel& kernel, const Precomputed& precomputed, const Examples& examples) {
  require(precomputed.matrix != nullptr, "the matrix of the precomputed kernel is missing");
  require(examples.cols() == 1 || examples.rows() == 0,
          "precomputed kernel: an example has one feature, its row number");
  const auto limit =
      static_cast<double>(std::max(precomputed.matrix->rows(), precomputed.matrix->cols()));
  check_stored(kernel, examples, "a row number of the matrix, from 0", [limit](double value) {
    return value >= 0 && value < limit && value == std::floor(value);
  });
  // A missing entry is row number 0, which any matrix but an empty one has.
  require(examples.rows() == 0 || limit > 0, "precomputed kernel: the matrix is empty");
}

void check_string(const Row& row, std::size_t number) {
  try {
    (void)decode_string(row);
  } catch (const InvalidArgument& problem) {
    throw InvalidArgument("row " + std::to_string(number) + " (from 0): " + problem.what());
  }
}

void check_parts(const Combination& combination, const Examples& examples) {
  if (const auto* scaling = std::get_if<InputScalingRule>(&combination.rule)) {
    check_domain(scaling->kernel, scale_inputs(examples, *scaling));
    return;
  }
  for_each_part(combination, [&](const Kernel& part) { check_domain(part, examples); });
}

}  // namespace

void check_domain(const Kernel& kernel, const Examples& examples) {
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto non_negative = [](double value) { return value >= 0 && std::isfinite(value); };
  std::visit(Overloaded{
                 [&](const Sentropic&) {
                   check_stored(kernel, examples, "> 0 and finite", [](double value) {
                     return value > 0 && std::isfinite(value);
                   });
                   check_complete(kernel, examples, "> 0");
                 },
                 [&](const HistogramIntersection&) {
                   check_stored(kernel, examples, ">= 0 and finite", non_negative);
                 },
                 [&](const ChiSquare&) {
                   check_stored(kernel, examples, ">= 0 and finite", non_negative);
                 },
                 [&](const Spectrum&) {
                   for (std::size_t i = 0; i < examples.rows(); ++i) {
                     check_string(examples.row(i), i);
                   }
                 },
                 [&](const Precomputed& k) { check_indices(kernel, k, examples); },
                 [&](const Combined& k) { check_parts(k.node(), examples); },
                 [&](const auto&) { check_stored(kernel, examples, "finite", finite); },
             },
             kernel);
}

}  // namespace maxmargin
