// SPDX-License-Identifier: Apache-2.0
#include "learner/supervised/machine.hpp"

namespace maxmargin::learning {

MachineAnswer answer_of(const Machine& machine,
                        const Examples& examples,
                        const DecisionOptions& options) {
  if (const auto* classifier = std::get_if<Classifier>(&machine)) {
    return {.classes = classifier->answer(examples, options)};
  }
  return {.values = std::get<Regressor>(machine).predict(examples, options)};
}

std::size_t features_of(const Machine& machine) {
  const auto& scaler = std::visit(
      [](const auto& m) -> auto& { return m.scaler; }, machine);
  if (scaler && scaler->features() > 0) return scaler->features();
  return feature_count(functions_of(machine));
}

const std::vector<std::string>& feature_names_of(const Machine& machine) {
  return std::visit(
      [](const auto& m) -> auto& { return m.feature_names; }, machine);
}

bool is_precomputed(const Machine& machine) {
  const Kernel* const kernel = kernel_of(machine);
  return kernel != nullptr && std::holds_alternative<Precomputed>(*kernel);
}

}  // namespace maxmargin::learning
