// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/model/classifier.hpp"

/// Machines in models, for pictures and for files of other programs.
namespace maxmargin::tool {

using Machine = std::variant<Classifier, Regressor>;

/// Does the document hold one?
[[nodiscard]] bool holds_machine(const ModelDocument& document);
/// Requires that it does.
[[nodiscard]] Machine machine_of(const ModelDocument& document);

/// The functions underneath.
[[nodiscard]] const DecisionFunction& functions_of(const Machine& machine);
/// The kernel, of kernel machines; nullptr otherwise.
[[nodiscard]] const Kernel* kernel_of(const Machine& machine);
/// The rows as the machine sees them: scaled as its training was.
[[nodiscard]] Examples scaled_for(const Machine& machine, const Examples& examples);

}  // namespace maxmargin::tool
