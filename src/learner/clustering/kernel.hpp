// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/context.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/kernel/kernel.hpp"

/// Kernels of clustering methods.
namespace maxmargin::learning {

/// The kernel of a method that evaluates it itself, its width found on these points. Throws
/// InvalidArgument for a precomputed one.
[[nodiscard]] Kernel kernel_of_points(const KernelChoice& choice,
                                      const Examples& points,
                                      const Context& context);

/// The same of a method that takes a kernel matrix, too: that of a precomputed one is not filled
/// in.
[[nodiscard]] Kernel kernel_for(const KernelChoice& choice,
                                const Examples& points,
                                const Context& context);

/// Kernel, gamma, degree and coef0 as used, for Clustering::used.
[[nodiscard]] ReportFields kernel_as_used(const Kernel& kernel);

}  // namespace maxmargin::learning
