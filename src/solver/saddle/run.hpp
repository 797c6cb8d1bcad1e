// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "maxmargin/core/report.hpp"
#include "solver/saddle/form.hpp"
#include "solver/saddle/options.hpp"
#include "solver/saddle/unit_rows.hpp"

/// Private to solver: the loop of docs/algorithms/saddle.md.
namespace maxmargin::saddle {

/// What a solve says: see LabelSaddleSolution.
struct Answer {
  DenseMatrix v = {};
  Certificate certificate = {};
  double value = 0;
  double lower_bound = 0;
  double excess = 0;  ///< of the constraints, over the number of points
  std::size_t rank = 0;
  std::uint64_t evaluations = 0;
  std::uint64_t hessian_products = 0;
  SolveReport report = {};
};

[[nodiscard]] Answer solve(const Form& form, const SaddleOptions& options);

/// Throws InvalidArgument when more columns are asked for than G has rows.
void require_columns(const SaddleOptions& options, std::size_t rows);

/// The form's objective as a function of its rows, with a fixed barrier and penalty.
[[nodiscard]] std::unique_ptr<UnitRowsFunction> smooth(Form form,
                                                       const SmoothSaddleOptions& options);

/// Bytes beside the kernel.
[[nodiscard]] std::size_t memory(std::size_t points);

}  // namespace maxmargin::saddle
