// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Gram matrices, a block at a time on all cores (docs/algorithms/kernel-rows.md). The result is
/// the same for any number of threads. All functions check parameters and domain first and throw
/// InvalidArgument; two dense sets must have equally many columns.
namespace maxmargin {

struct GramOptions {
  Context context = {};
};

/// The n x n matrix K(x_i, x_j). Exactly symmetric; its diagonal is exactly kernel_diagonal. A
/// precomputed matrix must be symmetric to 1e-6 of its largest entry and is then read below its
/// diagonal.
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix gram(const Kernel& kernel,
                                                const Examples& examples,
                                                const GramOptions& options = {});
/// The same, computed and stored in float: half the memory, at least twice the speed.
[[nodiscard]] MAXMARGIN_EXPORT FloatMatrix gram_float(const Kernel& kernel,
                                                      const Examples& examples,
                                                      const GramOptions& options = {});

/// The m x n matrix K(rows_i, cols_j): new examples against the training set.
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix cross_gram(const Kernel& kernel,
                                                      const Examples& rows,
                                                      const Examples& cols,
                                                      const GramOptions& options = {});
[[nodiscard]] MAXMARGIN_EXPORT FloatMatrix cross_gram_float(const Kernel& kernel,
                                                            const Examples& rows,
                                                            const Examples& cols,
                                                            const GramOptions& options = {});

/// K(x_i, x_i), each equal to evaluate(), but exactly 1 (or 0) for cosine and normalised kernels.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> kernel_diagonal(const Kernel& kernel,
                                                                   const Examples& examples,
                                                                   const GramOptions& options = {});

}  // namespace maxmargin
