// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"

/// What verification needs of a function, a part of the rows at a time: it asks before each, and
/// throws Stopped.
namespace maxmargin {

/// The value of one function on every example, exact.
[[nodiscard]] std::vector<double> values_in_verify(const DecisionFunction& function,
                                                   const Examples& examples,
                                                   const Context& context);

/// sum_ij a_i K(z_i, z_j) a_j = sum_i a_i f(z_i), with f the function without its offset: no matrix
/// of all K. The coefficients of a kernel of low rank are large and of both signs, so the sum is a
/// compensated one.
[[nodiscard]] double squared_norm_in_verify(const KernelExpansion& expansion,
                                            const Context& context);

}  // namespace maxmargin
