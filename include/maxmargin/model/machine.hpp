// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/model/classifier.hpp"

/// Trained machines of either kind, seen as one.
namespace maxmargin {

using Machine = std::variant<Classifier, Regressor>;

/// The functions underneath.
[[nodiscard]] MAXMARGIN_EXPORT const DecisionFunction& functions_of(const Machine& machine);
[[nodiscard]] MAXMARGIN_EXPORT DecisionFunction& functions_of(Machine& machine);
/// The kernel, of kernel machines; else nullptr.
[[nodiscard]] MAXMARGIN_EXPORT const Kernel* kernel_of(const Machine& machine);
/// The rows as the machine sees them: scaled as its training was.
[[nodiscard]] MAXMARGIN_EXPORT Examples scaled_for(const Machine& machine,
                                                   const Examples& examples);

}  // namespace maxmargin
