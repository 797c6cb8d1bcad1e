// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/machine.hpp"

#include <optional>

namespace maxmargin {

const DecisionFunction& functions_of(const Machine& machine) {
  if (const auto* classifier = std::get_if<Classifier>(&machine)) return classifier->functions;
  return std::get<Regressor>(machine).function;
}

DecisionFunction& functions_of(Machine& machine) {
  if (auto* classifier = std::get_if<Classifier>(&machine)) return classifier->functions;
  return std::get<Regressor>(machine).function;
}

const Kernel* kernel_of(const Machine& machine) {
  const auto* expansion = std::get_if<KernelExpansion>(&functions_of(machine));
  return expansion == nullptr ? nullptr : &expansion->kernel;
}

Examples scaled_for(const Machine& machine, const Examples& examples) {
  const std::optional<Scaler>& scaler =
      std::visit([](const auto& m) -> const std::optional<Scaler>& { return m.scaler; }, machine);
  return scaler ? scaler->apply(examples) : examples;
}

}  // namespace maxmargin
