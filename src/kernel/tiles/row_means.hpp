// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "maxmargin/kernel/combine.hpp"

/// Kernel values with all training examples at once.
namespace maxmargin {

/// The mean of K(x, l) over the examples l of `over`, for every row x. Requires over to have rows.
[[nodiscard]] std::vector<double> row_means_over(const Kernel& kernel,
                                                 const Examples& rows,
                                                 const Examples& over,
                                                 std::size_t threads);

/// K(x, l) for every row x and example l of `over`.
[[nodiscard]] DenseMatrix values_over(const Kernel& kernel,
                                      const Examples& rows,
                                      const Examples& over);

/// The mean of every row, those of training examples looked up.
[[nodiscard]] std::vector<double> means_of(const Kernel& kernel,
                                           const KernelMeans& means,
                                           const Examples& rows);

/// K(x, x) of a kernel that is no combination, exact where the formula fixes it.
[[nodiscard]] double self_value(const Kernel& kernel, const Row& x);

/// K(x, x) of every row, exact where the formula fixes it. Throws InvalidArgument for a precomputed
/// kernel without that entry.
[[nodiscard]] std::vector<double> self_values(const Kernel& kernel, const Examples& rows);

}  // namespace maxmargin
