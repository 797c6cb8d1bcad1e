// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/kernel/gram/centring.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Relaxed machines have no bias of their own: docs/algorithms/mmc.md, "Problem".
namespace maxmargin {

/// What stands in for the bias that a relaxation cannot have.
enum class KernelBias {
  center,    ///< the points' mean becomes the origin of the feature space
  constant,  ///< a further feature that is 1 everywhere
  none
};
template <>
inline constexpr auto names_of<KernelBias> = name_table<KernelBias>({{"center", KernelBias::center},
                                                                     {"constant",
                                                                      KernelBias::constant},
                                                                     {"none", KernelBias::none}});

/// Turns the Gram matrix of the training points into that of the biased feature space. `centring`
/// is that of the matrix and read for `center` alone; plain_function asks for it again.
MAXMARGIN_EXPORT void apply_bias(KernelBias bias,
                                 const FeatureCentring& centring,
                                 DenseMatrix& gram);
/// The same with a centring of its own.
MAXMARGIN_EXPORT void apply_bias(KernelBias bias, DenseMatrix& gram);

/// The same for a relaxation. Throws InvalidArgument, naming `learner`, when the result is not
/// positive semidefinite beyond what rounding explains. Returns false when `on_progress` said to
/// stop before that was known: then no relaxation's bound may be reported, as it holds for
/// semidefinite matrices alone.
[[nodiscard]] MAXMARGIN_EXPORT bool apply_bias(KernelBias bias,
                                               const FeatureCentring& centring,
                                               DenseMatrix& gram,
                                               std::string_view learner,
                                               std::size_t threads,
                                               const ProgressCallback& on_progress);

/// A function on the kernel as it is.
struct PlainFunction {
  std::vector<double> coefficients = {};
  double offset = 0;
};

/// w = sum of coefficients times the points of the biased space, as a function on the kernel as it
/// is. `centring` is that of its Gram matrix before apply_bias.
[[nodiscard]] MAXMARGIN_EXPORT PlainFunction plain_function(KernelBias bias,
                                                            const FeatureCentring& centring,
                                                            std::span<const double> coefficients);

}  // namespace maxmargin
