// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "solver/saddle/form.hpp"
#include "solver/saddle/options.hpp"

/// Private to solver: where the loop of docs/algorithms/saddle.md begins.
namespace maxmargin::saddle {

/// The least r with r (r + 1) / 2 > rows, or `rows` where that is less.
[[nodiscard]] std::size_t default_columns(std::size_t rows);

/// Divides the row by its length, which must not be 0.
void scale_to_one(std::span<double> row);

/// The points' leading principal components in feature space, pulled back to the rows: M is then
/// about K / sqrt(K_ii K_jj), for which omega is small. A little noise in all columns; length 1.
[[nodiscard]] DenseMatrix first_rows(const Form& form,
                                     const SaddleOptions& options,
                                     const ProgressCallback& on_progress);

}  // namespace maxmargin::saddle
